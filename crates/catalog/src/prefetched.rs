//! A resource that is read in the snapshot in which its caller is authenticated, so that a request for
//! one resource costs one read.
//!
//! Who dispatches a request knows from its path which resource it is about, before it knows who sends
//! it. `caller_for` reads both at once and attaches the resource to the caller that it returns.
//! What is promised:
//!
//! - It is as if it was read by the call itself: as it was at that moment, not older than what the caller
//!   has seen. It is no cache: nothing keeps it longer than the request.
//! - It is taken once. The first call that looks for this very resource takes it; one that looks again,
//!   because it lost a race, reads the store, and so does one that looks for another.
//! - It is no decision: who took it asks whether the caller may see it, as for anything that was read.
//! - If its type has changed since it was loaded, it is dropped and read anew.

use crate::fetched::Fetched;
use crate::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{ReadRequest, ReadSnapshot, StoredEntry, Token};
use std::sync::{Arc, Mutex, PoisonError};

/// What was read of one resource together with its caller, until a call takes it. The clones of a caller
/// share it.
#[derive(Debug)]
pub struct PrefetchedResource {
    of: TypeKey,
    id: Uuid,
    /// The type as it was loaded when the keys were chosen.
    state: Arc<TypeState>,
    /// The phase record, then the record at each major.
    read: Mutex<Option<(Vec<Option<StoredEntry>>, Token)>>,
}

impl PrefetchedResource {
    /// Of what was read by [`Self::request`].
    #[must_use]
    pub fn new(state: Arc<TypeState>, id: Uuid, read: ReadSnapshot) -> Self {
        Self {
            of: state.key.clone(),
            id,
            state,
            read: Mutex::new(Some((read.keys, read.token))),
        }
    }

    /// What to read: the phase record, then the record at each major.
    pub fn request(state: &TypeState, id: Uuid) -> Result<ReadRequest, EngineError> {
        let mut request = ReadRequest::keys([state.phase_key.clone()]);
        for major in &state.majors {
            request.keys.push(keys::record(&state.key, *major, id)?);
        }
        Ok(request)
    }

    /// The resource, if it is this one, nobody took it, and its type is as it was loaded.
    pub fn take(&self, of: &TypeKey, id: Uuid) -> Result<Option<Fetched>, EngineError> {
        if self.id != id || self.of != *of {
            return Ok(None);
        }
        // Out of the lock: of all clones of a caller one takes it.
        let taken = {
            let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
            read.take()
        };
        let Some((own, token)) = taken else {
            return Ok(None);
        };
        let nothing = ReadSnapshot {
            token,
            keys: Vec::new(),
            pages: Vec::new(),
        };
        Fetched::found(&self.state, id, own, token, nothing)
    }
}
