//! The next resources of a mass migration: read by pages, converted on threads of their own.

use crate::background::Background;
use crate::jobs::migrate::batch::Cost;
use crate::jobs::migrate::plan::{Aim, migrated};
use crate::jobs::migrate::report::Outcome;
use crate::jobs::migrate::selection::{Judge, Judged};
use coeval_access::Acl;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::{Uuid, Version};
use coeval_records::acl::decode_acl;
use coeval_records::attempts::is_race;
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_resources::list::scope::version_of_entry;
use coeval_resources::secure::Opened;
use coeval_storage::{
    Key, KeySpan, ReadRange, ReadRequest, StoreLimits, StoredEntry, Token, WriteStep,
};
use futures::future::try_join_all;
use std::collections::HashMap;
use std::sync::Arc;

/// How many resources are converted in one go on one thread.
const CHUNK: usize = 64;

/// A resource, ready to be written.
#[derive(Debug)]
pub(crate) struct Ready {
    /// Its entry in the index, which the checkpoint names.
    pub entry: Key,
    pub id: Uuid,
    pub steps: Vec<WriteStep>,
    pub cost: Cost,
    /// `None`: nothing is told of it.
    pub outcome: Option<Outcome>,
    /// Whether something is written: its steps are handed on before that is known.
    pub writes: bool,
}

impl Ready {
    pub(crate) fn untouched(entry: Key, id: Uuid, outcome: Option<Outcome>) -> Self {
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
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub background: Arc<Background>,
    pub caller: Caller,
    pub aim: Arc<Aim>,
}

type Candidate = (Key, Stored, Opened);

/// An entry of the index of versions.
struct Indexed {
    key: Key,
    id: Uuid,
    version: Version,
}

impl Indexed {
    fn read(key: Key) -> Option<Self> {
        let (id, version) = (keys::id_of_entry(&key)?, version_of_entry(&key)?);
        Some(Self { key, id, version })
    }
}

/// What was found in the index, prepared.
#[derive(Debug, Default)]
pub(crate) struct Page {
    pub ready: Vec<Ready>,
    /// The last entry that was read.
    pub last: Option<Key>,
}

/// Where to go on in the index: the first of these parts that has something after an entry.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub spans: Arc<[KeySpan]>,
    pub after: Option<Key>,
    pub limit: usize,
}

impl Place {
    fn ranges(&self) -> impl Iterator<Item = ReadRange> {
        let rest = |span: &KeySpan| match &self.after {
            None => span.clone(),
            Some(after) => span.after(after),
        };
        let spans = self.spans.iter().map(rest);
        let spans = spans.filter(|span| !span.is_empty());
        spans.map(|span| ReadRange::of(span).limit(self.limit))
    }
}

impl Mover {
    /// The next resources; `None` if the type is not as it was loaded.
    pub(crate) async fn page(
        &self,
        state: &Arc<TypeState>,
        place: &Place,
    ) -> Result<Option<Page>, EngineError> {
        for range in place.ranges() {
            let (token, page) = self.background.store.range(range).await?;
            let Some(last) = page.entries.last().map(|entry| entry.key.clone()) else {
                continue;
            };
            let entries = page.entries.into_iter();
            let entries = entries.filter_map(|entry| Indexed::read(entry.key));
            let ready = self.prepare(state, entries.collect(), token).await?;
            let last = Some(last);
            return Ok(ready.map(|ready| Page { ready, last }));
        }
        Ok(Some(Page::default()))
    }

    fn judge<'a>(&'a self, state: &'a TypeState) -> Judge<'a> {
        Judge {
            background: &self.background,
            caller: &self.caller,
            state,
            aim: &self.aim,
        }
    }

    /// The resources of these index entries, in their order; `None` if the type is not as it was
    /// loaded.
    async fn prepare(
        &self,
        state: &Arc<TypeState>,
        entries: Vec<Indexed>,
        token: Token,
    ) -> Result<Option<Vec<Ready>>, EngineError> {
        let Some(records) = self.read_records(state, &entries).await? else {
            return Ok(None);
        };
        let acls = self.read_acls(state, &entries, &records).await?;
        let judge = self.judge(state);
        let mut all: Vec<Option<Ready>> = Vec::with_capacity(entries.len());
        let mut candidates: Vec<(usize, Candidate)> = Vec::new();
        for (entry, record) in entries.iter().zip(records) {
            let untouched = |outcome| Some(Ready::untouched(entry.key.clone(), entry.id, outcome));
            let ready = match record {
                Err(error) => untouched(judge.unread(entry.version, &error)),
                Ok(None) => untouched(None),
                // It is met where it stands now.
                Ok(Some((_, stored))) if stored.header.version != entry.version => untouched(None),
                Ok(Some((key, stored))) => {
                    match judge.judge(&stored, acls.get(&entry.id), token).await {
                        Judged::Leave(outcome) => untouched(outcome),
                        Judged::Move => match self.background.open_record(state, &stored).await {
                            Ok(opened) => {
                                candidates.push((all.len(), (key, stored, opened)));
                                None
                            }
                            // Changed between the look at it and the look at its secrets: reported,
                            // and found by the next run.
                            Err(EngineError::Storage(error)) if !is_race(&error) => {
                                return Err(error.into());
                            }
                            Err(error) => untouched(Some(judge.unmoved(&stored, error))),
                        },
                    }
                }
            };
            all.push(ready);
        }
        for (at, found) in self.convert(state, candidates).await? {
            let (Some(place), Some(entry)) = (all.get_mut(at), entries.get(at)) else {
                continue;
            };
            let (key, id) = (entry.key.clone(), entry.id);
            *place = Some(match found {
                Err(outcome) => Ready::untouched(key, id, Some(outcome)),
                Ok((steps, said)) => {
                    let steps = if self.aim.dry_run { Vec::new() } else { steps };
                    Ready {
                        entry: key,
                        id,
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
        entries: &[Indexed],
    ) -> Result<Option<Vec<Result<Option<(Key, Stored)>, EngineError>>>, EngineError> {
        let mut asked = Vec::new();
        // One part of each read is the phase record: a page belongs to one revision of the type.
        for chunk in entries.chunks(StoreLimits::default().read_parts - 1) {
            let mut request = ReadRequest::keys([state.phase_key.clone()]);
            for entry in chunk {
                let key = keys::record(&self.aim.of, entry.version.major, entry.id)?;
                request.keys.push(key);
            }
            asked.push(self.background.store.read(request));
        }
        let mut records = Vec::with_capacity(entries.len());
        let mut ids = entries.iter().map(|entry| entry.id);
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
        entries: &[Indexed],
        records: &[Result<Option<(Key, Stored)>, EngineError>],
    ) -> Result<HashMap<Uuid, Result<Acl, EngineError>>, EngineError> {
        let judge = self.judge(state);
        let mut needed = Vec::new();
        for (entry, record) in entries.iter().zip(records) {
            if let Ok(Some((_, stored))) = record
                && judge.needs_acl(stored)
            {
                needed.push(entry.id);
            }
        }
        let mut acls = HashMap::new();
        for chunk in needed.chunks(StoreLimits::default().read_parts) {
            let wanted: Result<Vec<_>, _> = chunk.iter().map(|id| keys::acl(*id)).collect();
            let snapshot = self
                .background
                .store
                .read(ReadRequest::keys(wanted?))
                .await?;
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

    /// Converts on threads of their own, since a large document takes its time.
    async fn convert(
        &self,
        state: &Arc<TypeState>,
        mut candidates: Vec<(usize, Candidate)>,
    ) -> Result<Vec<(usize, Converted)>, EngineError> {
        let mut work = Vec::new();
        // Large enough to be worth a thread, small enough that several work side by side.
        while !candidates.is_empty() {
            let rest = candidates.split_off(candidates.len().min(CHUNK));
            let chunk = std::mem::replace(&mut candidates, rest);
            let (mover, state) = (self.clone(), Arc::clone(state));
            work.push(tokio::task::spawn_blocking(move || {
                let convert = |one: &Candidate| {
                    let converted =
                        migrated(&mover.background, &mover.caller, &state, &mover.aim, one);
                    converted.map_err(|error| mover.judge(&state).unmoved(&one.1, error))
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

/// The steps that write it and what there is to say; or why it stays as it is.
type Converted = Result<(Vec<WriteStep>, Option<Outcome>), Outcome>;

fn decode(id: Uuid, entry: Option<StoredEntry>) -> Result<Option<(Key, Stored)>, EngineError> {
    let Some(entry) = entry else {
        return Ok(None);
    };
    let key = entry.key.clone();
    let stored = Stored::decode(id, &entry.into_record()?)?;
    Ok(Some((key, stored)))
}
