//! The types that this server has loaded. What is loaded is compared with the phase record that is
//! read together with every resource, so no server ever works with an outdated definition.
//!
//! Nothing is invalidated by messages, and nothing grows old. Every change of a definition, of what
//! is noted with one, such as its ACL, or of a phase rewrites the phase record of its type in the
//! same atomic write. Whoever decides something has read that record in the snapshot of the
//! decision, or writes on condition that it is unchanged; where its revision is not the one that
//! the type was loaded with, the type is loaded again. What is loaded in between only says what to
//! read.

use crate::kinds::OwnKinds;
use crate::types::annotations::StoredAnnotations;
use crate::types::definition::Definition;
use crate::types::phase;
use crate::types::state::TypeState;
use crate::types::typed::{self, StoredTyped};
use coeval_core::phases::Phase;
use coeval_core::version::Version;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{DynStore, Key, ReadRange, ReadRequest, StoredValue};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

/// How often a type is read again because it changed while it was read.
const READINGS: usize = 20;

/// The loaded types.
#[derive(Debug)]
pub struct Registry {
    store: DynStore,
    loaded: RwLock<HashMap<TypeKey, Arc<TypeState>>>,
    caps: HashMap<TypeKey, Version>,
    /// The phases that this server is to work at.
    asked: HashMap<TypeKey, Phase>,
    /// What this release knows of the engine's own kinds.
    own: OwnKinds,
}

impl Registry {
    pub fn new(
        store: DynStore,
        caps: HashMap<TypeKey, Version>,
        asked: HashMap<TypeKey, Phase>,
        own: OwnKinds,
    ) -> Self {
        Self {
            store,
            loaded: RwLock::default(),
            caps,
            asked,
            own,
        }
    }

    /// What this release knows of the engine's own kinds.
    pub const fn own(&self) -> &OwnKinds {
        &self.own
    }

    /// The newest version that this server is to know of a type: of its own kinds no more than its
    /// release has, whatever is in the store.
    pub fn cap(&self, of: &TypeKey) -> Option<Version> {
        let told = self.caps.get(of).copied();
        told.into_iter().chain(self.own.newest(of)).min()
    }

    /// What is loaded, whether or not it is still so.
    pub fn loaded(&self, of: &TypeKey) -> Option<Arc<TypeState>> {
        let loaded = self.loaded.read().unwrap_or_else(PoisonError::into_inner);
        loaded.get(of).cloned()
    }

    /// The type, read from the store if it was not yet.
    pub async fn get(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        match self.loaded(of) {
            Some(state) => Ok(state),
            None => self.load(of).await,
        }
    }

    /// The type as it is in the store now.
    pub async fn current(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        if let Some(state) = self.loaded(of) {
            // One small read, in place of all definitions.
            let request = ReadRequest::keys([state.phase_key.clone()]);
            let snapshot = self.store.read(request).await?;
            let found = snapshot.keys.into_iter().next().flatten();
            if found.and_then(|entry| entry.stored.revision()) == Some(state.phase_revision) {
                return Ok(state);
            }
        }
        self.load(of).await
    }

    /// Reads the type. A type whose phase record is gone is unknown.
    pub async fn load(&self, of: &TypeKey) -> Result<Arc<TypeState>, EngineError> {
        let mut attempts = Attempts::at_most(READINGS);
        loop {
            attempts.begin()?;
            let Some(state) = self.read(of).await? else {
                continue;
            };
            let state = Arc::new(state);
            // A slow load may put back an older state: the next read notices, and loads again.
            let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
            loaded.insert(of.clone(), Arc::clone(&state));
            return Ok(state);
        }
    }

    /// `None` if it changed between two pages.
    async fn read(&self, of: &TypeKey) -> Result<Option<TypeState>, EngineError> {
        let phase_key = keys::phase(of)?;
        let mut range = Some(ReadRange::of(keys::type_versions(of)?));
        let package_key = typed::name_of(of).map(|name| keys::package(&name.base()));
        let package_key = package_key.transpose()?;
        let mut ledgers = Some(ReadRange::of(keys::ledgers(of)?));
        let mut notices = Some(ReadRange::of(keys::all_annotations(of)?));
        let mut annotated: Vec<(Version, StoredAnnotations)> = Vec::new();
        let mut said = StoredTyped::default();
        let mut found: Vec<Definition> = Vec::new();
        let mut unreadable: Vec<Version> = Vec::new();
        let mut first = None;
        loop {
            // With each page: if the phase record changes in between, the pages don't belong
            // together.
            let own = std::iter::once(phase_key.clone()).chain(package_key.clone());
            let mut request = ReadRequest::keys(own);
            let asked = [&range, &ledgers, &notices].map(Option::is_some);
            for range in range.iter().chain(&ledgers).chain(&notices) {
                request = request.and_range(range.clone());
            }
            let snapshot = self.store.read(request).await?;
            let mut own = snapshot.keys.into_iter();
            let entry = own.next().flatten();
            said.note_claim(own.next().flatten().as_ref());
            let Some(entry) = entry else {
                // Deleted: nobody is to get it from memory any more.
                self.forget(of);
                return Err(EngineError::TypeUnknown { of: of.clone() });
            };
            let record = entry.into_record()?;
            let revision = record.revision;
            match &first {
                Some((before, _)) if *before != revision => return Ok(None),
                Some(_) => {}
                None => {
                    let phase = phase::decode(&record.content.body);
                    let phase = phase.ok_or_else(|| EngineError::TypeRefused {
                        what: format!("the phase record of {of} can't be read"),
                    })?;
                    first = Some((revision, phase));
                }
            }
            let mut pages = snapshot.pages.into_iter();
            let mut next = |asked: bool| asked.then(|| pages.next()).flatten().unwrap_or_default();
            let [page, numbers, notes] = asked.map(&mut next);
            for entry in &notes.entries {
                if let Some(version) = version_of(&entry.key) {
                    annotated.extend(StoredAnnotations::decode(entry).map(|one| (version, one)));
                }
            }
            notices = notices.and_then(|range| range.following(&notes));
            numbers.entries.iter().for_each(|entry| said.note(entry));
            ledgers = ledgers.and_then(|range| range.following(&numbers));
            for entry in &page.entries {
                let Some(version) = version_of(&entry.key) else {
                    tracing::error!(key = %entry.key, "a type version without a version");
                    continue;
                };
                let definition = match &entry.stored {
                    StoredValue::Record(record) => Definition::decode(version, record),
                    StoredValue::Damaged { damage, .. } => Err(EngineError::TypeRefused {
                        what: damage.to_string(),
                    }),
                };
                match definition {
                    Ok(definition) => found.push(definition),
                    // It is unknown here, and its resources are told as such: one bad definition
                    // never hides the others.
                    Err(error) => {
                        tracing::error!(key = %entry.key, %error, "a type version can't be read");
                        unreadable.push(version);
                    }
                }
            }
            range = range.and_then(|range| range.following(&page));
            if range.is_none() && ledgers.is_none() && notices.is_none() {
                break;
            }
        }
        let Some((revision, phase)) = first else {
            return Ok(None);
        };
        // They name their registration: those that a deleted version left behind say nothing.
        for (version, stored) in annotated {
            if let Some(definition) = found.iter_mut().find(|one| one.version == version) {
                definition.annotations = stored.of(&definition.meta);
            }
        }
        let cap = self.cap(of);
        let asked = self.asked.get(of).copied();
        let of = of.clone();
        TypeState::new(of, phase, revision, found, &unreadable, &said, cap, asked).map(Some)
    }

    fn forget(&self, of: &TypeKey) {
        let mut loaded = self.loaded.write().unwrap_or_else(PoisonError::into_inner);
        loaded.remove(of);
    }

    /// The names of all types, a page of them.
    pub async fn names(&self) -> Result<Vec<TypeKey>, EngineError> {
        let mut range = ReadRange::of(keys::all_phases()?);
        let mut names = Vec::new();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            names.extend(
                page.entries
                    .iter()
                    .filter_map(|e| keys::type_of_phase(&e.key)),
            );
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(names),
            }
        }
    }
}

fn version_of(key: &Key) -> Option<Version> {
    let last = key.as_bytes().rsplit(|byte| *byte == b'/').next()?;
    Version::parse_full(std::str::from_utf8(last).ok()?).ok()
}
