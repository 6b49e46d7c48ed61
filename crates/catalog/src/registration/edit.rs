//! Changing and deleting a type version that has no resources, safe against those who make one at
//! the same moment.
//!
//! The version's record is first marked *editing*. Every create at, and every move to, a version
//! is conditioned on its record's revision, so from then on none can happen. Then resources are
//! looked for. If there are any, the mark is taken back; else the change is written, on condition
//! that the mark is still there. Who meets a mark that nobody finishes takes it back: then the
//! editor, should it still be there, fails.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::registration::annotations::{annotating, forgetting};
use crate::registration::bundles::TypeBundles;
use crate::registration::register::{Registered, Registration, parse, refusal, told};
use crate::registration::retire::Leaving;
use crate::types::definition::{Definition, Meta};
use crate::types::state::{TypeState, with_phase};
use bytes::Bytes;
use coeval_access::{AccessLevel, TypeAction};
use coeval_core::types::{TypeVersion, without_annotations};
use coeval_core::version::Version;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::{EngineError, TypeInUse};
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{
    AtomicWrite, Key, ReadRange, ReadRequest, RecordPut, Revision, StorageError, WriteAction,
    WriteCondition, WriteStep,
};
use std::sync::Arc;
use std::time::Duration;

/// What is to become of a type version.
#[derive(Clone, Debug)]
pub enum TypeEdit {
    /// Another definition.
    Replace(Registration),
    /// Nothing.
    Delete,
}

/// How long somebody who meets an edit waits each time, and how often, before it takes the edit
/// for abandoned.
const WAIT: Duration = Duration::from_millis(20);
const WAITS: usize = 50;

impl Catalog {
    /// Changes a type version that has no resources.
    ///
    /// # Errors
    /// If it has resources, or the new definition is refused.
    pub async fn edit_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        registration: Registration,
        bundles: &dyn TypeBundles,
    ) -> Result<Registered, EngineError> {
        let edit = TypeEdit::Replace(registration);
        let done = self
            .change_type(caller, of, version, &edit, bundles)
            .await?;
        // A conversion that was added or taken away may lead to or from a retired version.
        self.replace_links(of).await;
        done.ok_or_else(|| EngineError::TypeUnknown { of: of.clone() })
    }

    /// Deletes a type version that has no resources; with the last one the type's rights and
    /// bundle go. If others are converted through it, it is retired: nobody sees it, and its
    /// definition stays as a link.
    ///
    /// # Errors
    /// If it has resources; or if others are converted through it, and a server is alive that knows
    /// no retired versions.
    pub async fn delete_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        bundles: &dyn TypeBundles,
    ) -> Result<(), EngineError> {
        let done = self
            .change_type(caller, of, version, &TypeEdit::Delete, bundles)
            .await;
        if done.is_err() {
            // Records may have been prepared for a link that is none now.
            self.replace_links(of).await;
        }
        done.map(|_| ())
    }

    async fn change_type(
        &self,
        caller: &Caller,
        of: &TypeKey,
        version: Version,
        edit: &TypeEdit,
        bundles: &dyn TypeBundles,
    ) -> Result<Option<Registered>, EngineError> {
        let action = match edit {
            TypeEdit::Replace(_) => TypeAction::Edit,
            TypeEdit::Delete => TypeAction::Delete,
        };
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.load(of).await?;
            // Who sees nothing of the type does not learn of it by its missing version.
            let allowed = self.allow_type(caller, &state, version, action);
            if let Err(error @ EngineError::TypeUnknown { .. }) = allowed {
                return Err(error);
            }
            let Some(definition) = state.definitions.get(&version) else {
                let of = of.clone();
                return Err(EngineError::TypeVersionUnknown { of, version });
            };
            allowed?;
            if definition.meta.built_in {
                return Err(EngineError::BuiltIn {
                    what: definition.id(of).to_string(),
                });
            }
            if definition.meta.editing {
                // Somebody else's, or left behind by a crash: then it is taken back.
                self.wait_for_edit(&state, version).await?;
                continue;
            }
            let migration = state.phase.migration;
            // Mirrors are made at versions of both majors: while that goes on none of them may
            // change.
            if migration.is_some_and(|one| [one.from, one.to].contains(&version.major)) {
                return Err(EngineError::TypeInUse {
                    id: definition.id(of),
                    action: TypeInUse::Migrating,
                });
            }
            // Found out before anybody is made to wait.
            let outcome = self.outcome(&state, version, edit).await?;
            if let Some(Leaving { stays: true, .. }) = outcome.leaving {
                self.check_links_known(&state, definition).await?;
                // Before any record is prepared for a link: with resources none will be made.
                if self.has_resources(of, version).await? {
                    let id = definition.id(of);
                    let action = TypeInUse::Retire;
                    return Err(EngineError::TypeInUse { id, action });
                }
                // The type was rewritten by that: what was judged is outdated.
                if self.place_links(of, Some(version)).await? {
                    continue;
                }
            }
            // From here on no resource comes to this version, so what is not found now is not
            // there.
            let Some((marked, mark)) = self.mark(&state, definition, true).await? else {
                continue;
            };
            let in_use = self.has_resources(of, version).await;
            // Also after an error: the mark must not stay.
            if !matches!(in_use, Ok(false)) {
                self.take_back(of, version, marked).await?;
                in_use?;
                return Err(EngineError::TypeInUse {
                    id: definition.id(of),
                    action: match edit {
                        TypeEdit::Replace(_) => TypeInUse::Change,
                        TypeEdit::Delete => TypeInUse::Delete,
                    },
                });
            }
            let finished = self
                .finish(
                    caller,
                    &state,
                    definition,
                    (marked, mark),
                    &outcome,
                    bundles,
                )
                .await;
            if unless_raced(finished)?.is_some() {
                return Ok(outcome.registered);
            }
            // Somebody took the mark back or changed the type: all of it is looked at again.
            self.take_back(of, version, marked).await?;
        }
    }

    async fn outcome(
        &self,
        state: &TypeState,
        version: Version,
        edit: &TypeEdit,
    ) -> Result<Outcome, EngineError> {
        let own = state.definitions.get(&version);
        match edit {
            TypeEdit::Delete => Ok(Outcome {
                leaving: Some(state.leaving(version)),
                ..Outcome::default()
            }),
            TypeEdit::Replace(registration) => {
                let new = Arc::new(parse(registration)?);
                let id = own.map(|own| own.id(&state.key));
                if id.as_ref() != Some(&new.id) {
                    return Err(EngineError::TypeRefused {
                        what: "vendor, nss and version never change".to_owned(),
                    });
                }
                // Conditions of the write: one of them may be deleted meanwhile.
                let mut interfaces = Vec::new();
                for interface in &new.interfaces {
                    interfaces.push(self.interface_condition(interface).await?);
                }
                self.check_hooks(&new).await?;
                // Against all others, without the definition that it replaces.
                let mut judged = self.judge_version(Some(state), &new, Some(version)).await?;
                let unproven = refusal(&judged, registration, &new.id)?;
                let typed = self
                    .typed_outcome(&state.key, Some(state), &new, unproven)
                    .await?;
                judged.findings.extend(typed.findings);
                let file = without_annotations(&registration.file);
                Ok(Outcome {
                    leaving: None,
                    version: Some(Arc::clone(&new)),
                    interfaces,
                    typed: typed.steps,
                    external_id: registration.external_id.clone(),
                    max_implicit_right: registration.max_implicit_right,
                    file: Some(Bytes::from(file)),
                    registered: Some(Registered {
                        id: new.id.clone(),
                        parent: judged.parent,
                        unproven,
                        findings: judged.findings,
                        inherits: None,
                    }),
                })
            }
        }
    }

    /// Sets or takes back the mark; the new revisions of the version's and the phase record (they
    /// are one), or nothing if somebody was faster.
    async fn mark(
        &self,
        state: &TypeState,
        definition: &Definition,
        editing: bool,
    ) -> Result<Option<(Revision, Meta)>, EngineError> {
        let meta = Meta {
            editing,
            ..definition.meta.clone()
        };
        let content = Definition::encode(&meta, &definition.file)?;
        let key = keys::type_version(&state.key, definition.version)?;
        let own = WriteCondition::RevisionIs(definition.revision);
        let write = AtomicWrite::new().step(&key, own, WriteAction::Put(RecordPut::of(content)));
        // The phase record as well, so that other servers load the mark before they create.
        let write = with_phase(write, state, state.phase_revision)?;
        let written = unless_raced(self.commit(&key, write).await)?;
        Ok(written.map(|written| (written.revision, meta)))
    }

    /// Takes our own mark back, unless somebody did.
    async fn take_back(
        &self,
        of: &TypeKey,
        version: Version,
        marked: Revision,
    ) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.types.load(of).await?;
            match state.definitions.get(&version) {
                // Another edit may have begun since: its mark is not touched.
                Some(definition) if definition.revision == marked => {
                    if self.mark(&state, definition, false).await?.is_some() {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    async fn finish(
        &self,
        caller: &Caller,
        state: &TypeState,
        definition: &Definition,
        (marked, mark): (Revision, Meta),
        outcome: &Outcome,
        bundles: &dyn TypeBundles,
    ) -> Result<(), EngineError> {
        let key = keys::type_version(&state.key, definition.version)?;
        // The mark is the condition: whoever took it for abandoned has fenced this write.
        let own = WriteCondition::RevisionIs(marked);
        let id = definition.id(&state.key);
        let mut write = AtomicWrite::new();
        let mut note = None;
        let what = match (&outcome.file, &outcome.registered, &outcome.version) {
            (Some(file), Some(registered), Some(version)) => {
                note = told(&registered.findings);
                for (key, revision) in &outcome.interfaces {
                    write = write.when(key, WriteCondition::RevisionIs(*revision));
                }
                let meta = Meta {
                    editing: false,
                    external_id: outcome.external_id.clone(),
                    max_implicit_right: outcome.max_implicit_right,
                    unproven: registered.unproven,
                    findings: registered.findings.clone(),
                    ..mark
                };
                let content = Definition::encode(&meta, file)?;
                write = write.step(&key, own, WriteAction::Put(RecordPut::of(content)));
                write = with_phase(write, state, marked)?;
                let before = &definition.annotations;
                let annotations = annotating(&state.key, version, &meta, before)?;
                write.steps.extend(annotations);
                write.steps.extend(outcome.typed.iter().cloned());
                What::EditType
            }
            _ => {
                let stays = outcome.leaving.as_ref().is_some_and(|one| one.stays);
                let action = if stays {
                    note = Some("retired: other versions are converted through it".to_owned());
                    let meta = Meta {
                        editing: false,
                        retired: true,
                        ..mark
                    };
                    WriteAction::Put(RecordPut::of(Definition::encode(&meta, &definition.file)?))
                } else {
                    WriteAction::Delete
                };
                write = write.step(&key, own, action);
                write.steps.extend(forgetting(&state.key, definition)?);
                // Together with it, because nobody would look for such links later.
                let freed = outcome.leaving.iter().flat_map(|one| &one.freed);
                for retired in freed.filter_map(|version| state.retired.get(version)) {
                    let key = keys::type_version(&state.key, retired.version)?;
                    let own = WriteCondition::RevisionIs(retired.revision);
                    write = write.step(&key, own, WriteAction::Delete);
                    write.steps.extend(forgetting(&state.key, retired)?);
                }
                // With its last version the type goes, and its phase record with it.
                if state.definitions.len() == 1 {
                    let phase = WriteCondition::RevisionIs(marked);
                    write = write.step(&state.phase_key, phase, WriteAction::Delete);
                    write
                        .steps
                        .extend(bundles.bundle_removal(caller, &state.key).await?);
                } else {
                    write = with_phase(write, state, marked)?;
                }
                What::DeleteType
            }
        };
        let mut deed = Deed::of_type(what, &id);
        deed.note = note;
        let audit = self.audit_step(caller, &deed)?;
        // A deletion puts nothing else that could tell whether it was written.
        let head = audit.key.clone();
        write.steps.push(audit);
        self.commit(&head, write).await?;
        Ok(())
    }

    /// Whether any resource is stored at a version.
    pub(crate) async fn has_resources(
        &self,
        of: &TypeKey,
        version: Version,
    ) -> Result<bool, StorageError> {
        let range = ReadRange::of(keys::at_version(of, version)?).limit(1);
        let (_, page) = self.store.range(range).await?;
        Ok(!page.entries.is_empty())
    }

    /// What came of an attempt that depends on a type; `None` if a version of it was being edited, once
    /// that is over.
    ///
    /// # Errors
    /// All others.
    pub async fn unless_edited<T>(
        &self,
        state: &TypeState,
        outcome: Result<T, EngineError>,
    ) -> Result<Option<T>, EngineError> {
        match outcome {
            Err(EngineError::TypeEditing { id }) => {
                self.wait_for_edit(state, id.version).await?;
                Ok(None)
            }
            other => other.map(Some),
        }
    }

    /// Waits for an edit; one that lasts too long was abandoned and is taken back.
    pub(crate) async fn wait_for_edit(
        &self,
        state: &TypeState,
        version: Version,
    ) -> Result<(), EngineError> {
        let Some(definition) = state.definitions.get(&version) else {
            return Ok(());
        };
        // An edit is a few writes: what is not over in a second was left behind.
        for _ in 0..WAITS {
            tokio::time::sleep(WAIT).await;
            let key = keys::type_version(&state.key, version)?;
            let snapshot = self.store.read(ReadRequest::keys([key])).await?;
            let found = snapshot.keys.into_iter().next().flatten();
            if found.and_then(|entry| entry.stored.revision()) != Some(definition.revision) {
                self.types.load(&state.key).await?;
                return Ok(());
            }
        }
        tracing::warn!(of = %state.key, %version, "an abandoned edit is taken back");
        // An editor that is still there finds its mark gone, and its write fails.
        self.mark(state, definition, false).await?;
        self.types.load(&state.key).await?;
        Ok(())
    }
}

/// What an edit leads to.
#[derive(Default)]
struct Outcome {
    /// The version goes; what becomes of the others that are not seen.
    leaving: Option<Leaving>,
    /// What it is from now on.
    version: Option<Arc<TypeVersion>>,
    /// Its file, without annotations.
    file: Option<Bytes>,
    registered: Option<Registered>,
    /// What it implements is still there when it is written.
    interfaces: Vec<(Key, Revision)>,
    external_id: Option<String>,
    max_implicit_right: Option<AccessLevel>,
    /// The numbers of its fields in protobuf.
    typed: Vec<WriteStep>,
}
