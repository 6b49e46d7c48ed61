//! How one listing is looked at: who asks, what it covers, what is wanted of it.

use crate::caches::place::Place;
use crate::list::scope::{Scope, Source};
use crate::quarantined::Quarantined;
use crate::resource::Resource;
use crate::resources::Resources;
use coeval_catalog::caller::Caller;
use coeval_core::version::{Uuid, Version};
use coeval_filter::{CompiledFilter, Filter, SortOrder};
use coeval_storage::StoredEntry;

/// One listing.
#[derive(Debug)]
pub(crate) struct Look<'a> {
    pub resources: &'a Resources,
    pub caller: &'a Caller,
    pub scope: Scope,
    pub filter: Option<(&'a Filter, CompiledFilter)>,
    /// None: by id.
    pub order: Option<&'a SortOrder>,
    /// Whether the records of neighbours in the listing have been neighbours so far.
    pub dense: bool,
    /// Whether the filter or the order looks at names that are behind ids.
    pub needs_names: bool,
}

impl Look<'_> {
    /// Whether the type of a source is in migration.
    pub(crate) fn is_migrating(&self, source: usize) -> bool {
        let source = self.scope.sources.get(source);
        source.is_some_and(|source| !matches!(source.state.reading(), Ok(None)))
    }

    /// What the ids of a source begin with.
    pub(crate) fn id_start(&self, source: usize) -> String {
        let source = self.scope.sources.get(source);
        source.map_or(String::new(), Source::id_start)
    }
}

/// A resource that may belong to the listing.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// The number of its type among the sources.
    pub source: usize,
    pub id: Uuid,
    /// The version that an index has for it.
    pub version: Option<Version>,
    pub stands: Stands,
    /// What is stored, if it was read already.
    pub entry: Option<StoredEntry>,
}

/// Where a candidate was found in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// By its id.
    Id,
    /// By its key in the index of the order.
    Index(Vec<u8>),
    /// By what it was sorted by.
    Sorted(Vec<u8>),
}

/// One place of a listing.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The number of its type among the sources.
    pub source: usize,
    pub place: Place,
    pub shown: Result<Box<Resource>, Quarantined>,
}

impl Outcome {
    /// Bytes of content.
    pub(crate) fn size(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.content.len())
    }
}

/// The next candidates.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub candidates: Vec<Candidate>,
    /// They stand at one key of an index that is cut: to be sorted among themselves.
    pub unsorted: bool,
    /// Nothing follows.
    pub end: bool,
}
