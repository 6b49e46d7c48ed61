//! How the engine is set up, for all layers at once.

use coeval_catalog::catalog::CatalogSettings;
use coeval_catalog::kinds::OwnKinds;
use coeval_core::phases::Phase;
use coeval_core::version::Version;
use coeval_records::keys::TypeKey;
use coeval_records::records::RecordSettings;
use coeval_records::seal::keyring::Keyring;
use coeval_resources::caches::identity::IdentitySettings;
use coeval_resources::executor::Executor;
use coeval_resources::resources::ResourceSettings;
use coeval_storage::Clock;
use std::collections::HashMap;
use std::sync::Arc;

/// How the engine is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of converted views that are kept in memory.
    pub view_bytes: u64,
    /// Bytes of encoded views that are kept in memory.
    pub encoding_bytes: u64,
    /// How many earlier revisions of a resource are kept.
    pub history: u64,
    /// How long records of what was done are kept.
    pub audit_days: u32,
    /// The newest versions that this server is to know, by type (`--emulate`).
    pub emulate: HashMap<TypeKey, Version>,
    /// The phases that this server is to work at, by type (`COEVAL_PHASES`).
    pub phases: HashMap<TypeKey, Phase>,
    /// The keys for secure fields; without them secure fields are refused.
    pub keyring: Option<Arc<Keyring>>,
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Passwords, sessions and logins.
    pub identity: IdentitySettings,
    /// What runs behaviors, one for each kind of execution beside `noop`.
    pub executors: Vec<Arc<dyn Executor>>,
    /// What this release knows of the engine's own kinds.
    pub own_kinds: OwnKinds,
}

impl Default for Settings {
    fn default() -> Self {
        let RecordSettings {
            clock,
            keyring,
            history,
            audit_days,
        } = RecordSettings::default();
        let CatalogSettings {
            emulate,
            phases,
            own_kinds,
        } = CatalogSettings::default();
        let ResourceSettings {
            view_bytes,
            encoding_bytes,
            identity,
            executors,
        } = ResourceSettings::default();
        Self {
            view_bytes,
            encoding_bytes,
            history,
            audit_days,
            emulate,
            phases,
            keyring,
            clock,
            identity,
            executors,
            own_kinds,
        }
    }
}

impl Settings {
    /// What each layer gets of them.
    pub(crate) fn layers(self) -> (RecordSettings, CatalogSettings, ResourceSettings) {
        let records = RecordSettings {
            clock: self.clock,
            keyring: self.keyring,
            history: self.history,
            audit_days: self.audit_days,
        };
        let catalog = CatalogSettings {
            emulate: self.emulate,
            phases: self.phases,
            own_kinds: self.own_kinds,
        };
        let resources = ResourceSettings {
            view_bytes: self.view_bytes,
            encoding_bytes: self.encoding_bytes,
            identity: self.identity,
            executors: self.executors,
        };
        (records, catalog, resources)
    }
}
