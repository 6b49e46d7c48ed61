//! A resource that is read in the snapshot in which its caller is found out, so that a request for
//! one resource costs one read.

use crate::caller::{Caller, WantedVersions};
use crate::engine::{Engine, Fetched};
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_storage::{Entry, ReadRequest, Snapshot, Token};
use std::sync::{Arc, Mutex};

/// What was read, until somebody takes it.
#[derive(Debug)]
pub(crate) struct Ahead {
    of: TypeKey,
    id: Uuid,
    state: Arc<TypeState>,
    read: Mutex<Option<(Vec<Option<Entry>>, Token)>>,
}

impl Ahead {
    /// What to read: the phase record, then the record at each major.
    fn request(state: &TypeState, id: Uuid) -> Result<ReadRequest, EngineError> {
        let mut request = ReadRequest::keys([state.phase_key.clone()]);
        for major in &state.majors {
            request.keys.push(keys::record(&state.key, *major, id)?);
        }
        Ok(request)
    }

    /// The resource, if it is this one, nobody took it, and its type is as it was loaded.
    pub(crate) fn take(&self, of: &TypeKey, id: Uuid) -> Result<Option<Fetched>, EngineError> {
        if self.id != id || self.of != *of {
            return Ok(None);
        }
        // A lock that somebody broke off under holds nothing worth having.
        let read = self.read.lock().ok().and_then(|mut read| read.take());
        let Some((own, token)) = read else {
            return Ok(None);
        };
        let nothing = Snapshot {
            token,
            keys: Vec::new(),
            pages: Vec::new(),
        };
        Fetched::found(&self.state, id, own, token, nothing)
    }
}

impl Engine {
    /// As [`Engine::caller`], and reads the resource that the request is about along with it.
    ///
    /// # Errors
    /// As [`Engine::caller`].
    pub async fn caller_for(
        &self,
        sent: &str,
        context: Option<&str>,
        wanted: WantedVersions,
        at_least: Option<Token>,
        (of, id): (&TypeKey, Uuid),
    ) -> Result<Caller, EngineError> {
        // A type that there is not is told by whoever looks for its resource.
        let Ok(state) = self.types.get(of).await else {
            return self.caller(sent, context, wanted).await;
        };
        let mut request = Ahead::request(&state, id)?;
        request.at_least = at_least;
        let (mut caller, snapshot) = self.caller_and(sent, context, wanted, request).await?;
        caller.at_least = at_least;
        caller.ahead = Some(Arc::new(Ahead {
            of: of.clone(),
            id,
            state,
            read: Mutex::new(Some((snapshot.keys, snapshot.token))),
        }));
        Ok(caller)
    }
}
