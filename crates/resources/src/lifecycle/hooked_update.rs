//! Changing a resource whose type version has hooks for it: the change waits for `PreDelete` if it begins
//! a deletion, and is written with the task of `PostUpdate` if it does not.

use crate::lifecycle::hooks::{HookWork, UPDATE, about};
use crate::lifecycle::saved::SavedUpdate;
use crate::read::Found;
use crate::resources::Resources;
use crate::task_calls::NewTask;
use crate::tasks::record;
use crate::write::request::{Update, Updated};
use coeval_catalog::caller::Caller;
use coeval_core::types::HookPoint;
use coeval_core::version::Version;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_storage::WriteCondition;

impl Resources {
    /// One attempt at a change: with its hooks, if the type version has any that are to run.
    pub(crate) async fn attempt_hooked(
        &self,
        caller: &Caller,
        found: &Found,
        update: &Update,
    ) -> Result<Updated, EngineError> {
        let (state, before) = (&*found.fetched.state, &found.stored.header);
        let runs = self.runs_hooks(caller, state, before.version, update.hooks)?;
        // All refusals come first, also those of a change that waits for a hook.
        let mut planned = self.plan_update(caller, found, update).await?;
        let begins =
            update.meta.state == Some(State::InDeletion) && before.state != State::InDeletion;
        if runs
            && begins
            && self
                .runnable_hook(state, before.version, HookPoint::PreDelete)
                .await?
                .is_some()
        {
            let new = task_of(found, before.version, HookWork::Update)?;
            let (task, deed) = self.draft(caller, new)?;
            let saved = SavedUpdate::of(update);
            let saved = self.save_update(state, task.id, &saved)?;
            let steps = vec![
                record::step(&task, WriteCondition::NotExists)?,
                record::open_step(task.id, saved)?,
                self.audit_step(caller, &deed)?,
            ];
            let key = coeval_records::keys::task(task.id)?;
            self.commit(&key, coeval_storage::AtomicWrite { steps })
                .await?;
            return Ok(Updated::Accepted(task));
        }
        // The version after the change: `PostUpdate` belongs to what the resource has become.
        let after = planned.after.header.version;
        let mut task = None;
        if runs
            && self
                .runnable_hook(state, after, HookPoint::PostUpdate)
                .await?
                .is_some()
        {
            let new = task_of(found, after, HookWork::Updated)?;
            let (drafted, _) = self.draft(caller, new)?;
            let steps = &mut planned.write.steps;
            // With the change in one write: neither a change without its hook nor a hook without
            // its change.
            steps.push(record::step(&drafted, WriteCondition::NotExists)?);
            steps.push(record::open_step(drafted.id, Vec::new())?);
            task = Some(drafted);
        }
        let changed = self.finish_update(caller, found, update, planned).await?;
        Ok(Updated::Done(Box::new(changed), task))
    }
}

fn task_of(found: &Found, version: Version, work: HookWork) -> Result<NewTask<'_>, EngineError> {
    let (of, stored) = (&found.fetched.state.key, &found.stored);
    let urn = crate::resource::urn(of, stored.id);
    Ok(NewTask {
        operation: UPDATE,
        description: format!("Updating {}({urn})", stored.header.name),
        of,
        about: about(of, version, stored.id),
        input: coeval_records::encode::encode_value("a hook", &work)?,
        deed: Deed::of_resource(What::Invoke, of, stored.id, &stored.header),
    })
}
