//! Resolving and deleting a resource, and moving its expiry.

use crate::content;
use crate::lifecycle::hooks::Hooks;
use crate::pairs::object::Putting;
use crate::read::{Found, Target};
use crate::resource::Resource;
use crate::resources::Resources;
use crate::secure::Sealed;
use crate::tasks::task::Task;
use crate::write::steps::{ask_name, fenced, found_name};
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_records::keys::{self, TypeKey};
use coeval_records::text::short;
use coeval_storage::{
    AtomicWrite, Key, ReadRequest, Revision, StorageError, Token, UnixMillis,
    WriteAction as KeyAction, WriteCondition, WriteStep,
};

/// How a resource is to be deleted. A revision alone is one of these.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delete {
    /// The revision that it must have; default: any.
    pub revision: Option<Revision>,
    /// Also if it was never resolved: then its creation is called off, and the record of what was done
    /// says so. No hook runs.
    pub force: bool,
    /// Whether the hooks of the type version run.
    pub hooks: Hooks,
}

impl From<Option<Revision>> for Delete {
    fn from(revision: Option<Revision>) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }
}

/// What came of a deletion.
#[derive(Clone, Debug)]
pub enum Deleted {
    /// It is gone.
    Done(Token),
    /// The task deletes it, with its hooks.
    Accepted(Box<Task>),
}

impl Resources {
    /// Compares the content with its version's schema and sets the state accordingly. Doing it
    /// again changes nothing.
    ///
    /// # Errors
    /// If the caller may not, or the resource is about to go.
    pub async fn resolve(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<Resource, EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self
                .find(caller, of, target, ResourceAction::Resolve)
                .await?;
            let Found {
                fetched,
                stored,
                level,
            } = found;
            let state = &*fetched.state;
            if stored.header.state == State::InDeletion {
                return Err(EngineError::StateForbids {
                    state: State::InDeletion,
                    action: "resolved",
                });
            }
            let version = stored.header.version;
            if state.version(version).is_none() {
                let stored = coeval_core::version::StoredVersion(version);
                return Err(coeval_core::decide::VersionRefusal::StoredUnknown { stored }.into());
            }
            let opened = self.open_record(state, &stored).await?;
            let wanted = caller.wanted_view(state);
            let (to, message) = match content::check_new(state, version, &opened.record.content) {
                Ok(()) => (State::Resolved, None),
                Err(error) => {
                    let told = wanted.visible.refusal(state, error).to_string();
                    (State::ResolutionError, Some(short(&told)))
                }
            };
            // Doing it again must change nothing: no write, no revision, no event.
            if to == stored.header.state && message == stored.header.message {
                return self.resource(
                    state,
                    stored,
                    &wanted,
                    level,
                    fetched.token,
                    Some(&opened.record),
                );
            }
            let mut header = stored.header.clone();
            header.state = to;
            header.message = message;
            header.modified = self.now().max(header.modified);
            caller.user().clone_into(&mut header.modified_by);
            header.generation += 1;
            let creation = self.end_of_creation(&mut header).await?;
            let after = Sealed::unchanged(&stored, header);
            let putting = Putting {
                state,
                id: stored.id,
                before: Some((&fetched, &stored)),
                after: &after,
                whole: None,
                expires: stored.expires,
                write: phases::PhaseWrite::Update(phases::WriteMajor::Old),
                said: None,
            };
            let mut write = self.put_object(fenced(state), &putting).await?;
            let after = after.store;
            let mut deed = Deed::of_resource(What::Resolve, of, stored.id, &after.header);
            deed.before = Some(stored.revision.to_string());
            write.steps.push(self.audit_step(caller, &deed)?);
            write.steps.extend(creation);
            if let Some(written) = unless_raced(self.commit(&fetched.key, write).await)? {
                let mut now = stored;
                now.header = after.header;
                now.revision = written.revision;
                return self.resource(
                    state,
                    now,
                    &wanted,
                    level,
                    written.token,
                    Some(&opened.record),
                );
            }
        }
    }

    /// Deletes a resource with all that belongs to it, whatever its version, and runs the hooks of its
    /// type version: `PreDelete` unless its deletion has begun, and `PostDelete` before it goes for good.
    ///
    /// # Errors
    /// If the revision is another, the state forbids it, or the caller may not; or hooks are to be skipped
    /// and the caller may not; or one can't be run.
    pub async fn delete(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        delete: impl Into<Delete>,
    ) -> Result<Deleted, EngineError> {
        let Delete {
            revision,
            force,
            hooks,
        } = delete.into();
        coeval_catalog::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self
                .find(caller, of, target, ResourceAction::Delete)
                .await?;
            let (state, version) = (&*found.fetched.state, found.stored.header.version);
            let runs = !force && self.runs_hooks(caller, state, version, hooks)?;
            // All refusals come first, also those of a deletion that waits for a hook.
            let planned = self.plan_delete(caller, &found, revision, force);
            let (head, write) = planned.await?;
            if runs && let Some(task) = self.delete_hooked(caller, &found, revision).await? {
                return Ok(Deleted::Accepted(Box::new(task)));
            }
            // The audit record is what is left of a delete, so it tells whether it happened.
            if let Some(written) = unless_raced(self.commit(&head, write).await)? {
                return Ok(Deleted::Done(written.token));
            }
        }
    }

    /// What a deletion writes, and the key of what is left of it.
    pub async fn plan_delete(
        &self,
        caller: &Caller,
        found: &Found,
        revision: Option<Revision>,
        force: bool,
    ) -> Result<(Key, AtomicWrite), EngineError> {
        let (fetched, stored) = (&found.fetched, &found.stored);
        let state = &*fetched.state;
        let of = &state.key;
        // The write is conditioned on what was read just now, so the caller's revision is compared
        // here.
        if revision.is_some_and(|said| said != stored.revision) {
            return Err(EngineError::Conflict {
                current: stored.revision,
                paths: Vec::new(),
            });
        }
        let unresolved = stored.header.state == State::PreCreated;
        if unresolved && force {
            self.allow(caller, state, stored, ResourceAction::Force)
                .await?;
        } else if unresolved {
            return Err(EngineError::StateForbids {
                state: State::PreCreated,
                action: "deleted",
            });
        }
        let (org, name) = (&stored.header.org, &stored.header.name);
        let mut request = ask_name(ReadRequest::default(), of, org, name)?;
        // In front, because the answers about the name are taken from the end.
        request.keys.insert(0, keys::acl(stored.id)?);
        let mut snapshot = self.store.read(request).await?;
        let name = found_name(&mut snapshot, of, org, name)?;
        let acl = snapshot.keys.pop().flatten();
        let mut write = self.remove_object(fenced(state), fetched, stored)?;
        write.steps.extend([
            crate::write::acl::removal(stored.id, acl.as_ref())?,
            name.step(-1)?,
        ]);
        write
            .steps
            .extend(self.creation_called_off(&stored.header).await?);
        let mut deed = Deed::of_resource(What::Delete, of, stored.id, &stored.header);
        deed.before = Some(stored.revision.to_string());
        deed.paired = stored.paired;
        deed.note = unresolved.then(|| "forced: it was never resolved".to_owned());
        // Whoever could see it is told that it is gone, and nothing else is left that says who that
        // was.
        deed.acl = acl.and_then(|entry| coeval_records::acl::decode_acl(&entry));
        let audit = self.audit_step(caller, &deed)?;
        let head = audit.key.clone();
        write.steps.push(audit);
        Ok((head, write))
    }

    /// Moves the moment at which a resource vanishes, with all that belongs to it; its revision
    /// stays.
    ///
    /// # Errors
    /// If the caller may not write it.
    pub async fn keep_alive(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        expires: Option<UnixMillis>,
    ) -> Result<Token, EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self
                .find(caller, of, target, ResourceAction::Modify)
                .await?;
            let (fetched, stored) = (found.fetched, found.stored);
            let state = &*fetched.state;
            let kept = self.keep_object_alive(fenced(state), &fetched, &stored, expires);
            let mut write = kept.await?;
            let mut moving = self.expiry_steps(state, stored.id, expires).await?;
            // A mirror that is made anew brings its secrets, with the new expiry already.
            moving.retain(|step| write.steps.iter().all(|other| other.key != step.key));
            write.steps.extend(moving);
            // The revision stays, so no record could tell of an unknown outcome; it is safe to ask
            // again.
            if let Some(written) = unless_raced(self.store.atomic_write(write).await)? {
                return Ok(written.token);
            }
        }
    }

    /// What else moves along when an expiry does: the secrets and the entries, if there are any.
    /// (The history moves along as it is written.) The ACL has no expiry; one of an earlier release
    /// that has one loses it.
    pub(crate) async fn expiry_steps(
        &self,
        state: &TypeState,
        id: Uuid,
        expires: Option<UnixMillis>,
    ) -> Result<Vec<WriteStep>, StorageError> {
        let acl = keys::acl(id)?;
        let mut keys = vec![acl.clone(), keys::entries(id)?];
        // In a migration each of the two records has its own secrets.
        for major in &state.majors {
            keys.push(keys::secrets(id, *major)?);
        }
        let snapshot = self.store.read(ReadRequest::keys(keys)).await?;
        let there = snapshot.keys.into_iter().flatten();
        let step = |entry: coeval_storage::StoredEntry| {
            let revision = entry.stored.revision()?;
            let expires = if entry.key == acl {
                entry.stored.record()?.expires?;
                None
            } else {
                expires
            };
            Some(WriteStep {
                key: entry.key,
                condition: WriteCondition::RevisionIs(revision),
                action: KeyAction::KeepAlive(expires),
            })
        };
        Ok(there.filter_map(step).collect())
    }
}
