//! How one listing is looked at: who asks, what it covers, what is wanted of it.

use super::place::Place;
use super::scope::{Scope, Source};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::resource::{Quarantined, Resource};
use coeval_core::version::{Uuid, Version};
use coeval_filter::{CompiledFilter, Filter, SortOrder};
use coeval_storage::StoredEntry;

/// One listing.
#[derive(Debug)]
pub(super) struct Look<'a> {
    pub(super) engine: &'a Engine,
    pub(super) caller: &'a Caller,
    pub(super) scope: Scope,
    pub(super) filter: Option<(&'a Filter, CompiledFilter)>,
    /// None: by id.
    pub(super) order: Option<&'a SortOrder>,
    /// Whether the records of neighbours in the listing have been neighbours so far.
    pub(super) dense: bool,
    /// Whether the filter or the order looks at names that are behind ids.
    pub(super) needs_names: bool,
}

impl Look<'_> {
    /// Whether the type of a source is in migration.
    pub(super) fn is_migrating(&self, source: usize) -> bool {
        let source = self.scope.sources.get(source);
        source.is_some_and(|source| !matches!(source.state.reading(), Ok(None)))
    }

    /// What the ids of a source begin with.
    pub(super) fn id_start(&self, source: usize) -> String {
        let source = self.scope.sources.get(source);
        source.map_or(String::new(), Source::id_start)
    }
}

/// A resource that may belong to the listing.
#[derive(Debug)]
pub(super) struct Candidate {
    /// The number of its type among the sources.
    pub(super) source: usize,
    pub(super) id: Uuid,
    /// The version that an index has for it.
    pub(super) version: Option<Version>,
    pub(super) stands: Stands,
    /// What is stored, if it was read already.
    pub(super) entry: Option<StoredEntry>,
}

/// Where a candidate was found in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// By its id.
    Id,
    /// By its key in the index of the order.
    Index(Vec<u8>),
    /// By what it was sorted by.
    Sorted(Vec<u8>),
}

/// One place of a listing.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The number of its type among the sources.
    pub(super) source: usize,
    pub(super) place: Place,
    pub(super) shown: Result<Box<Resource>, Quarantined>,
}

impl Outcome {
    /// Bytes of content.
    pub(super) fn size(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.content.len())
    }
}

/// The next candidates.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) candidates: Vec<Candidate>,
    /// They stand at one key of an index that is cut: to be sorted among themselves.
    pub(super) unsorted: bool,
    /// Nothing follows.
    pub(super) end: bool,
}
