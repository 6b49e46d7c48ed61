//! Answers that were encoded once: for each view and form, within a bound of bytes. A thousand
//! watchers of one form cost one encoding.

use bytes::Bytes;
use coeval_core::types::Visibility;
use coeval_core::version::{MarkedVersion, Uuid};
use coeval_storage::{Revision, UnixMillis};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::hash::Hash;

/// What an encoding depends on. The class of readers is part of it: without it a cache would leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EncodingKey {
    pub id: Uuid,
    pub revision: Revision,
    pub version: MarkedVersion,
    pub class: Visibility,
    /// Moves without a new revision.
    pub expires: Option<UnixMillis>,
    pub form: u64,
}

/// The encodings.
#[derive(Debug)]
pub struct Encodings(pub(crate) Cache<EncodingKey, Bytes, Weight>);

/// About what an entry takes beside its bytes.
const OVERHEAD: usize = 160;
/// About what an entry takes in all; only a guess for the cache's tables.
const USUAL: u64 = 2_048;

#[derive(Clone, Debug)]
pub(crate) struct Weight;

impl Weighter<EncodingKey, Bytes> for Weight {
    fn weight(&self, _: &EncodingKey, encoded: &Bytes) -> u64 {
        (encoded.len() + OVERHEAD) as u64
    }
}

impl Encodings {
    pub fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries.max(1), bytes, Weight))
    }
}
