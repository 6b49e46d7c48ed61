//! The next resources of a mass migration: read by pages, converted on threads of their own.

use super::batch::Cost;
use super::plan::{Aim, migrated};
use super::report::Outcome;
use crate::allow::{allowed, version_facts};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys;
use crate::secure::Opened;
use crate::stored::Stored;
use crate::tasks::TaskError;
use crate::types::state::TypeState;
use crate::write::decode_acl;
use coeval_access::{Acl, Action};
use coeval_core::version::Uuid;
use coeval_storage::{Entry, Key, Limits, Range, ReadRequest, Step};
use futures::future::try_join_all;
use std::collections::HashMap;
use std::sync::Arc;

/// How many resources are converted in one go on one thread.
const CHUNK: usize = 64;

/// A resource, ready to be written.
#[derive(Debug)]
pub(super) struct Ready {
    /// Its entry in the index, which the checkpoint names.
    pub(super) entry: Key,
    pub(super) id: Uuid,
    pub(super) steps: Vec<Step>,
    pub(super) cost: Cost,
    /// `None`: nothing is told of it.
    pub(super) outcome: Option<Outcome>,
    /// Whether something is written: its steps are handed on before that is known.
    pub(super) writes: bool,
}

impl Ready {
    pub(super) fn untouched(entry: Key, id: Uuid, outcome: Option<Outcome>) -> Self {
        Self {
            entry,
            id,
            steps: Vec::new(),
            cost: Cost::default(),
            outcome,
            writes: false,
        }
    }
}

/// Whose resources are migrated, and how.
#[derive(Clone)]
pub(super) struct Mover {
    pub(super) engine: Arc<Engine>,
    pub(super) caller: Caller,
    pub(super) aim: Arc<Aim>,
}

type Candidate = (Key, Stored, Opened);

/// What was found in the index, prepared.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) ready: Vec<Ready>,
    /// The last entry that was read.
    pub(super) last: Option<Key>,
}

impl Mover {
    /// The next resources of a part of the index; `None` if the type is not as it was loaded.
    pub(super) async fn page(
        &self,
        state: &Arc<TypeState>,
        range: Range,
    ) -> Result<Option<Page>, EngineError> {
        let (_, page) = self.engine.store.range(range).await?;
        let last = page.entries.last().map(|entry| entry.key.clone());
        let entries: Vec<(Key, Uuid)> = page
            .entries
            .into_iter()
            .filter_map(|entry| keys::id_of_entry(&entry.key).map(|id| (entry.key, id)))
            .collect();
        let ready = self.prepare(state, entries).await?;
        Ok(ready.map(|ready| Page { ready, last }))
    }

    /// The resources of these index entries, in their order; `None` if the type is not as it was
    /// loaded.
    async fn prepare(
        &self,
        state: &Arc<TypeState>,
        entries: Vec<(Key, Uuid)>,
    ) -> Result<Option<Vec<Ready>>, EngineError> {
        let Some(records) = self.read_records(state, &entries).await? else {
            return Ok(None);
        };
        let acls = self.read_acls(state, &entries, &records).await?;
        let mut all: Vec<Option<Ready>> = Vec::with_capacity(entries.len());
        let mut candidates: Vec<(usize, Candidate)> = Vec::new();
        for ((entry, id), record) in entries.iter().zip(records) {
            let untouched = |outcome| Some(Ready::untouched(entry.clone(), *id, outcome));
            let failed = |error: &EngineError| untouched(Some(Outcome::failed(error)));
            let ready = match record {
                Err(error) => failed(&error),
                Ok(None) => untouched(None),
                Ok(Some((_, stored))) if stored.header.version != self.aim.from => untouched(None),
                Ok(Some((key, stored))) => match self.allow(state, &stored, acls.get(id)) {
                    Err(EngineError::Denied(denied)) if denied.hidden => untouched(None),
                    Err(error) => untouched(Some(Outcome::skipped(&error))),
                    Ok(()) => match self.engine.open_record(state, &stored).await {
                        Ok(opened) => {
                            candidates.push((all.len(), (key, stored, opened)));
                            None
                        }
                        // Changed between the look at it and the look at its secrets: reported, and
                        // found by the next run.
                        Err(EngineError::Storage(error)) if !crate::write::is_race(&error) => {
                            return Err(error.into());
                        }
                        Err(error) => failed(&error),
                    },
                },
            };
            all.push(ready);
        }
        for (at, found) in self.convert(state, candidates).await? {
            let (Some(place), Some((entry, id))) = (all.get_mut(at), entries.get(at)) else {
                continue;
            };
            *place = Some(match found {
                Err(error @ EngineError::StateForbids { .. }) => {
                    Ready::untouched(entry.clone(), *id, Some(Outcome::skipped(&error)))
                }
                Err(error) => Ready::untouched(entry.clone(), *id, Some(Outcome::failed(&error))),
                Ok((steps, said)) => {
                    let steps = if self.aim.dry_run { Vec::new() } else { steps };
                    Ready {
                        entry: entry.clone(),
                        id: *id,
                        cost: Cost::of(&steps),
                        steps,
                        outcome: Some(said.unwrap_or(Outcome::MIGRATED)),
                        writes: false,
                    }
                }
            });
        }
        Ok(Some(all.into_iter().flatten().collect()))
    }

    /// Many records, each page in one snapshot with the type's phase record.
    async fn read_records(
        &self,
        state: &TypeState,
        entries: &[(Key, Uuid)],
    ) -> Result<Option<Vec<Result<Option<(Key, Stored)>, EngineError>>>, EngineError> {
        let mut asked = Vec::new();
        for chunk in entries.chunks(Limits::default().read_parts - 1) {
            let mut request = ReadRequest::keys([state.phase_key.clone()]);
            for (_, id) in chunk {
                let key = keys::record(&self.aim.of, self.aim.from.major, *id)?;
                request.keys.push(key);
            }
            asked.push(self.engine.store.read(request));
        }
        let mut records = Vec::with_capacity(entries.len());
        let mut ids = entries.iter().map(|(_, id)| *id);
        for snapshot in try_join_all(asked).await? {
            let mut found = snapshot.keys.into_iter();
            let phase = found.next().flatten();
            if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
                return Ok(None);
            }
            records.extend(found.zip(ids.by_ref()).map(|(entry, id)| decode(id, entry)));
        }
        Ok(Some(records))
    }

    /// The ACLs that a decision depends on.
    async fn read_acls(
        &self,
        state: &TypeState,
        entries: &[(Key, Uuid)],
        records: &[Result<Option<(Key, Stored)>, EngineError>],
    ) -> Result<HashMap<Uuid, Result<Acl, EngineError>>, EngineError> {
        let action = self.action(state);
        let mut needed = Vec::new();
        for ((_, id), record) in entries.iter().zip(records) {
            if let Ok(Some((_, stored))) = record
                && let Ok(None) = allowed(&self.caller, state, stored, action, None)
            {
                needed.push(*id);
            }
        }
        let mut acls = HashMap::new();
        for chunk in needed.chunks(Limits::default().read_parts) {
            let wanted: Result<Vec<_>, _> = chunk.iter().map(|id| keys::acl(*id)).collect();
            let snapshot = self.engine.store.read(ReadRequest::keys(wanted?)).await?;
            for (id, entry) in chunk.iter().zip(snapshot.keys) {
                let acl = match entry {
                    None => Ok(Acl::default()),
                    Some(entry) => decode_acl(&entry).ok_or_else(|| EngineError::Unreadable {
                        id: *id,
                        reason: "its ACL can't be read".to_owned(),
                    }),
                };
                acls.insert(*id, acl);
            }
        }
        Ok(acls)
    }

    fn action(&self, state: &TypeState) -> Action {
        Action::ChangeVersion(version_facts(state, self.aim.to, &self.caller.subject))
    }

    /// Whether the caller may move it.
    fn allow(
        &self,
        state: &TypeState,
        stored: &Stored,
        acl: Option<&Result<Acl, EngineError>>,
    ) -> Result<(), EngineError> {
        let acl = match acl {
            Some(Err(error)) => return Err(error.clone()),
            Some(Ok(acl)) => Some(acl),
            None => None,
        };
        match allowed(&self.caller, state, stored, self.action(state), acl)? {
            Some(_) => Ok(()),
            // With the ACL at hand there is always an answer.
            None => Err(EngineError::no_resource(stored.id)),
        }
    }

    /// Converts on threads of their own, since a large document takes its time.
    async fn convert(
        &self,
        state: &Arc<TypeState>,
        mut candidates: Vec<(usize, Candidate)>,
    ) -> Result<Vec<(usize, Converted)>, EngineError> {
        let mut work = Vec::new();
        while !candidates.is_empty() {
            let rest = candidates.split_off(candidates.len().min(CHUNK));
            let chunk = std::mem::replace(&mut candidates, rest);
            let (mover, state) = (self.clone(), Arc::clone(state));
            work.push(tokio::task::spawn_blocking(move || {
                let convert = |one: &Candidate| {
                    migrated(&mover.engine, &mover.caller, &state, &mover.aim, one)
                };
                let converted = chunk.iter().map(|(at, one)| (*at, convert(one)));
                converted.collect::<Vec<_>>()
            }));
        }
        let converted = try_join_all(work).await.map_err(|error| {
            let reason = error.to_string();
            TaskError::Aborted { reason }
        })?;
        Ok(converted.into_iter().flatten().collect())
    }
}

type Converted = Result<(Vec<Step>, Option<Outcome>), EngineError>;

fn decode(id: Uuid, entry: Option<Entry>) -> Result<Option<(Key, Stored)>, EngineError> {
    let Some(entry) = entry else {
        return Ok(None);
    };
    let key = entry.key.clone();
    let stored = Stored::decode(id, &entry.into_record()?)?;
    Ok(Some((key, stored)))
}
