//! Making a resource whose type version has a hook for it: it is `PRE_CREATED` until the hook has
//! run, and its task runs the hook.

use super::hooks::{Hooks, refuse};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::lifecycle::HookWork;
use crate::resource::Changed;
use crate::tasks::{Status, record};
use crate::types::state::TypeState;
use crate::write::{Checking, Create, Planned};
use coeval_core::types::{Hook, Visibility};
use coeval_storage::Condition;

/// What a hook adds to a creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hooked {
    No,
    PostCreate,
}

impl Engine {
    /// Makes a resource and runs the hook of its type version. With a hook it is not resolved
    /// before that has succeeded, whatever was asked for; the answer's task goes on with it.
    ///
    /// # Errors
    /// As [`Engine::create`]; or hooks are to be left out and the caller may not; or one can't be
    /// run.
    pub async fn create_with(
        &self,
        caller: &Caller,
        of: &TypeKey,
        create: Create,
        hooks: Hooks,
    ) -> Result<Changed, EngineError> {
        self.make(caller, of, create, Some(hooks)).await
    }

    /// What hooks make of a creation.
    pub(crate) async fn hooked_creation(
        &self,
        caller: &Caller,
        state: &TypeState,
        create: &Create,
        hooks: Option<Hooks>,
    ) -> Result<(Hooked, Create), EngineError> {
        let plain = || Ok((Hooked::No, create.clone()));
        let at = create.at.version();
        let Some(hooks) = hooks else {
            return plain();
        };
        if !self.runs_hooks(caller, state, at, hooks)? {
            return plain();
        }
        let definition = state.version(at);
        let before = definition.is_some_and(|one| {
            let mut hooks = one.hooks.iter();
            hooks.any(|(hook, _)| *hook == Hook::PreCreate)
        });
        if before {
            let reason = "nothing runs before a resource is made; use PostCreate".to_owned();
            return Err(refuse(state, at, Hook::PreCreate, reason));
        }
        let hook = self.runnable_hook(state, at, Hook::PostCreate).await?;
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
            task.input = crate::encode::encode_value("a hook", &HookWork::Created)?;
            let key = keys::task(task.id)?;
            let steps = &mut planned.write.steps;
            steps.retain(|step| step.key != key);
            steps.push(record::step(task, Condition::NotExists)?);
            steps.push(record::open_step(task.id, Vec::new())?);
        }
        Ok(Some(planned))
    }
}
