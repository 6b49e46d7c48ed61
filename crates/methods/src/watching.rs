//! Watches, as requests ask for them.

use crate::error::MethodError;
use crate::kinds::Place;
use crate::{Methods, Near};
use coeval_engine::{Caller, TypeKey, WatchQuery, WatchStream};
use coeval_storage::Token;
use std::sync::Arc;

/// What a watch is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WatchAsked {
    /// The organization's name; empty: the caller's own; `-`: all.
    pub namespace: String,
    /// Only those near this.
    pub near: Near,
    /// From this sequence on; empty: from now.
    pub from: String,
}

impl Methods {
    /// What changes from then on.
    ///
    /// # Errors
    /// If the filter or the sequence can't be used.
    pub async fn watch(
        &self,
        caller: &Caller,
        of: &TypeKey,
        asked: &WatchAsked,
    ) -> Result<WatchStream, MethodError> {
        let org = match self.place(caller, &asked.namespace).await? {
            Place::Own => None,
            Place::One(org) => Some(org),
            Place::All => return Err(MethodError::invalid("a watch is of one namespace")),
        };
        let from = match asked.from.as_str() {
            "" => None,
            text => Some(Token::from_opaque(text).ok_or_else(|| {
                MethodError::invalid("from is no sequence: use one that an answer had")
            })?),
        };
        let filter = match asked.near.filter()? {
            None => None,
            Some(filter) => Some(Arc::new(filter.compile()?)),
        };
        let query = WatchQuery {
            versions: asked.near.versions()?,
            org,
            filter,
            from,
            ..WatchQuery::of(of.clone())
        };
        Ok(self.engine.watch(caller, query).await?)
    }
}
