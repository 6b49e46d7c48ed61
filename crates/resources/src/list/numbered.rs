//! Numbered pages, asked for one after another: as long as nothing is written, a page begins where
//! the one before it ended, and nothing is counted twice. What is remembered is a matter of speed
//! alone: it is bound to the store's sequence, at which every page has one content.

use crate::caches::numbered::Moment;
use crate::list::place::fingerprint;
use crate::list::query::ListQuery;
use coeval_catalog::caller::Caller;
use coeval_records::encode::EncodeError;
use coeval_storage::Token;
use sha2::{Digest, Sha256};

impl Moment {
    pub fn of(caller: &Caller, query: &ListQuery, token: Token) -> Result<Self, EncodeError> {
        let mut digest = Sha256::new();
        digest.update(token.to_string().as_bytes());
        digest.update(fingerprint(caller, query)?.as_bytes());
        Ok(Self(digest.finalize().into()))
    }
}
