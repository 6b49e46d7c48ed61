//! Views that were computed once: for each revision, version and class of readers, within a bound
//! of bytes.

use crate::error::EngineError;
use bytes::Bytes;
use coeval_core::types::Visibility;
use coeval_core::version::{Uuid, Version};
use coeval_storage::Revision;
use moka::sync::Cache;
use std::sync::Arc;

/// What a view depends on. The class of readers is part of it: without it a cache would leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ViewKey {
    pub(crate) id: Uuid,
    pub(crate) revision: Revision,
    pub(crate) at: Version,
    pub(crate) sees: Visibility,
}

/// A converted or redacted content.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// JSON text.
    pub(crate) content: Bytes,
    /// Pointers to secure fields, in the view's terms.
    pub(crate) secure: Arc<[String]>,
}

/// The views.
#[derive(Debug)]
pub(crate) struct Views(Cache<ViewKey, Shown>);

/// About what an entry takes beside its content.
const OVERHEAD: usize = 160;

impl Views {
    pub(crate) fn new(bytes: u64) -> Self {
        let weigh = |_: &ViewKey, shown: &Shown| {
            let secure: usize = shown.secure.iter().map(|one| one.len() + 24).sum();
            u32::try_from(shown.content.len() + secure + OVERHEAD).unwrap_or(u32::MAX)
        };
        Self(Cache::builder().max_capacity(bytes).weigher(weigh).build())
    }

    /// The view, computed if it is not there; only once, however many ask at the same time.
    pub(crate) fn get(
        &self,
        key: ViewKey,
        compute: impl FnOnce() -> Result<Shown, EngineError>,
    ) -> Result<Shown, EngineError> {
        self.0
            .try_get_with(key, compute)
            .map_err(|error: Arc<EngineError>| (*error).clone())
    }
}
