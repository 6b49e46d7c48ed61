//! A resource, read in one snapshot with the phase record of its type.

use crate::catalog::Catalog;
use crate::types::pair::Pair;
use crate::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::{Key, ReadRequest, ReadSnapshot, StoredEntry, Token};
use std::sync::Arc;

/// A resource, read in one snapshot with its type's phase record.
#[derive(Debug)]
pub struct Fetched {
    pub state: Arc<TypeState>,
    pub token: Token,
    /// The key that it was found under.
    pub key: Key,
    pub stored: Option<Stored>,
    /// Both of its records, if its type is in migration and it is of one of the two majors.
    pub pair: Option<Pair>,
    /// What else was asked for.
    pub extra: ReadSnapshot,
}

impl Fetched {
    /// From the phase record and the records at each major, as they were read; nothing if the type
    /// is not as it was loaded.
    pub fn found(
        state: &Arc<TypeState>,
        id: Uuid,
        own: Vec<Option<StoredEntry>>,
        token: Token,
        extra: ReadSnapshot,
    ) -> Result<Option<Self>, EngineError> {
        let mut own = own.into_iter();
        let phase = own.next().flatten();
        if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
            return Ok(None);
        }
        // After the comparison: an outdated state may refuse what is allowed by now.
        let part = state.reading()?;
        let mut pair = part.map(|part| Pair::absent(*part));
        let mut elsewhere = None;
        for (major, entry) in state.majors.iter().zip(own) {
            let Some(entry) = entry else { continue };
            let key = entry.key.clone();
            let stored = Stored::decode(id, &entry.into_record()?)?;
            match (&mut pair, part) {
                (Some(pair), Some(part)) if *major == part.migration.from => {
                    pair.old = Some(stored);
                }
                (Some(pair), Some(part)) if *major == part.migration.to => {
                    pair.new = Some(stored);
                }
                _ => {
                    elsewhere.get_or_insert((key, stored));
                }
            }
        }
        // A record at a third major answers only if the pair has none to show.
        let pair = pair.filter(|pair| elsewhere.is_none() || pair.read().0.is_some());
        let found = match &pair {
            None => elsewhere,
            Some(pair) => match pair.read().0 {
                None => None,
                Some(stored) => {
                    let major = stored.header.version.major;
                    Some((keys::record(&state.key, major, id)?, stored.clone()))
                }
            },
        };
        let (key, stored) = match found {
            None => (keys::record(&state.key, 0, id)?, None),
            Some((key, stored)) => (key, Some(stored)),
        };
        Ok(Some(Self {
            state: Arc::clone(state),
            token,
            key,
            stored,
            pair,
            extra,
        }))
    }

    /// The record that writes are put onto, in place of the one that reads are answered from.
    pub fn turn_to_truth(&mut self) -> Result<(), EngineError> {
        if let Some(truth) = self.pair.as_ref().and_then(Pair::truth) {
            let major = truth.header.version.major;
            self.key = keys::record(&self.state.key, major, truth.id)?;
            self.stored = Some(truth.clone());
        }
        Ok(())
    }
}

impl Catalog {
    /// Reads a resource in one snapshot with its type's phase record, and whatever else. A type
    /// that changed since it was loaded is loaded again first.
    pub async fn fetch(
        &self,
        of: &TypeKey,
        id: Uuid,
        extra: ReadRequest,
    ) -> Result<Fetched, EngineError> {
        // Perhaps outdated: the snapshot tells, and then it is loaded again.
        let mut state = self.types.get(of).await?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let mut request = extra.clone();
            let asked = request.keys.len();
            request.keys.push(state.phase_key.clone());
            for major in &state.majors {
                request.keys.push(keys::record(of, *major, id)?);
            }
            let mut snapshot = self.store.read(request).await?;
            let own = snapshot.keys.split_off(asked);
            match Fetched::found(&state, id, own, snapshot.token, snapshot)? {
                Some(fetched) => return Ok(fetched),
                None => state = self.types.load(of).await?,
            }
        }
    }
}
