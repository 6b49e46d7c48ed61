//! Where a listing goes on, and the page tokens that carry it.
//!
//! A token holds a place, sealed with a key that all servers of the store share. It is bound to the
//! caller and to all that was asked for: with another filter, order or version the place would mean
//! something else, and in other hands it would tell of resources that these may not see. What it
//! does not hold is a right: the page after it is judged anew, resource by resource.
//!
//! Servers of other releases read these tokens too. So fields are only added, and those that are
//! not known are ignored.

use crate::caches::numbered::Bookmark;
use crate::list::query::{InOrg, ListOf, ListQuery};
use crate::resources::Resources;
use coeval_catalog::caller::{AcceptedType, Caller};
use coeval_records::encode::{EncodeError, not_encoded};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::token::{self, Listing, TokenError};
use coeval_storage::Token;
use std::fmt::Write;

/// The longest key that resources are sorted by. What is longer is cut, and the id decides.
pub(crate) const LONGEST_SORT_KEY: usize = 1_536;

impl Bookmark {
    pub(crate) fn first_token(&self) -> Result<Token, ListError> {
        Token::from_opaque(&self.first).ok_or(ListError::Token(TokenError::Unreadable))
    }
}

/// What a token is bound to.
struct Bound {
    caller: String,
    of: String,
    filter: String,
    order: String,
}

impl Bound {
    fn to(caller: &Caller, query: &ListQuery) -> Result<Self, EncodeError> {
        let filter = query
            .filter
            .as_ref()
            .map(coeval_filter::Filter::fingerprint);
        let order = query
            .order
            .as_ref()
            .map(coeval_filter::SortOrder::fingerprint);
        let unsaid = |error| not_encoded("a listing", &error);
        Ok(Self {
            caller: lines(&[caller.user(), caller.org()]),
            of: described(caller, query),
            filter: filter.transpose().map_err(unsaid)?.unwrap_or_default(),
            order: order.transpose().map_err(unsaid)?.unwrap_or_default(),
        })
    }

    /// To a listing of something else than resources.
    fn other(caller: &Caller, of: &str, filter: &str) -> Self {
        Self {
            caller: lines(&[caller.user(), caller.org()]),
            // No listing of resources is described so.
            of: lines(&["other", of]),
            filter: filter.to_owned(),
            order: String::new(),
        }
    }

    fn listing(&self) -> Listing<'_> {
        Listing {
            caller: &self.caller,
            of: &self.of,
            filter: &self.filter,
            order: &self.order,
        }
    }
}

/// Texts with their borders.
fn lines(parts: &[&str]) -> String {
    parts.iter().fold(String::new(), |mut text, part| {
        // Writing to a string can't fail.
        let _ = write!(text, "{}:{part};", part.len());
        text
    })
}

/// What is listed and at which version, the same text in every release.
fn described(caller: &Caller, query: &ListQuery) -> String {
    let (kind, of, versions) = match &query.of {
        ListOf::Type { of, versions } => ("type", of, versions),
        ListOf::Interface { of, versions } => ("interface", of, versions),
    };
    let versions = versions.map_or(String::new(), |class| class.to_string());
    let org = match &query.org {
        InOrg::Own => String::new(),
        InOrg::One(org) => format!("one {org}"),
        InOrg::All => "all".to_owned(),
    };
    let wanted = &caller.wanted;
    let version = |version: Option<coeval_core::version::Version>| {
        version.map_or(String::new(), |version| version.to_string())
    };
    let (exactly, major) = (version(wanted.exactly), version(wanted.major));
    let release = wanted
        .release
        .as_ref()
        .map_or(String::new(), ToString::to_string);
    // Tokens of another release must still fit, so what stands here never changes.
    let mut parts = vec![
        kind.to_owned(),
        of.to_string(),
        versions,
        org,
        exactly,
        major,
        release,
    ];
    for (of, version) in &wanted.accept {
        parts.push(match of {
            AcceptedType::Full(of) => format!("{of}={version}"),
            AcceptedType::Nss(nss) => format!("{nss}={version}"),
        });
    }
    lines(&parts.iter().map(String::as_str).collect::<Vec<_>>())
}

/// All that a listing is bound to, as one text.
pub(crate) fn fingerprint(caller: &Caller, query: &ListQuery) -> Result<String, EncodeError> {
    let bound = Bound::to(caller, query)?;
    let parts = [&*bound.caller, &bound.of, &bound.filter, &bound.order];
    Ok(lines(&parts))
}

impl Resources {
    /// A token that leads to the page after a place.
    pub(crate) async fn give_token(
        &self,
        caller: &Caller,
        query: &ListQuery,
        bookmark: &Bookmark,
    ) -> Result<String, EngineError> {
        let text = coeval_records::encode::encode("a page token", bookmark)?;
        self.sealed_token(&Bound::to(caller, query)?, &text).await
    }

    /// What a token says that was given for this listing.
    pub(crate) async fn accept_token(
        &self,
        caller: &Caller,
        query: &ListQuery,
        text: &str,
    ) -> Result<Bookmark, EngineError> {
        let position = self.opened_token(&Bound::to(caller, query)?, text).await?;
        let read = serde_json::from_slice(&position);
        Ok(read.map_err(|_| ListError::Token(TokenError::Unreadable))?)
    }

    /// A token for going on after `position` in a listing of something else than resources: `of`
    /// says of what, `filter` which of them. It is good for this caller and this listing alone.
    ///
    /// # Errors
    /// If the position is too long, or the store fails.
    pub async fn page_token(
        &self,
        caller: &Caller,
        of: &str,
        filter: &str,
        position: &str,
    ) -> Result<String, EngineError> {
        self.sealed_token(&Bound::other(caller, of, filter), position.as_bytes())
            .await
    }

    /// The position in such a token.
    ///
    /// # Errors
    /// If it was not given for this listing.
    pub async fn page_position(
        &self,
        caller: &Caller,
        of: &str,
        filter: &str,
        token: &str,
    ) -> Result<String, EngineError> {
        let bound = Bound::other(caller, of, filter);
        let read = String::from_utf8(self.opened_token(&bound, token).await?);
        Ok(read.map_err(|_| ListError::Token(TokenError::Unreadable))?)
    }

    async fn sealed_token(&self, bound: &Bound, position: &[u8]) -> Result<String, EngineError> {
        let keys = self.page_keys(false).await?;
        let token = token::give(&keys, &bound.listing(), position);
        Ok(token.map_err(ListError::from)?)
    }

    async fn opened_token(&self, bound: &Bound, text: &str) -> Result<Vec<u8>, EngineError> {
        let keys = self.page_keys(false).await?;
        let position = match token::accept(&keys, &bound.listing(), text) {
            // Another server may have replaced the key.
            Err(TokenError::OtherListing) => {
                let keys = self.page_keys(true).await?;
                token::accept(&keys, &bound.listing(), text)
            }
            other => other,
        };
        Ok(position.map_err(ListError::from)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::caches::place::Place;
    use coeval_core::version::Uuid;

    #[test]
    fn a_bookmark_reads_back_and_ignores_what_a_later_release_adds() {
        let bookmark = Bookmark {
            place: Place {
                of: "urn:vcloud:entity:acme:app:".to_owned(),
                id: Uuid(7),
                sorted: vec![0, 255, 3],
                index: Vec::new(),
            },
            first: "x".to_owned(),
            total: Some(5),
            number: 2,
            cursor: None,
        };
        let mut json = serde_json::to_value(&bookmark).unwrap();
        json["later"] = 1.into();
        assert_eq!(serde_json::from_value::<Bookmark>(json).unwrap(), bookmark);
    }

    #[test]
    fn the_longest_place_fits_into_a_token() {
        let bookmark = Bookmark {
            place: Place {
                of: format!("urn:vcloud:entity:{}:{}:", "v".repeat(60), "n".repeat(60)),
                id: Uuid(u128::MAX),
                sorted: vec![0xff; LONGEST_SORT_KEY],
                index: vec![0xff; 260],
            },
            first: "f".repeat(48),
            total: Some(u64::MAX),
            number: u64::MAX,
            cursor: Some(u64::MAX),
        };
        let sealed = serde_json::to_vec(&bookmark).unwrap().len() + 100;
        assert!(sealed.div_ceil(3) * 4 <= token::LONGEST, "{sealed}");
    }
}
