//! Deleting a resource whose type version has hooks for it.

use super::hooks::{DELETE, Hooks, about};
use crate::attempts::{Attempts, unless_raced};
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::State;
use crate::keys::TypeKey;
use crate::lifecycle::HookWork;
use crate::migrations::is_migration;
use crate::read::Target;
use crate::tasks::{NewTask, Task};
use coeval_access::Action;
use coeval_core::types::Hook;
use coeval_storage::{Revision, Token};

/// What came of a deletion.
#[derive(Clone, Debug)]
pub enum Deleted {
    /// It is gone.
    Done(Token),
    /// The task deletes it, with its hooks.
    Accepted(Box<Task>),
}

impl Engine {
    /// Deletes a resource and runs the hooks of its type version: `PreDelete` unless its deletion
    /// has begun, and `PostDelete` before it goes for good.
    ///
    /// # Errors
    /// As [`Engine::delete`]; or hooks are to be left out and the caller may not; or one can't be
    /// run.
    pub async fn delete_with(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        revision: Option<Revision>,
        hooks: Hooks,
    ) -> Result<Deleted, EngineError> {
        if is_migration(of) {
            let token = self.forget_migration(caller, target, revision).await?;
            return Ok(Deleted::Done(token));
        }
        crate::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self.find(caller, of, target, Action::Delete).await?;
            let (state, stored) = (&*found.fetched.state, &found.stored);
            let version = stored.header.version;
            let runs = self.runs_hooks(caller, state, version, hooks)?;
            // All refusals come first, also those of a deletion that waits for a hook.
            let (head, write) = self.plan_delete(caller, &found, revision, false).await?;
            let mut hooked = false;
            if runs {
                if stored.header.state != State::InDeletion {
                    let before = self.runnable_hook(state, version, Hook::PreDelete);
                    hooked = before.await?.is_some();
                }
                let after = self.runnable_hook(state, version, Hook::PostDelete);
                hooked |= after.await?.is_some();
            }
            if hooked {
                let urn = crate::seen::urn(of, stored.id);
                let work = HookWork::Delete {
                    revision: revision.map(|revision| revision.to_string()),
                };
                let new = NewTask {
                    operation: DELETE,
                    description: format!("Deleting {}({urn})", stored.header.name),
                    of,
                    about: about(of, version, stored.id),
                    input: crate::encode::encode_value("a hook", &work)?,
                    deed: Deed::of_resource(What::Invoke, of, stored.id, &stored.header),
                };
                let task = self.submit(caller, new).await?;
                return Ok(Deleted::Accepted(Box::new(task)));
            }
            // The audit record is what is left of a delete, so it tells whether it happened.
            if let Some(written) = unless_raced(self.commit(&head, write).await)? {
                return Ok(Deleted::Done(written.token));
            }
        }
    }
}
