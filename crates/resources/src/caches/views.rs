//! Views that were computed once: for each revision, version and class of readers, within a bound
//! of bytes.

use bytes::Bytes;
use coeval_core::convert::KeptPlace;
use coeval_core::types::{ContentError, Visibility};
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_storage::Revision;
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::sync::Arc;

/// What a view depends on. The class of readers is part of it: without it a cache would leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewKey {
    pub id: Uuid,
    pub revision: Revision,
    pub at: Version,
    pub sees: Visibility,
}

/// A converted or redacted content.
#[derive(Clone, Debug)]
pub struct Shown {
    /// JSON text.
    pub content: Bytes,
    /// Pointers to secure fields, in the view's terms.
    pub secure: Arc<[String]>,
    /// What it does not show and higher versions can.
    pub hidden: Arc<[KeptPlace]>,
}

/// The views. (Most views of a large store are computed, looked at once and forgotten: a cache that
/// thinks long about what to keep would cost more than it saves.)
#[derive(Debug)]
pub struct Views(Cache<ViewKey, Fitting, Weight>);

/// A view, or what of it does not fit the version that it would claim.
pub(crate) type Fitting = Result<Shown, Arc<ContentError>>;

/// About what an entry takes beside its content.
const OVERHEAD: usize = 160;
/// About what an entry takes in all; only a guess for the cache's tables.
const USUAL: u64 = 2_048;

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<ViewKey, Fitting> for Weight {
    fn weight(&self, _: &ViewKey, view: &Fitting) -> u64 {
        let bytes: usize = match view {
            Ok(shown) => {
                let secure: usize = shown.secure.iter().map(|one| one.len() + 24).sum();
                let hidden: usize = shown.hidden.iter().map(|one| one.path.len() + 56).sum();
                shown.content.len() + secure + hidden
            }
            Err(error) => {
                let texts = error.violations().iter();
                texts
                    .map(|one| one.pointer.len() + one.sentence.len() + 48)
                    .sum()
            }
        };
        (bytes + OVERHEAD) as u64
    }
}

impl Views {
    pub fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries.max(1), bytes, Weight))
    }

    /// The view, computed if it is not there; only once, however many ask at the same time.
    pub fn get(
        &self,
        key: ViewKey,
        compute: impl FnOnce() -> Result<Fitting, EngineError>,
    ) -> Result<Fitting, EngineError> {
        self.0.get_or_insert_with(&key, compute)
    }
}
