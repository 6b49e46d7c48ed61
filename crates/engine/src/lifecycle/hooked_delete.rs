//! Deleting a resource whose type version has hooks for it: a task does it.

use super::hooks::{DELETE, about};
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::State;
use crate::lifecycle::HookWork;
use crate::read::Found;
use crate::tasks::{NewTask, Task};
use coeval_core::types::HookPoint;
use coeval_storage::Revision;

impl Engine {
    /// The task that deletes a resource with the hooks of its type version: `PreDelete` unless its
    /// deletion has begun, and `PostDelete` before it goes for good. `None` if there are none.
    ///
    /// # Errors
    /// If one of them can't be run.
    pub(crate) async fn delete_hooked(
        &self,
        caller: &Caller,
        found: &Found,
        revision: Option<Revision>,
    ) -> Result<Option<Task>, EngineError> {
        let (state, stored) = (&*found.fetched.state, &found.stored);
        let (of, version) = (&state.key, stored.header.version);
        let mut hooked = false;
        if stored.header.state != State::InDeletion {
            let before = self.runnable_hook(state, version, HookPoint::PreDelete);
            hooked = before.await?.is_some();
        }
        let after = self.runnable_hook(state, version, HookPoint::PostDelete);
        hooked |= after.await?.is_some();
        if !hooked {
            return Ok(None);
        }
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
        self.submit(caller, new).await.map(Some)
    }
}
