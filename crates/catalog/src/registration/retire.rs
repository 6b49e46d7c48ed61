//! Retired versions: those that nobody sees any more, and that others are converted through.
//!
//! Whoever deletes a version that has no resources does not care whether others descend from it.
//! If the conversions between the versions that stay go through it, its definition is kept as a
//! *link*: it is not listed, read or written, and only an equal registration brings it back. If they
//! don't, or once they don't any more, its record goes.
//!
//! A server of 0.1.0 knows no links. None is made while one is alive. One that comes later finds
//! records without notes (see [`Definition::encode`]): a retired version is unknown to it, and so
//! is every version that descends from it, with or without naming its parent. What it can't convert
//! as it should, it does not convert at all.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::annotations::annotating;
use crate::registration::bundles::TypeBundles;
use crate::registration::register::{Judged, Registered, Registration};
use crate::types::definition::{Definition, Meta};
use crate::types::state::{TypeState, with_phase};
use coeval_access::inheritance;
use coeval_core::types::{TypeVersion, same_definition};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{AtomicWrite, RecordPut, WriteAction, WriteCondition};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most versions of one atomic write, and the most bytes of them.
const AT_ONCE: usize = 24;
const BYTES_AT_ONCE: usize = 900 * 1024;

/// What becomes of the definitions when a version goes.
#[derive(Debug)]
pub(crate) struct Leaving {
    /// It stays as a link.
    pub stays: bool,
    /// Retired versions that nothing needs any more.
    pub freed: Vec<Version>,
}

impl TypeState {
    /// What is needed without one of the versions that are shown.
    pub(crate) fn leaving(&self, version: Version) -> Leaving {
        let stay = self.definitions.keys().filter(|one| **one != version);
        let stay: BTreeSet<Version> = stay.copied().collect();
        // Nobody knows what a version that can't be loaded here is converted through.
        let unsure = self.has_unknown && !stay.is_empty();
        let links = self.versions.links(&stay);
        let freed = self
            .retired
            .keys()
            .filter(|one| !unsure && !links.contains(one));
        Leaving {
            stays: unsure || links.contains(&version),
            freed: freed.copied().collect(),
        }
    }

    /// The definitions whose records don't say whether they descend from a retired version; `also`
    /// counts as retired.
    fn misplaced(&self, also: Option<Version>) -> impl Iterator<Item = (&Definition, bool)> {
        let retired: BTreeSet<Version> = self.retired.keys().copied().chain(also).collect();
        let all = self.definitions.values().chain(self.retired.values());
        all.filter_map(move |definition| {
            // For 0.1.0, which loads no retired version, and would give this one another parent.
            let drifts = self.versions.drifts_without(definition.version, &retired);
            (definition.meta.after_link != drifts).then_some((definition, drifts))
        })
    }

    /// Whether a version that is registered now, and names no parent, would descend from a retired
    /// one.
    fn new_after_link(&self, version: &TypeVersion) -> bool {
        let own = version.id.version;
        let mut all: Vec<&Definition> = self
            .definitions
            .values()
            .chain(self.retired.values())
            .collect();
        all.retain(|one| one.version != own);
        all.sort_by_key(|one| one.version);
        let below = all.iter().rfind(|one| one.version < own);
        let parent = below.or_else(|| all.first());
        version.conversion.is_none()
            && parent.is_some_and(|one| one.meta.retired || self.descends_from_retired(one.version))
    }

    fn descends_from_retired(&self, version: Version) -> bool {
        let parent = |one: &Version| self.versions.parent(*one);
        let mut above = std::iter::successors(parent(&version), parent);
        above.any(|one| self.retired.contains_key(&one))
    }
}

impl Meta {
    /// For a version that is registered now.
    pub(crate) fn linked(self, state: Option<&TypeState>, version: &TypeVersion) -> Self {
        Self {
            after_link: state.is_some_and(|state| state.new_after_link(version)),
            ..self
        }
    }
}

impl Catalog {
    /// Refuses to make a link while a server is alive that knows none.
    pub(crate) async fn check_links_known(
        &self,
        state: &TypeState,
        definition: &Definition,
    ) -> Result<(), EngineError> {
        match self.server_without_links().await? {
            None => Ok(()),
            Some((server, release)) => Err(EngineError::TypeIsParent {
                id: definition.id(&state.key),
                server: format!("{server} (release {release})"),
            }),
        }
    }

    /// Writes into the records what a server without links must not load; `also` is about to be
    /// retired. Returns whether anything had to be written: then the type is another one.
    pub(crate) async fn place_links(
        &self,
        of: &TypeKey,
        also: Option<Version>,
    ) -> Result<bool, EngineError> {
        let mut wrote = false;
        let mut attempts = Attempts::new();
        loop {
            let state = match self.types.load(of).await {
                // The last version went, and all links with it.
                Err(EngineError::TypeUnknown { .. }) => return Ok(wrote),
                other => other?,
            };
            let mut write = AtomicWrite::new();
            let mut bytes = 0;
            // Bounded, since a type may have many versions: each write brings some nearer.
            for (definition, after_link) in state.misplaced(also) {
                let meta = Meta {
                    after_link,
                    ..definition.meta.clone()
                };
                let content = Definition::encode(&meta, &definition.file)?;
                let size = content.stored_size();
                let full = bytes + size > BYTES_AT_ONCE || write.steps.len() >= AT_ONCE;
                if full && !write.steps.is_empty() {
                    break;
                }
                bytes += size;
                let key = keys::type_version(of, definition.version)?;
                let own = WriteCondition::RevisionIs(definition.revision);
                write = write.step(&key, own, WriteAction::Put(RecordPut::of(content)));
            }
            if write.steps.is_empty() {
                return Ok(wrote);
            }
            let write = with_phase(write, &state, state.phase_revision)?;
            match unless_raced(self.commit(&state.phase_key, write).await)? {
                Some(_) => wrote = true,
                // Only races count: each write brings the end nearer.
                None => attempts.begin()?,
            }
        }
    }

    /// The same after a version came back, or did not go. What stays unwritten is harmless here, and
    /// is written by the next one.
    pub(crate) async fn replace_links(&self, of: &TypeKey) {
        if let Err(error) = self.place_links(of, None).await {
            tracing::warn!(%of, %error, "versions stay unknown to servers of 0.1.0");
        }
    }

    /// What is registered is the definition of a retired version, or it is refused; nothing if the
    /// version is not retired.
    pub(crate) fn judge_retired(
        state: &TypeState,
        registration: &Registration,
        version: &TypeVersion,
    ) -> Result<Option<Judged>, EngineError> {
        let Some(retired) = state.retired.get(&version.id.version) else {
            return Ok(None);
        };
        let file = String::from_utf8_lossy(&retired.file);
        if !same_definition(&file, &registration.file) {
            let id = version.id.clone();
            return Err(EngineError::TypeRetired { id });
        }
        Ok(Some(Judged {
            parent: state.versions.parent(version.id.version),
            findings: retired.meta.findings.clone(),
            undecided: false,
            converts: version.conversion.is_some(),
        }))
    }

    /// Shows a retired version again: with its number and what was found about it, and for the rest
    /// as if it were new. Nothing if it is not retired.
    pub(crate) async fn revive(
        &self,
        caller: &Caller,
        registration: &Registration,
        version: &Arc<TypeVersion>,
        of: &TypeKey,
        bundles: &dyn TypeBundles,
    ) -> Result<Option<Registered>, EngineError> {
        let own = version.id.version;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = match self.types.load(of).await {
                Err(EngineError::TypeUnknown { .. }) => return Ok(None),
                other => other?,
            };
            let judged = Self::judge_retired(&state, registration, version)?;
            let (Some(judged), Some(retired)) = (judged, state.retired.get(&own)) else {
                return Ok(None);
            };
            self.check_hooks(version).await?;
            // Judged once, when it was registered.
            let unproven = retired.meta.unproven;
            let typed = self.typed_outcome(of, Some(&state), version, unproven);
            let typed = typed.await?;
            // Its ACL is made anew, as for every registration.
            let shown = state.definitions.keys().copied();
            let inherits = inheritance::inherits_from(shown, own, registration.inherit)?;
            let from = (Some(&*state), inherits);
            let meta = self.meta(caller, registration, from, version, &judged, unproven);
            // Its old place in the order of registration: no other version gets another parent.
            let meta = Meta {
                number: retired.meta.number,
                after_link: retired.meta.after_link,
                ..meta
            };
            let before = WriteCondition::RevisionIs(retired.revision);
            let mut write = self
                .registering(
                    caller,
                    of,
                    Some(&state),
                    version,
                    &meta,
                    &retired.file,
                    before,
                    bundles,
                )
                .await?;
            write.steps.extend(typed.steps);
            let annotations = annotating(of, version, &meta, &retired.annotations)?;
            write.steps.extend(annotations);
            let head = keys::type_version(of, own)?;
            if unless_raced(self.commit(&head, write).await)?.is_some() {
                // What descends from it need not be kept from servers of 0.1.0 any more.
                self.replace_links(of).await;
                return Ok(Some(Registered {
                    id: version.id.clone(),
                    parent: judged.parent,
                    unproven,
                    findings: judged.findings,
                    inherits: Some(inherits),
                }));
            }
        }
    }
}
