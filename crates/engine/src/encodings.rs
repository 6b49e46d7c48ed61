//! Answers that were encoded once: for each view and form, within a bound of bytes. A thousand
//! watchers of one form cost one encoding.

use crate::engine::Engine;
use crate::resource::Resource;
use bytes::Bytes;
use coeval_core::types::Visibility;
use coeval_core::version::{MarkedVersion, Uuid};
use coeval_storage::{Revision, UnixMillis};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What an encoding depends on. The class of readers is part of it: without it a cache would leak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct EncodingKey {
    id: Uuid,
    revision: Revision,
    version: MarkedVersion,
    class: Visibility,
    /// Moves without a new revision.
    expires: Option<UnixMillis>,
    form: u64,
}

/// The encodings.
#[derive(Debug)]
pub(crate) struct Encodings(Cache<EncodingKey, Bytes, Weight>);

/// About what an entry takes beside its bytes.
const OVERHEAD: usize = 160;
/// About what an entry takes in all; only a guess for the cache's tables.
const USUAL: u64 = 2_048;

#[derive(Clone, Debug)]
struct Weight;

impl Weighter<EncodingKey, Bytes> for Weight {
    fn weight(&self, _: &EncodingKey, encoded: &Bytes) -> u64 {
        (encoded.len() + OVERHEAD) as u64
    }
}

impl Encodings {
    pub(crate) fn new(bytes: u64) -> Self {
        let entries = usize::try_from(bytes / USUAL).unwrap_or(usize::MAX);
        Self(Cache::with_weighter(entries.max(1), bytes, Weight))
    }
}

impl Engine {
    /// A resource in some form (all that tells the form from others, such as the API's name first),
    /// encoded by `make` if nobody did: once, however many ask at the same time. What `make` writes
    /// may depend on the form and on all of the resource but its `level` and its `token`, which
    /// differ from reader to reader.
    pub fn encoded(
        &self,
        resource: &Resource,
        form: impl Hash,
        make: impl FnOnce(&Resource) -> Bytes,
    ) -> Bytes {
        let mut hasher = DefaultHasher::new();
        form.hash(&mut hasher);
        let key = EncodingKey {
            id: resource.id,
            revision: resource.revision,
            version: resource.version,
            class: resource.class(),
            expires: resource.expires,
            form: hasher.finish(),
        };
        let made = self
            .encodings
            .0
            .get_or_insert_with(&key, || Ok::<_, Infallible>(make(resource)));
        match made {
            Ok(encoded) => encoded,
            Err(never) => match never {},
        }
    }
}
