//! Answers in the form that an API sends them, encoded once for all who get the same.

use crate::caches::encodings::EncodingKey;
use crate::resource::Resource;
use crate::resources::Resources;
use bytes::Bytes;
use std::convert::Infallible;
use std::hash::{DefaultHasher, Hash, Hasher};

impl Resources {
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
