//! The state of a resource after its first hook.

use crate::pairs::object::Putting;
use crate::resources::Resources;
use crate::secure::Sealed;
use crate::write::steps::fenced;
use coeval_catalog::caller::Caller;
use coeval_core::phases;
use coeval_core::version::Uuid;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::State;
use coeval_records::keys::TypeKey;
use coeval_records::text::short;
use coeval_storage::{AtomicWrite, ReadRequest};

/// What settles a resource, and how its task ends.
#[derive(Debug)]
pub struct Settled {
    /// Nothing: it is as it should be.
    pub write: AtomicWrite,
    /// Why it is not resolved.
    pub error: Option<EngineError>,
}

impl Resources {
    /// A new resource is resolved after its hook, or is not because that failed.
    pub async fn plan_settle(
        &self,
        caller: &Caller,
        of: &TypeKey,
        id: Uuid,
        failed: Option<&EngineError>,
    ) -> Result<Settled, EngineError> {
        // Whatever was granted or taken away meanwhile: it was made by this caller.
        let mut fetched = self.fetch(of, id, ReadRequest::default()).await?;
        // In a migration only the source of truth may be changed; the mirror follows from it.
        fetched.turn_to_truth()?;
        let gone = || EngineError::no_resource(format!("{of} {id}"));
        let stored = fetched.stored.take().ok_or_else(gone)?;
        let state = &*fetched.state;
        let error = match failed {
            Some(error) => Some(error.clone()),
            None => match state.version(stored.header.version) {
                // A version that is not known here can't be checked; the hook decided, so it is
                // resolved.
                None => None,
                Some(definition) => {
                    let opened = self.open_record(state, &stored).await?;
                    let fits = definition.schema.validate(&opened.record.content);
                    fits.err().map(EngineError::from)
                }
            },
        };
        let (to, message) = match &error {
            None => (State::Resolved, None),
            Some(error) => (State::ResolutionError, Some(short(&error.to_string()))),
        };
        let before = &stored.header;
        // A deletion that has begun is not undone. And the task may be run again after a server
        // died: then all is as it should be already.
        let stays =
            before.state == State::InDeletion || (before.state == to && before.message == message);
        if stays {
            let write = AtomicWrite::new();
            return Ok(Settled { write, error });
        }
        let mut header = stored.header.clone();
        header.state = to;
        header.message = message;
        // Clocks of servers differ; the time of the last change never goes back.
        header.modified = self.now().max(header.modified);
        caller.user().clone_into(&mut header.modified_by);
        header.generation += 1;
        // The runner ends the task itself; a later write to the resource must not look for it.
        header.creation = None;
        let after = Sealed::unchanged(&stored, header);
        let putting = Putting {
            state,
            id,
            before: Some((&fetched, &stored)),
            after: &after,
            whole: None,
            expires: stored.expires,
            write: phases::PhaseWrite::Update(phases::WriteMajor::Old),
            said: None,
        };
        let mut write = self.put_object(fenced(state), &putting).await?;
        let mut deed = Deed::of_resource(What::Resolve, of, id, &after.store.header);
        deed.before = Some(stored.revision.to_string());
        write.steps.push(self.audit_step(caller, &deed)?);
        Ok(Settled { write, error })
    }
}
