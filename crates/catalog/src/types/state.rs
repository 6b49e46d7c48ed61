//! All that this server knows of one type, compiled once for each change of its definitions.

use crate::kinds;
use crate::types::definition::Definition;
use crate::types::fit::FitProofs;
use crate::types::part::Part;
use crate::types::phase;
use crate::types::typed::{StoredTyped, Typed};
use coeval_core::convert::Versions;
use coeval_core::phases::{Phase, PhaseRecord, PhaseRefusal};
use coeval_core::types::{TypeVersion, Visibility};
use coeval_core::version::{KnownVersions, Version};
use coeval_records::encode::EncodeError;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, Key, RecordPut, Revision, WriteAction, WriteCondition};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One type, as it was when its phase record had a revision.
#[derive(Debug)]
pub struct TypeState {
    pub key: TypeKey,
    pub phase_key: Key,
    pub phase: PhaseRecord,
    /// Rewritten with every change of a definition.
    pub phase_revision: Revision,
    /// How this server takes part in its migration, if there is one; or why it may not serve it.
    part: Option<Result<Part, PhaseRefusal>>,
    /// Of an own kind: the newest version that its resources may be stored at.
    pub open: Option<Version>,
    /// Of an own kind: the newest that this server knows, if more is open.
    behind: Option<Version>,
    pub definitions: BTreeMap<Version, Definition>,
    /// Versions that nobody sees: links of the path between others.
    pub retired: BTreeMap<Version, Definition>,
    /// Whether there is a definition that this server can't load: nobody knows what it needs.
    pub has_unknown: bool,
    /// With the retired ones; what may be read and written is in `known`.
    pub versions: Arc<Versions>,
    /// Which of their views need not be looked at.
    pub proofs: Arc<FitProofs>,
    pub known: KnownVersions,
    /// Of all definitions, also of those that this server can't load.
    pub majors: Vec<u32>,
    /// Versions with a field that is not for everybody.
    restricted: BTreeSet<Version>,
    /// Whether some version has a secure field.
    pub has_secure: bool,
    /// How it is said in protobuf.
    pub typed: Typed,
}

impl TypeState {
    /// Puts together what was read; resources may be stored at `unreadable` versions too. `cap`: behave as a server that knows nothing newer; `asked`: the phase that this server is to work at.
    #[expect(
        clippy::too_many_arguments,
        reason = "all of them are what a type is made of"
    )]
    pub fn new(
        key: TypeKey,
        (phase, open): (PhaseRecord, Option<Version>),
        phase_revision: Revision,
        definitions: Vec<Definition>,
        unreadable: &[Version],
        typed: &StoredTyped,
        cap: Option<Version>,
        asked: Option<Phase>,
    ) -> Result<Self, EngineError> {
        let mut definitions: BTreeMap<Version, Definition> = definitions
            .into_iter()
            .map(|one| (one.version, one))
            .collect();
        for definition in definitions.values_mut() {
            // As in an older release: it is registered, and can't be loaded.
            if cap.is_some_and(|cap| definition.version > cap) {
                definition.loaded = Err("this server is told to know nothing newer".to_owned());
            }
        }
        let versions = Arc::new(load(&mut definitions)?);
        // After all are compiled: conversions still pass over retired versions.
        let retired: BTreeMap<Version, Definition> = definitions
            .extract_if(.., |_, definition| definition.meta.retired)
            .collect();
        let shown = || {
            let all = versions.iter().map(|version| version.id.version);
            all.filter(|version| !retired.contains_key(version))
        };
        let known: KnownVersions = shown().collect();
        let known_versions: Vec<Version> = shown().collect();
        let unloaded = |one: &Definition| one.loaded.is_err();
        let has_unknown = !unreadable.is_empty() || definitions.values().any(unloaded);
        // Also those that can't be loaded: resources are stored at their majors and have to be
        // found.
        let versions_there = definitions.keys().chain(unreadable);
        let majors: BTreeSet<u32> = versions_there.map(|version| version.major).collect();
        let restricted_versions = versions.iter().filter_map(|version| {
            let paths = version.schema.restricted_paths();
            let hidden = paths
                .iter()
                .any(|path| path.restriction.visibility == Visibility::Private);
            hidden.then_some(version.id.version)
        });
        let restricted = restricted_versions.collect();
        let has_secure = versions.iter().any(|version| {
            let paths = version.schema.restricted_paths();
            paths.iter().any(|path| path.restriction.secure)
        });
        let own = &*key.vendor == kinds::VENDOR;
        // A kind whose record says nothing is open up to its first version.
        let open = own.then(|| open.unwrap_or(kinds::FIRST));
        let newest = |major| newest_of(known_versions.iter().copied(), open, major);
        Ok(Self {
            part: Part::of(&phase, asked, newest),
            behind: cap.filter(|cap| open.is_some_and(|open| open > *cap)),
            open,
            typed: Typed::of(&key, typed, &definitions),
            phase_key: keys::phase(&key)?,
            key,
            phase,
            phase_revision,
            definitions,
            retired,
            has_unknown,
            proofs: FitProofs::new(Arc::clone(&versions)),
            versions,
            known,
            majors: majors.into_iter().collect(),
            restricted,
            has_secure,
        })
    }

    /// The type's name.
    #[must_use]
    pub fn name(&self) -> &TypeKey {
        &self.key
    }

    /// The conversions between the versions that this server can load.
    #[must_use]
    pub fn versions(&self) -> &Versions {
        &self.versions
    }

    /// The versions that this server can load, oldest first.
    pub fn known_versions(&self) -> impl Iterator<Item = &TypeVersion> {
        let all = self.versions.iter();
        all.filter(|version| !self.retired.contains_key(&version.id.version))
    }

    /// The versions that there are, also those that this server can't load.
    pub fn registered_versions(&self) -> impl Iterator<Item = Version> {
        self.definitions.keys().copied()
    }

    /// One version, if this server can load it.
    #[must_use]
    pub fn version(&self, version: Version) -> Option<&TypeVersion> {
        let shown = !self.retired.contains_key(&version);
        shown.then(|| self.versions.get(version)).flatten()
    }

    /// One version on the path between others, retired or not.
    pub fn on_path(&self, version: Version) -> Option<&TypeVersion> {
        self.versions.get(version)
    }

    /// How this server takes part in the migration of the type; nothing without one. Whatever
    /// writes asks this.
    ///
    /// # Errors
    /// If it is not where the other servers are: then it writes nothing of the type.
    pub fn part(&self) -> Result<Option<&Part>, EngineError> {
        let part = self.reading()?;
        if let Some(part) = part {
            part.may_write()?;
        }
        Ok(part)
    }

    /// The same for whatever only reads: also of a server that can't load the new major and reads
    /// on.
    ///
    /// # Errors
    /// If it may not even read.
    pub fn reading(&self) -> Result<Option<&Part>, EngineError> {
        // A newer release stores at what this one does not know: it serves nothing of the kind.
        if let (Some(known), Some(open)) = (self.behind, self.open) {
            let of = self.key.clone();
            return Err(EngineError::ReleaseTooOld { of, open, known });
        }
        match &self.part {
            None => Ok(None),
            Some(Ok(part)) => Ok(Some(part)),
            Some(Err(refusal)) => Err(refusal.clone().into()),
        }
    }

    /// The newest version that may be stored and is not newer than this one.
    pub fn within_open(&self, version: Version) -> Version {
        match self.open {
            Some(open) if version > open => {
                let known = self.known_versions().map(|one| one.id.version);
                known.filter(|one| *one <= open).max().unwrap_or(open)
            }
            _ => version,
        }
    }

    /// The version at which something is stored that is written at another one: that one, unless
    /// its major is closed, or it is not open yet.
    pub fn open_version(&self, version: Version) -> Result<Version, EngineError> {
        let version = self.within_open(version);
        let part = self.part()?;
        let phase = part.map_or(Phase::Old, |part| part.phase);
        // What is written at a closed major is stored at the next one that is open.
        let closed = |major| {
            self.phase
                .is_closed(&crate::types::part::PHASES, phase, major)
        };
        if !closed(version.major) {
            return Ok(version);
        }
        let known = || self.known_versions().map(|one| one.id.version);
        let majors = known().map(|version| version.major);
        let next = majors
            .filter(|major| *major > version.major && !closed(*major))
            .min();
        let newest = next.and_then(|major| newest_of(known(), self.open, major));
        newest.ok_or_else(|| EngineError::TypeVersionUnknown {
            of: self.key.clone(),
            version,
        })
    }

    /// Whether a version has fields that only full control sees, by its own marks or by those of
    /// another version.
    pub fn hides(&self, version: Version) -> bool {
        self.restricted.contains(&version) || self.versions.hides_by_others(version)
    }
}

/// The newest version of a major that may be stored. Of an own kind nothing beyond what is open,
/// and of a major that is entered just now its first, which every server that knows the major has.
fn newest_of(
    known: impl Iterator<Item = Version>,
    open: Option<Version>,
    major: u32,
) -> Option<Version> {
    let all = known.filter(|version| version.major == major);
    match open {
        Some(open) if major > open.major => all.min(),
        Some(open) if major == open.major => all.filter(|version| *version <= open).max(),
        _ => all.max(),
    }
}

/// Compiles what can be loaded; a definition that can't be is noted as such, and those that are
/// converted from it too.
fn load(definitions: &mut BTreeMap<Version, Definition>) -> Result<Versions, EngineError> {
    loop {
        // Without one of them those that are converted from it can't be compiled either.
        let mut ordered: Vec<&Definition> = definitions.values().collect();
        ordered.sort_by_key(|definition| definition.meta.number);
        let loaded = ordered.iter().filter_map(|one| one.loaded.as_ref().ok());
        let loaded: Vec<Arc<TypeVersion>> = loaded.cloned().collect();
        let error = match Versions::new(loaded) {
            Ok(versions) => return Ok(versions),
            Err(error) => error,
        };
        let version = match &error {
            coeval_core::convert::VersionsError::ParentUnknown { version, .. }
            | coeval_core::convert::VersionsError::Step { version, .. }
            | coeval_core::convert::VersionsError::Twice(version) => *version,
            coeval_core::convert::VersionsError::OtherType(_) => {
                return Err(EngineError::TypeRefused {
                    what: error.to_string(),
                });
            }
        };
        match definitions.get_mut(&version) {
            // Each round takes one of them out, so this comes to an end.
            Some(definition) if definition.loaded.is_ok() => {
                definition.loaded = Err(error.to_string());
            }
            _ => {
                return Err(EngineError::TypeRefused {
                    what: error.to_string(),
                });
            }
        }
    }
}

/// The phase record is rewritten with every change, so that all servers load the type again.
pub fn with_phase(
    write: AtomicWrite,
    state: &TypeState,
    before: Revision,
) -> Result<AtomicWrite, EncodeError> {
    let put = WriteAction::Put(RecordPut::of(phase::encode(&state.phase, state.open)?));
    Ok(write.step(&state.phase_key, WriteCondition::RevisionIs(before), put))
}
