//! The types of a store, as this server has loaded them.

use crate::kinds::OwnKinds;
use crate::types::names::Names;
use crate::types::packages::Packages;
use crate::types::registry::Registry;
use crate::types::state::TypeState;
use coeval_core::phases::Phase;
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use coeval_records::keys::TypeKey;
use coeval_records::records::Records;
use std::collections::HashMap;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

/// Which versions and phases this server works with.
#[derive(Clone, Debug, Default)]
pub struct CatalogSettings {
    /// The newest versions that this server is to know, by type (`--emulate`).
    pub emulate: HashMap<TypeKey, Version>,
    /// The phases that this server is to work at, by type (`COEVAL_PHASES`).
    pub phases: HashMap<TypeKey, Phase>,
    /// What this release knows of the engine's own kinds.
    pub own_kinds: OwnKinds,
}

/// The types of a store, on top of its records.
#[derive(Debug)]
pub struct Catalog {
    records: Records,
    pub types: Registry,
    pub names: Names,
    pub packages: Packages,
    /// The newest versions that this server is to know, by type.
    pub emulate: HashMap<TypeKey, Version>,
    /// The phases that this server is to work at, by type.
    pub phases: HashMap<TypeKey, Phase>,
    /// The level up to which records may be written, as far as is known here. It never falls, so
    /// one that is behind is only modest.
    pub level: AtomicU8,
}

impl Deref for Catalog {
    type Target = Records;

    fn deref(&self) -> &Records {
        &self.records
    }
}

impl Catalog {
    /// On top of the records of a store.
    #[must_use]
    pub fn new(records: Records, settings: CatalogSettings) -> Self {
        let CatalogSettings {
            emulate,
            phases,
            own_kinds,
        } = settings;
        let store = Arc::clone(&records.store);
        Self {
            types: Registry::new(store, emulate.clone(), phases.clone(), own_kinds),
            names: Names::default(),
            packages: Packages::new(),
            emulate,
            phases,
            level: AtomicU8::new(1),
            records,
        }
    }

    /// A type as it is in the store now.
    ///
    /// # Errors
    /// If there is none, or the store fails.
    pub async fn type_state(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        self.types.current(of).await
    }
}
