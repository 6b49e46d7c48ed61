//! Deleting a resource whose type version has hooks for it: a task does it.

use crate::lifecycle::hooks::{DELETE, HookWork, about};
use crate::read::Found;
use crate::resources::Resources;
use crate::task_calls::NewTask;
use crate::tasks::task::Task;
use coeval_catalog::caller::Caller;
use coeval_core::types::HookPoint;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_storage::Revision;

impl Resources {
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
        // `PreDelete` ran when the state was set; it must not run a second time.
        if stored.header.state != State::InDeletion {
            let before = self.runnable_hook(state, version, HookPoint::PreDelete);
            hooked = before.await?.is_some();
        }
        let after = self.runnable_hook(state, version, HookPoint::PostDelete);
        hooked |= after.await?.is_some();
        if !hooked {
            return Ok(None);
        }
        let urn = crate::resource::urn(of, stored.id);
        // The revision goes with the task: the resource may change before it is deleted.
        let work = HookWork::Delete {
            revision: revision.map(|revision| revision.to_string()),
        };
        let new = NewTask {
            operation: DELETE,
            description: format!("Deleting {}({urn})", stored.header.name),
            of,
            about: about(of, version, stored.id),
            input: coeval_records::encode::encode_value("a hook", &work)?,
            deed: Deed::of_resource(What::Invoke, of, stored.id, &stored.header),
        };
        self.submit(caller, new).await.map(Some)
    }
}
