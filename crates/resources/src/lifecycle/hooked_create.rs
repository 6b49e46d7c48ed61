//! Making a resource whose type version has a hook for it: it is `PRE_CREATED` until the hook has
//! run, and its task runs the hook.

use crate::lifecycle::hooks::{HookWork, refuse};
use crate::resources::Resources;
use crate::tasks::record;
use crate::write::create::Planned;
use crate::write::request::{Checking, Create};
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::types::{HookPoint, Visibility};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::task_status::Status;
use coeval_storage::WriteCondition;

/// What a hook adds to a creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hooked {
    No,
    PostCreate,
}

impl Resources {
    /// What hooks make of a creation.
    pub(crate) async fn hooked_creation(
        &self,
        caller: &Caller,
        state: &TypeState,
        create: &Create,
    ) -> Result<(Hooked, Create), EngineError> {
        let plain = || Ok((Hooked::No, create.clone()));
        let at = create.at.version();
        if !self.runs_hooks(caller, state, at, create.hooks)? {
            return plain();
        }
        let definition = state.version(at);
        let before = definition.is_some_and(|one| {
            let mut hooks = one.hooks.iter();
            hooks.any(|(hook, _)| *hook == HookPoint::PreCreate)
        });
        if before {
            let reason = "nothing runs before a resource is made; use PostCreate".to_owned();
            return Err(refuse(state, at, HookPoint::PreCreate, reason));
        }
        let hook = self.runnable_hook(state, at, HookPoint::PostCreate).await?;
        let Some(definition) = definition.filter(|_| hook.is_some()) else {
            return plain();
        };
        let mut create = create.clone();
        if create.checking == Checking::Strict {
            // Its state waits for the hook; what does not fit is refused all the same.
            let (versions, content) = (&state.versions, create.content.clone());
            let record = versions.create_for(at, content, Visibility::Private)?;
            definition.schema.validate(&record.content)?;
        }
        create.checking = Checking::Later;
        // The caller gets a task to wait for, even if it did not ask for one: the hook runs later.
        create.announced = true;
        Ok((Hooked::PostCreate, create))
    }
}

impl Hooked {
    /// Puts the task of a creation into the queue, for a runner to run the hook.
    pub(crate) fn join(self, planned: Option<Planned>) -> Result<Option<Planned>, EngineError> {
        let Some(mut planned) = planned else {
            return Ok(None);
        };
        if let (Self::PostCreate, Some(task)) = (self, &mut planned.task) {
            task.status = Status::Queued;
            task.started = None;
            task.input = coeval_records::encode::encode_value("a hook", &HookWork::Created)?;
            let key = keys::task(task.id)?;
            let steps = &mut planned.write.steps;
            // The plan has a step for the same task as running; one key must not be written twice.
            steps.retain(|step| step.key != key);
            steps.push(record::step(task, WriteCondition::NotExists)?);
            // Without it no runner would find the task.
            steps.push(record::open_step(task.id, Vec::new())?);
        }
        Ok(Some(planned))
    }
}
