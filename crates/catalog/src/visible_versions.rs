//! Which versions of a type exist for a caller.
//!
//! A type version that a caller can't see does not exist for it. That is decided here, once for a
//! caller and a type; the set that comes of it takes the place of the versions that this server
//! knows in every decision on a read or a write (`decide_read`, `decide_write`), so that a hidden
//! version answers as an unknown one does, and *the newest* is the newest that can be seen.
//! Conversions still pass over hidden versions: they are links of the path, and nothing of them is
//! shown.
//!
//! What answers say beside the content is held to the same set: [`VisibleVersions::only_visible`]
//! takes out of lists of paths what only hidden versions declare, and
//! [`VisibleVersions::refusal`] takes it out of refusals.
//!
//! A rule about more than one version, such as that of pairs in a migration, belongs into
//! [`VisibleVersions::of`]. For a caller from whom nothing is hidden the set costs one look at the
//! ACL of each version, and no memory.

use crate::allow::version_facts;
use crate::caller::Caller;
use crate::types::state::TypeState;
use coeval_access::{AccessSubject, GeneralRight};
use coeval_core::convert::ConversionObstacle;
use coeval_core::decide::WantedVersion;
use coeval_core::types::{FieldsTooNew, TypeVersion};
use coeval_core::version::{KnownVersion, KnownVersions, Version};
use coeval_records::error::EngineError;
use std::borrow::Cow;
use std::sync::Arc;

/// The versions of a type that exist for a caller, of those that this server knows. `None`: all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisibleVersions(Option<Arc<KnownVersions>>);

/// Whether the caller sees this version, loaded here or not.
fn sees(state: &TypeState, version: Version, subject: &AccessSubject) -> bool {
    version_facts(state, version, subject).level.is_some()
}

fn manages(subject: &AccessSubject) -> bool {
    subject.rights().has(GeneralRight::ManageAnyDefinition)
}

/// Whether any version of the type exists for the caller. If none does, the type does not.
pub fn sees_any(state: &TypeState, subject: &AccessSubject) -> bool {
    let mut versions = state.definitions.keys();
    manages(subject) || versions.any(|version| sees(state, *version, subject))
}

impl VisibleVersions {
    /// Nothing is hidden: for the engine itself.
    pub const ALL: Self = Self(None);

    pub fn of(state: &TypeState, subject: &AccessSubject) -> Self {
        let seen = |version: &Version| sees(state, *version, subject);
        let mut known = state.known.iter().map(KnownVersion::version);
        // Most callers see all of them: then nothing is copied.
        if manages(subject) || known.all(|version| seen(&version)) {
            return Self::ALL;
        }
        let known = state.known.iter().map(KnownVersion::version);
        Self(Some(Arc::new(known.filter(seen).collect())))
    }

    /// Whether some version is hidden.
    pub const fn hides(&self) -> bool {
        self.0.is_some()
    }

    /// As the decisions on reads and writes take them.
    pub fn known<'a>(&'a self, state: &'a TypeState) -> &'a KnownVersions {
        self.0.as_deref().unwrap_or(&state.known)
    }

    /// The same with versions that a resource in reach is stored at: whoever was allowed to see it
    /// was allowed by one of them.
    pub fn known_with<'a>(
        &'a self,
        state: &'a TypeState,
        stored: &[Version],
    ) -> Cow<'a, KnownVersions> {
        let known = self.known(state);
        let missing = |version: &&Version| {
            state.known.know(**version).is_some() && known.know(**version).is_none()
        };
        // Borrowed nearly always: only a hidden version within reach makes another set.
        if !self.hides() || !stored.iter().any(|version| missing(&version)) {
            return Cow::Borrowed(known);
        }
        let missing = stored.iter().filter(missing).copied();
        let all = known.iter().map(KnownVersion::version).chain(missing);
        Cow::Owned(all.collect())
    }

    /// Whether a version that this server knows is among them.
    #[must_use]
    pub fn has(&self, version: Version) -> bool {
        match &self.0 {
            None => true,
            Some(known) => known.know(version).is_some(),
        }
    }

    /// Their definitions, oldest first.
    pub fn definitions<'a>(
        &'a self,
        state: &'a TypeState,
    ) -> impl Iterator<Item = &'a TypeVersion> {
        let known = state.known_versions();
        known.filter(|one| self.has(one.id.version))
    }

    /// The oldest of them that is not older than this version, or the newest.
    pub(crate) fn at_or_after(&self, state: &TypeState, version: Version) -> Option<Version> {
        let known = self.known(state);
        let mut all = known.iter().map(KnownVersion::version);
        let after = all.find(|one| *one >= version);
        after.or_else(|| known.newest().map(KnownVersion::version))
    }

    /// Whether a path tells of a hidden version: one of them declares it, and no visible one does.
    pub fn tells(&self, state: &TypeState, pointer: &str) -> bool {
        let declares = |one: &TypeVersion| one.schema.declares(pointer);
        // A path that no version declares tells of none.
        self.hides()
            && !self.definitions(state).any(declares)
            && state.known_versions().any(declares)
    }

    /// JSON pointers without those that only hidden versions declare.
    #[must_use]
    pub fn only_visible(&self, state: &TypeState, mut pointers: Vec<String>) -> Vec<String> {
        if self.hides() {
            pointers.retain(|pointer| !self.tells(state, pointer));
        }
        pointers
    }

    /// A refusal, without a word of hidden versions and of what only they declare.
    pub fn refusal(&self, state: &TypeState, error: EngineError) -> EngineError {
        if !self.hides() {
            return error;
        }
        match error {
            EngineError::UpgradeFirst {
                refusal,
                of,
                name,
                to,
            } => EngineError::UpgradeFirst {
                refusal: Box::new(self.refusal(state, *refusal)),
                of,
                name,
                to,
            },
            EngineError::TooNew(FieldsTooNew {
                written_at,
                mut fields,
            }) => {
                // The hidden version is told as one that the caller can name
                // (docs/decisions/0007-hidden-type-versions.md).
                for field in &mut fields {
                    let since = self.at_or_after(state, field.since);
                    field.since = since.unwrap_or(field.since);
                }
                EngineError::TooNew(FieldsTooNew { written_at, fields })
            }
            EngineError::Conversion(mut refusal) => {
                // Where it is would tell of a field that only hidden versions have.
                if self.tells(state, &refusal.pointer) {
                    refusal.pointer.clear();
                }
                if let ConversionObstacle::Unexpressed { fields, .. } = &mut refusal.reason {
                    fields.retain(|field| !self.tells(state, field));
                }
                EngineError::Conversion(refusal)
            }
            other => other,
        }
    }
}

/// What a caller wants to see of a type, among the versions that exist for it.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedView {
    pub wanted: WantedVersion,
    pub visible: VisibleVersions,
}

impl WantedView {
    /// For the engine itself, or at a version that the caller was found to see.
    pub const fn of_all(wanted: WantedVersion) -> Self {
        let visible = VisibleVersions::ALL;
        Self { wanted, visible }
    }
}

impl Caller {
    /// The versions of a type that exist for the caller.
    #[must_use]
    pub fn visible_versions(&self, state: &TypeState) -> VisibleVersions {
        VisibleVersions::of(state, &self.subject)
    }

    /// What it wants to see of a type.
    pub fn wanted_view(&self, state: &TypeState) -> WantedView {
        let visible = self.visible_versions(state);
        WantedView {
            wanted: self.wanted.of_type(state, &visible),
            visible,
        }
    }
}
