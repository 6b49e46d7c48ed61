//! What to watch, and what a watcher is told.

use crate::list::query::InOrg;
use crate::quarantined::Quarantined;
use crate::resource::Resource;
use coeval_core::version::{Classification, Uuid};
use coeval_filter::CompiledFilter;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_storage::{Revision, Token};
use futures::stream::BoxStream;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What to watch.
#[derive(Clone, Debug)]
pub struct WatchQuery {
    /// Resources of this type.
    pub of: TypeKey,
    /// Stored at these versions; all if nothing is said.
    pub versions: Option<Classification>,
    /// Of which organization.
    pub org: InOrg,
    /// Only those whose name begins so.
    pub name_prefix: Option<String>,
    /// Only those that have all these labels.
    pub labels: BTreeMap<String, String>,
    /// Only those that it matches, as the caller sees them.
    pub filter: Option<Arc<CompiledFilter>>,
    /// From this point on; from now if nothing is said.
    pub from: Option<Token>,
}

impl WatchQuery {
    /// All resources of a type in the caller's organization, from now on.
    #[must_use]
    pub fn of(of: TypeKey) -> Self {
        Self {
            of,
            versions: None,
            org: InOrg::Own,
            name_prefix: None,
            labels: BTreeMap::new(),
            filter: None,
            from: None,
        }
    }

    /// The same, from a point on.
    #[must_use]
    pub fn from(mut self, token: Token) -> Self {
        self.from = Some(token);
        self
    }
}

/// What a watcher is told. The token is where to resume from: all that came before it, and this
/// too, was delivered. It never goes back; it may stand still while the watcher is brought up to
/// date after a change of its rights.
#[derive(Clone, Debug)]
pub enum Watched {
    /// Always first: what comes after this is delivered.
    Live(Token),
    /// What one atomic write did, or what a change of rights lets come and go.
    Changes(Token, Vec<WatchedChange>),
    /// Nothing for this watcher up to here: resume from this, it is newer.
    Bookmark(Token),
}

/// What happened to one resource.
#[derive(Clone, Debug)]
pub enum WatchedChange {
    /// It is there, or was changed, or may be seen by now.
    Put(Box<Resource>),
    /// It is gone.
    Deleted {
        /// Which.
        id: Uuid,
        /// The revision that it had.
        revision: Option<Revision>,
    },
    /// It does not match any more, or may no longer be seen. Told again of one that the watcher
    /// does not have it means nothing.
    Left {
        /// Which.
        id: Uuid,
    },
    /// It is there, and can't be shown.
    Quarantined(Quarantined),
}

/// What a watch yields. After an error nothing follows.
pub type WatchStream = BoxStream<'static, Result<Watched, EngineError>>;
