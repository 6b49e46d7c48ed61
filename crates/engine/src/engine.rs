//! The engine: one store, the types that are loaded from it, and what was computed once.

use crate::attempts::Attempts;
use crate::encodings::Encodings;
use crate::error::EngineError;
use crate::header::Time;
use crate::hints::Hints;
use crate::identity::{Identity, IdentitySettings};
use crate::keys::{self, TypeKey};
use crate::kinds::OwnKinds;
use crate::lifecycle::Executor;
use crate::list::Lists;
use crate::migrations::{Pulse, Tallies};
use crate::pairs::{Pair, Repairs};
use crate::seal::Keyring;
use crate::stored::Stored;
use crate::types::called::Names;
use crate::types::packages::Packages;
use crate::types::registry::Registry;
use crate::types::state::TypeState;
use crate::views::Views;
use crate::watch::KnownAcls;
use coeval_core::phases::Phase;
use coeval_core::version::{Uuid, Version};
use coeval_storage::{
    AtomicWrite, Clock, CommittedWrite, DynStore, Key, ReadRequest, ReadSnapshot, StorageError,
    StoredEntry, SystemClock, Token,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;

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
        Self {
            view_bytes: 64 * 1024 * 1024,
            encoding_bytes: 32 * 1024 * 1024,
            history: 20,
            audit_days: 90,
            emulate: HashMap::new(),
            phases: HashMap::new(),
            keyring: None,
            clock: Arc::new(SystemClock::default()),
            identity: IdentitySettings::default(),
            executors: Vec::new(),
            own_kinds: OwnKinds::default(),
        }
    }
}

/// The engine.
#[derive(Debug)]
pub struct Engine {
    pub(crate) store: DynStore,
    pub(crate) types: Registry,
    pub(crate) views: Views,
    pub(crate) settings: Settings,
    pub(crate) identity: Identity,
    pub(crate) lists: Lists,
    pub(crate) names: Names,
    pub(crate) hints: Hints,
    pub(crate) packages: Packages,
    pub(crate) encodings: Encodings,
    pub(crate) acls: KnownAcls,
    pub(crate) repairs: Repairs,
    /// How long callers wait for the store.
    pub(crate) pulse: Pulse,
    /// How many records types had lately, for those who look on.
    pub(crate) tallies: Tallies,
    /// The level up to which records may be written, as far as is known here. It never falls, so
    /// one that is behind is only modest.
    pub(crate) level: AtomicU8,
}

/// A resource, read in one snapshot with its type's phase record.
pub(crate) struct Fetched {
    pub(crate) state: Arc<TypeState>,
    pub(crate) token: Token,
    /// The key that it was found under.
    pub(crate) key: Key,
    pub(crate) stored: Option<Stored>,
    /// Both of its records, if its type is in migration and it is of one of the two majors.
    pub(crate) pair: Option<Pair>,
    /// What else was asked for.
    pub(crate) extra: ReadSnapshot,
}

impl Fetched {
    /// From the phase record and the records at each major, as they were read; nothing if the type
    /// is not as it was loaded.
    pub(crate) fn found(
        state: &Arc<TypeState>,
        id: Uuid,
        own: Vec<Option<StoredEntry>>,
        token: Token,
        extra: ReadSnapshot,
    ) -> Result<Option<Self>, EngineError> {
        let mut own = own.into_iter();
        let phase = own.next().flatten();
        if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
            return Ok(None);
        }
        let part = state.reading()?;
        let mut pair = part.map(|part| Pair::absent(*part));
        let mut elsewhere = None;
        for (major, entry) in state.majors.iter().zip(own) {
            let Some(entry) = entry else { continue };
            let key = entry.key.clone();
            let stored = Stored::decode(id, &entry.into_record()?)?;
            match (&mut pair, part) {
                (Some(pair), Some(part)) if *major == part.migration.from => {
                    pair.old = Some(stored);
                }
                (Some(pair), Some(part)) if *major == part.migration.to => {
                    pair.new = Some(stored);
                }
                _ => {
                    elsewhere.get_or_insert((key, stored));
                }
            }
        }
        let pair = pair.filter(|pair| elsewhere.is_none() || pair.read().0.is_some());
        let found = match &pair {
            None => elsewhere,
            Some(pair) => match pair.read().0 {
                None => None,
                Some(stored) => {
                    let major = stored.header.version.major;
                    Some((keys::record(&state.key, major, id)?, stored.clone()))
                }
            },
        };
        let (key, stored) = match found {
            None => (keys::record(&state.key, 0, id)?, None),
            Some((key, stored)) => (key, Some(stored)),
        };
        Ok(Some(Self {
            state: Arc::clone(state),
            token,
            key,
            stored,
            pair,
            extra,
        }))
    }

    /// The record that writes are put onto, in place of the one that reads are answered from.
    pub(crate) fn turn_to_truth(&mut self) -> Result<(), EngineError> {
        if let Some(truth) = self.pair.as_ref().and_then(Pair::truth) {
            let major = truth.header.version.major;
            self.key = keys::record(&self.state.key, major, truth.id)?;
            self.stored = Some(truth.clone());
        }
        Ok(())
    }
}

impl Engine {
    /// On a store.
    #[must_use]
    pub fn new(store: DynStore, settings: Settings) -> Self {
        Self {
            types: Registry::new(
                Arc::clone(&store),
                settings.emulate.clone(),
                settings.phases.clone(),
                settings.own_kinds.clone(),
            ),
            views: Views::new(settings.view_bytes),
            identity: Identity::new(&settings.identity),
            lists: Lists::new(),
            encodings: Encodings::new(settings.encoding_bytes),
            acls: KnownAcls::default(),
            repairs: Repairs::default(),
            pulse: Pulse::default(),
            tallies: Tallies::default(),
            level: AtomicU8::new(1),
            store,
            settings,
            names: Names::default(),
            hints: Hints::new(),
            packages: Packages::new(),
        }
    }

    /// The store below.
    #[must_use]
    pub fn store(&self) -> &DynStore {
        &self.store
    }

    pub(crate) fn now(&self) -> Time {
        self.settings.clock.now().0
    }

    /// A type as it is in the store now.
    ///
    /// # Errors
    /// If there is none, or the store fails.
    pub async fn type_state(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        self.types.current(of).await
    }

    /// Reads a resource in one snapshot with its type's phase record, and whatever else. A type
    /// that changed since it was loaded is loaded again first.
    pub(crate) async fn fetch(
        &self,
        of: &TypeKey,
        id: Uuid,
        extra: ReadRequest,
    ) -> Result<Fetched, EngineError> {
        let mut state = self.types.get(of).await?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let mut request = extra.clone();
            let asked = request.keys.len();
            request.keys.push(state.phase_key.clone());
            for major in &state.majors {
                request.keys.push(keys::record(of, *major, id)?);
            }
            let mut snapshot = self.store.read(request).await?;
            let own = snapshot.keys.split_off(asked);
            match Fetched::found(&state, id, own, snapshot.token, snapshot)? {
                Some(fetched) => return Ok(fetched),
                None => state = self.types.load(of).await?,
            }
        }
    }

    /// Writes. If nobody knows whether it happened, the record at `head` tells.
    pub(crate) async fn commit(
        &self,
        head: &Key,
        write: AtomicWrite,
    ) -> Result<CommittedWrite, StorageError> {
        match self.store.atomic_write(write).await {
            Err(StorageError::UnknownOutcome { revision, reason }) => {
                let found = self.store.read(ReadRequest::keys([head.clone()])).await;
                let unknown = StorageError::UnknownOutcome { revision, reason };
                let snapshot = found.map_err(|_| unknown.clone())?;
                let entry = snapshot.keys.into_iter().next().flatten();
                match entry.and_then(|entry| entry.stored.revision()) {
                    Some(found) if found == revision => Ok(CommittedWrite {
                        token: snapshot.token,
                        revision,
                    }),
                    _ => Err(unknown),
                }
            }
            other => other,
        }
    }
}

/// A new id.
pub(crate) fn draw_id() -> Result<Uuid, EngineError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
    // Version 4, variant 1.
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62);
    Ok(Uuid(bits | 4 << 76 | 2 << 62))
}
