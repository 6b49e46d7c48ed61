//! Changing a resource whose type version has hooks for it.

use super::hooks::{Hooks, UPDATE, about};
use super::saved::SavedUpdate;
use crate::attempts::{Attempts, unless_raced};
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::State;
use crate::keys::TypeKey;
use crate::lifecycle::HookWork;
use crate::migrations::is_migration;
use crate::read::{Found, Target};
use crate::resource::Changed;
use crate::tasks::{NewTask, Task, record};
use crate::write::Update;
use coeval_access::Action;
use coeval_core::types::Hook;
use coeval_core::version::Version;
use coeval_storage::Condition;
use std::sync::Arc;

/// What came of a change.
#[derive(Clone, Debug)]
pub enum Updated {
    /// It is made; the task runs the hook that follows it, if there is one.
    Done(Box<Changed>, Option<Task>),
    /// The task makes it, after a hook.
    Accepted(Task),
}

impl Engine {
    /// Changes a resource and runs the hooks of its type version: `PreDelete` before a change that
    /// begins its deletion, `PostUpdate` after any other.
    ///
    /// # Errors
    /// As [`Engine::update`]; or hooks are to be left out and the caller may not; or one can't be
    /// run.
    pub async fn update_with(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        update: &Update,
        hooks: Hooks,
    ) -> Result<Updated, EngineError> {
        if update.needs_revision && update.revision.is_none() && update.mask.is_none() {
            return Err(EngineError::RevisionNeeded);
        }
        if is_migration(of) {
            let changed = self.update_migration(caller, target, update).await?;
            return Ok(Updated::Done(Box::new(changed), None));
        }
        crate::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self.find(caller, of, target, Action::Modify).await?;
            let state = Arc::clone(&found.fetched.state);
            let outcome = self.try_update(caller, &found, update, hooks).await;
            let outcome = self.unless_edited(&state, outcome).await;
            if let Some(outcome) = unless_raced(outcome)?.flatten() {
                return Ok(outcome);
            }
        }
    }

    async fn try_update(
        &self,
        caller: &Caller,
        found: &Found,
        update: &Update,
        hooks: Hooks,
    ) -> Result<Updated, EngineError> {
        let (state, before) = (&*found.fetched.state, &found.stored.header);
        let runs = self.runs_hooks(caller, state, before.version, hooks)?;
        // All refusals come first, also those of a change that waits for a hook.
        let mut planned = self.plan_update(caller, found, update).await?;
        let begins =
            update.meta.state == Some(State::InDeletion) && before.state != State::InDeletion;
        if runs
            && begins
            && self
                .runnable_hook(state, before.version, Hook::PreDelete)
                .await?
                .is_some()
        {
            let new = task_of(found, before.version, HookWork::Update)?;
            let (task, deed) = self.draft(caller, new)?;
            let saved = SavedUpdate::of(update);
            let saved = self.save_update(state, task.id, &saved)?;
            let steps = vec![
                record::step(&task, Condition::NotExists)?,
                record::open_step(task.id, saved)?,
                self.audit_step(caller, &deed)?,
            ];
            let key = crate::keys::task(task.id)?;
            self.commit(&key, coeval_storage::AtomicWrite { steps })
                .await?;
            return Ok(Updated::Accepted(task));
        }
        let after = planned.after.header.version;
        let mut task = None;
        if runs
            && self
                .runnable_hook(state, after, Hook::PostUpdate)
                .await?
                .is_some()
        {
            let new = task_of(found, after, HookWork::Updated)?;
            let (drafted, _) = self.draft(caller, new)?;
            let steps = &mut planned.write.steps;
            steps.push(record::step(&drafted, Condition::NotExists)?);
            steps.push(record::open_step(drafted.id, Vec::new())?);
            task = Some(drafted);
        }
        let changed = self.finish_update(caller, found, update, planned).await?;
        Ok(Updated::Done(Box::new(changed), task))
    }
}

fn task_of(found: &Found, version: Version, work: HookWork) -> Result<NewTask<'_>, EngineError> {
    let (of, stored) = (&found.fetched.state.key, &found.stored);
    let urn = crate::seen::urn(of, stored.id);
    Ok(NewTask {
        operation: UPDATE,
        description: format!("Updating {}({urn})", stored.header.name),
        of,
        about: about(of, version, stored.id),
        input: crate::encode::encode_value("a hook", &work)?,
        deed: Deed::of_resource(What::Invoke, of, stored.id, &stored.header),
    })
}
