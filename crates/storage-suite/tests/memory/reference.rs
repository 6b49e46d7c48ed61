//! A store in memory: one lock, one map, one log. As plain as can be.

// A broken lock is a failed test.
#![allow(clippy::unwrap_used)]

use async_trait::async_trait;
use bytes::Bytes;
use coeval_storage::event::{RawChange, RawChangeValue};
use coeval_storage::feed::{self, EventFeed, EventLog, RingSize};
use coeval_storage::judge::{BatchOverlay, KeyState, StateLookup};
use coeval_storage::record::{RecordHead, encode};
use coeval_storage::{
    AdoptionStep, AtomicWrite, Clock, CommittedWrite, DeliveryStream, EventGroup, EventRetention,
    HistoryBounds, Incarnation, Key, LogPage, RangePage, ReadOrder, ReadRange, ReadRequest,
    ReadSnapshot, Record, Revision, StorageError, Store, StoreLimits, StoreStatus, StoredEntry,
    StoredValue, Token, WatchRequest, WriteAction, WriteCondition,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) const RING: usize = 512;

/// What a store might do wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// A read shows the state before the last write, and says that it is of now.
    StaleRead,
    /// The same, and says of when it is.
    OldRead,
    /// Conditions are not looked at.
    Unconditional,
    /// A condition on what was read looks at the revision only.
    BlindToExpiry,
    /// The second step of a write is forgotten.
    Torn,
    /// A write is acknowledged and not done.
    Lost,
    /// Two writes get one sequence.
    SameSequence,
    /// A watcher is not told of a write.
    Silent,
    /// A write that was refused happened.
    FalseRefusal,
    /// A keep_alive draws a revision.
    NewRevision,
}

#[derive(Debug)]
struct State {
    before: Option<(u64, BTreeMap<Key, Bytes>)>,
    writes: u64,
    bounds: HistoryBounds,
    map: BTreeMap<Key, Bytes>,
    log: Vec<Arc<EventGroup>>,
    restorer: Option<u64>,
}

/// What all handles share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    flaw: Option<Flaw>,
    feed: Arc<EventFeed>,
    clock: Arc<dyn Clock>,
}

impl Shared {
    pub(crate) fn new(clock: Arc<dyn Clock>, flaw: Option<Flaw>) -> Arc<Self> {
        let bounds = HistoryBounds {
            incarnation: Incarnation::draw().unwrap(),
            floor: 0,
            head: 0,
        };
        let size = RingSize {
            groups: RING,
            ..RingSize::default()
        };
        Arc::new(Self {
            flaw,
            state: Mutex::new(State {
                before: None,
                writes: 0,
                bounds,
                map: BTreeMap::new(),
                log: Vec::new(),
                restorer: None,
            }),
            feed: Arc::new(EventFeed::new(&bounds, size)),
            clock,
        })
    }
}

#[derive(Debug)]
struct Log(Arc<Shared>);

#[async_trait]
impl EventLog for Log {
    async fn bounds(&self) -> Result<HistoryBounds, StorageError> {
        Ok(self.0.state.lock().unwrap().bounds)
    }

    async fn page(&self, after: u64) -> Result<LogPage, StorageError> {
        let state = self.0.state.lock().unwrap();
        let groups = state.log.iter().filter(|group| group.sequence > after);
        let groups: Vec<_> = groups.take(100).cloned().collect();
        let complete_to = match groups.last() {
            Some(last) if groups.len() == 100 => last.sequence,
            _ => state.bounds.head,
        };
        Ok(LogPage {
            bounds: state.bounds,
            groups,
            complete_to,
        })
    }
}

/// One handle.
#[derive(Debug)]
pub(crate) struct Memory {
    shared: Arc<Shared>,
    id: u64,
    closed: AtomicBool,
    closing: tokio::sync::watch::Sender<bool>,
}

impl Memory {
    pub(crate) fn new(shared: &Arc<Shared>) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self {
            shared: Arc::clone(shared),
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            closed: AtomicBool::new(false),
            closing: tokio::sync::watch::Sender::new(false),
        }
    }

    /// The flaw, once in a while.
    fn flaw(&self, writes: u64) -> Option<Flaw> {
        // This one alone shows rarely: only after a keep_alive that the writer did not see.
        let now = |flaw: &Flaw| *flaw == Flaw::BlindToExpiry || writes % 7 == 5;
        self.shared.flaw.filter(now)
    }

    fn state(&self) -> Result<std::sync::MutexGuard<'_, State>, StorageError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StorageError::Closed);
        }
        let state = self.shared.state.lock().unwrap();
        if state.restorer.is_some_and(|restorer| restorer != self.id) {
            return Err(StorageError::Restoring);
        }
        Ok(state)
    }

    fn live<'a>(&self, map: &'a BTreeMap<Key, Bytes>, key: &Key) -> Option<&'a Bytes> {
        let now = self.shared.clock.now();
        map.get(key)
            .filter(|raw| !RecordHead::read(raw).is_some_and(|head| head.has_expired(now)))
    }

    fn page(&self, map: &BTreeMap<Key, Bytes>, range: &ReadRange) -> RangePage {
        let limits = StoreLimits::default();
        let limit = range.page_items(&limits);
        let mut keys: Vec<_> = map.keys().filter(|key| range.span.contains(key)).collect();
        if range.order == ReadOrder::Descending {
            keys.reverse();
        }
        let mut page = RangePage::default();
        let mut bytes = 0;
        for key in keys {
            let Some(raw) = self.live(map, key) else {
                continue;
            };
            bytes += if range.keys_only {
                key.as_bytes().len()
            } else {
                raw.len()
            };
            let full = bytes > limits.page_bytes && !page.entries.is_empty();
            if page.entries.len() == limit || full {
                page.more = true;
                break;
            }
            page.entries.push(if range.keys_only {
                StoredEntry {
                    key: key.clone(),
                    stored: StoredValue::of_head(raw),
                }
            } else {
                entry(key, raw)
            });
        }
        page
    }
}

fn entry(key: &Key, raw: &Bytes) -> StoredEntry {
    StoredEntry {
        key: key.clone(),
        stored: StoredValue::decode(key, raw.clone()),
    }
}

/// The changes with a new revision for what was only kept alive.
fn renewed(write: &AtomicWrite, changes: Vec<RawChange>, fresh: Revision) -> Vec<RawChange> {
    let kept = |key: &Key| {
        let mut steps = write.steps.iter();
        steps.any(|step| step.key == *key && matches!(step.action, WriteAction::KeepAlive(_)))
    };
    let renew = |mut change: RawChange| {
        if let RawChangeValue::Put(raw) = &change.to
            && kept(&change.key)
            && let StoredValue::Record(record) = StoredValue::decode(&change.key, raw.clone())
        {
            let revision = fresh;
            change.to = RawChangeValue::Put(encode(&change.key, &Record { revision, ..record }));
        }
        change
    };
    changes.into_iter().map(renew).collect()
}

struct Map<'a>(&'a BTreeMap<Key, Bytes>);

impl StateLookup for Map<'_> {
    fn standing(&mut self, key: &Key, _: bool) -> Result<KeyState, StorageError> {
        Ok(self
            .0
            .get(key)
            .map_or(KeyState::Absent, |raw| KeyState::Whole(raw.clone())))
    }
}

#[async_trait]
impl Store for Memory {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        tokio::task::yield_now().await;
        let state = self.state()?;
        if request.at_least.is_some_and(|token| {
            token.incarnation != state.bounds.incarnation || token.sequence > state.bounds.head
        }) {
            return Err(StorageError::Compacted);
        }
        let mut token = state.bounds.token();
        let mut map = &state.map;
        if let (Some(flaw), Some((at, before))) = (self.flaw(state.writes), &state.before) {
            if matches!(flaw, Flaw::StaleRead | Flaw::OldRead) {
                map = before;
            }
            if flaw == Flaw::OldRead {
                token.sequence = *at;
            }
        }
        let one = |key| self.live(map, key).map(|raw| entry(key, raw));
        Ok(ReadSnapshot {
            token,
            keys: request.keys.iter().map(one).collect(),
            pages: request
                .ranges
                .iter()
                .map(|range| self.page(map, range))
                .collect(),
        })
    }

    async fn atomic_write(&self, mut write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        tokio::task::yield_now().await;
        let fresh = Revision::draw()?;
        let mut state = self.state()?;
        state.writes += 1;
        let flaw = self.flaw(state.writes);
        match flaw {
            Some(Flaw::Unconditional) => {
                for step in &mut write.steps {
                    step.condition = WriteCondition::Whatever;
                }
            }
            Some(Flaw::BlindToExpiry) => {
                for step in &mut write.steps {
                    if let WriteCondition::AsRead { revision, .. } = step.condition {
                        step.condition = WriteCondition::RevisionIs(revision);
                    }
                }
            }
            Some(Flaw::Torn) => write.steps.truncate(1),
            _ => {}
        }
        let mut batch = BatchOverlay::default();
        let now = self.shared.clock.now();
        let mut changes = batch.judge(&write, fresh, now, &mut Map(&state.map))??;
        if flaw == Some(Flaw::NewRevision) {
            changes = renewed(&write, changes, fresh);
        }
        let written = CommittedWrite {
            token: Token {
                sequence: state.bounds.head + u64::from(!changes.is_empty()),
                ..state.bounds.token()
            },
            revision: if write.draws_revision() {
                fresh
            } else {
                Revision::NEVER
            },
        };
        if changes.is_empty() || flaw == Some(Flaw::Lost) {
            return Ok(written);
        }
        state.before = Some((state.bounds.head, state.map.clone()));
        for change in &changes {
            match &change.to {
                RawChangeValue::Put(raw) => state.map.insert(change.key.clone(), raw.clone()),
                RawChangeValue::Deleted(_) => state.map.remove(&change.key),
            };
        }
        let events = changes.iter().map(RawChange::event).collect();
        let group = Arc::new(EventGroup::new(state.bounds.head + 1, events));
        state.log.push(Arc::clone(&group));
        if flaw != Some(Flaw::SameSequence) {
            state.bounds.head += 1;
        }
        match flaw {
            Some(Flaw::Silent) => self.shared.feed.advance(state.bounds.head),
            _ => self.shared.feed.publish([group]),
        }
        match (flaw, write.steps.first()) {
            (Some(Flaw::FalseRefusal), Some(step)) => Err(StorageError::NotFound {
                key: step.key.clone(),
            }),
            _ => Ok(written),
        }
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        use futures::StreamExt;
        drop(self.state()?);
        let log = Arc::new(Log(Arc::clone(&self.shared)));
        let watch = feed::watch(&self.shared.feed, log, request).await?;
        let mut closing = self.closing.subscribe();
        let closed = async move {
            let _ = closing.wait_for(|closed| *closed).await;
        };
        let ended = futures::stream::once(async { Err(StorageError::Closed) });
        // After an error nothing follows.
        let all = watch.take_until(closed).chain(ended);
        let fused = all.scan(false, |over, delivery| {
            let next = (!*over).then_some(delivery);
            *over = matches!(next, Some(Err(_)));
            futures::future::ready(next)
        });
        Ok(fused.boxed())
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        Log(Arc::clone(&self.shared)).page(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        let state = self.state()?;
        let now = self.shared.clock.now();
        let expired = |raw: &Bytes| {
            RecordHead::read(raw).is_some_and(|head| head.indexed && head.has_expired(now))
        };
        let found = state.map.iter().filter(|(_, raw)| expired(raw));
        Ok(found
            .take(limit)
            .map(|(key, raw)| entry(key, raw))
            .collect())
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        let mut state = self.state()?;
        if keep.bytes == 0 {
            state.log.clear();
            state.bounds.floor = state.bounds.head;
        }
        Ok(state.bounds.floor)
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        let mut state = self.state()?;
        state.restorer = (step == AdoptionStep::Begin).then_some(self.id);
        if step != AdoptionStep::Begin {
            state.bounds.incarnation = Incarnation::draw()?;
            state.log.clear();
            state.bounds.floor = state.bounds.head;
            self.shared.feed.restart(&state.bounds);
        }
        Ok(state.bounds.token())
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        let state = self.state()?;
        Ok(StoreStatus {
            kind: "memory",
            incarnation: state.bounds.incarnation,
            floor: state.bounds.floor,
            head: state.bounds.head,
            bytes: None,
        })
    }

    async fn close(&self) {
        self.closed.store(true, Ordering::Release);
        self.closing.send_replace(true);
    }
}
