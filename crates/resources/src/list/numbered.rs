//! Numbered pages, asked for one after another: as long as nothing is written, a page begins where
//! the one before it ended, and nothing is counted twice. What is remembered is a matter of speed
//! alone: it is bound to the store's sequence, at which every page has one content.

use crate::list::place::{Bookmark, fingerprint};
use crate::list::query::ListQuery;
use coeval_catalog::caller::Caller;
use coeval_records::encode::EncodeError;
use coeval_storage::Token;
use moka::sync::Cache;
use sha2::{Digest, Sha256};
use std::sync::Arc;
use std::time::Duration;

/// How many places and totals are remembered.
const MOST: u64 = 10_000;
/// For how long after they were last used.
const AGE: Duration = Duration::from_secs(10 * 60);

/// A listing at one moment of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Moment([u8; 32]);

impl Moment {
    pub fn of(caller: &Caller, query: &ListQuery, token: Token) -> Result<Self, EncodeError> {
        let mut digest = Sha256::new();
        digest.update(token.to_string().as_bytes());
        digest.update(fingerprint(caller, query)?.as_bytes());
        Ok(Self(digest.finalize().into()))
    }
}

/// What is remembered.
#[derive(Debug)]
pub struct Numbered {
    /// By listing, size and number of a page: where it begins.
    places: Cache<(Moment, usize, u64), Arc<Bookmark>>,
    totals: Cache<Moment, u64>,
}

impl Numbered {
    pub fn new() -> Self {
        Self {
            places: Cache::builder()
                .max_capacity(MOST)
                .time_to_idle(AGE)
                .build(),
            totals: Cache::builder()
                .max_capacity(MOST)
                .time_to_idle(AGE)
                .build(),
        }
    }

    /// Where that page begins, if the one before it was just given.
    pub fn place(&self, moment: Moment, size: usize, number: u64) -> Option<Arc<Bookmark>> {
        self.places.get(&(moment, size, number))
    }

    pub fn total(&self, moment: Moment) -> Option<u64> {
        self.totals.get(&moment)
    }

    /// Remembers where the page after a full one begins.
    pub fn remember(&self, moment: Moment, size: usize, next: &Bookmark) {
        let place = Arc::new(next.clone());
        self.places.insert((moment, size, next.number), place);
    }

    /// Remembers how many there are.
    pub(crate) fn remember_total(&self, moment: Moment, total: u64) {
        self.totals.insert(moment, total);
    }
}
