//! The resources of a store, on top of its types, with what was computed of them once.

use crate::caches::acls::KnownAcls;
use crate::caches::encodings::Encodings;
use crate::caches::hints::Hints;
use crate::caches::identity::{Identity, IdentitySettings};
use crate::caches::lists::Lists;
use crate::caches::pulse::Pulse;
use crate::caches::repairs::Repairs;
use crate::caches::views::Views;
use crate::executor::Executor;
use coeval_catalog::catalog::Catalog;
use std::ops::Deref;
use std::sync::Arc;

/// What is remembered of resources, and what runs their behaviors.
#[derive(Clone, Debug)]
pub struct ResourceSettings {
    /// Bytes of converted views that are kept in memory.
    pub view_bytes: u64,
    /// Bytes of encoded views that are kept in memory.
    pub encoding_bytes: u64,
    /// Passwords, sessions and logins.
    pub identity: IdentitySettings,
    /// What runs behaviors, one for each kind of execution beside `noop`.
    pub executors: Vec<Arc<dyn Executor>>,
}

impl Default for ResourceSettings {
    fn default() -> Self {
        Self {
            view_bytes: 64 * 1024 * 1024,
            encoding_bytes: 32 * 1024 * 1024,
            identity: IdentitySettings::default(),
            executors: Vec::new(),
        }
    }
}

/// The resources of a store, on top of its types.
#[derive(Debug)]
pub struct Resources {
    pub catalog: Catalog,
    pub views: Views,
    pub identity: Identity,
    pub identity_settings: IdentitySettings,
    pub executors: Vec<Arc<dyn Executor>>,
    pub lists: Lists,
    pub hints: Hints,
    pub encodings: Encodings,
    pub acls: KnownAcls,
    pub repairs: Repairs,
    /// How long callers wait for the store.
    pub pulse: Pulse,
}

impl Deref for Resources {
    type Target = Catalog;

    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}

impl Resources {
    /// On top of the types of a store.
    #[must_use]
    pub fn new(catalog: Catalog, settings: ResourceSettings) -> Self {
        Self {
            catalog,
            views: Views::new(settings.view_bytes),
            identity: Identity::new(&settings.identity),
            identity_settings: settings.identity,
            executors: settings.executors,
            lists: Lists::new(),
            hints: Hints::new(),
            encodings: Encodings::new(settings.encoding_bytes),
            acls: KnownAcls::default(),
            repairs: Repairs::default(),
            pulse: Pulse::default(),
        }
    }
}
