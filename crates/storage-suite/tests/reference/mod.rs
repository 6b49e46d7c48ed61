//! A store in memory: one lock, one map, one log. As plain as can be.

// A broken lock is a failed test.
#![allow(clippy::unwrap_used)]

use async_trait::async_trait;
use bytes::Bytes;
use coeval_storage::event::RawChange;
use coeval_storage::feed::{self, EventLog, Feed, RingSize};
use coeval_storage::judge::{Batch, Lookup, Standing};
use coeval_storage::record::Head;
use coeval_storage::{
    Adoption, AtomicWrite, Bounds, Clock, Entry, Group, Incarnation, Key, Limits, LogPage, Order,
    Page, Range, ReadRequest, Retention, Revision, Snapshot, Status, StorageError, Store, Stored,
    Token, Watch, WatchRequest, Written,
};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

pub(crate) const RING: usize = 512;

#[derive(Debug)]
struct State {
    bounds: Bounds,
    map: BTreeMap<Key, Bytes>,
    log: Vec<Arc<Group>>,
    restorer: Option<u64>,
}

/// What all handles share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    feed: Arc<Feed>,
    clock: Arc<dyn Clock>,
}

impl Shared {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Arc<Self> {
        let bounds = Bounds {
            incarnation: Incarnation::draw().unwrap(),
            floor: 0,
            head: 0,
        };
        let size = RingSize {
            groups: RING,
            ..RingSize::default()
        };
        Arc::new(Self {
            state: Mutex::new(State {
                bounds,
                map: BTreeMap::new(),
                log: Vec::new(),
                restorer: None,
            }),
            feed: Arc::new(Feed::new(&bounds, size)),
            clock,
        })
    }
}

#[derive(Debug)]
struct Log(Arc<Shared>);

#[async_trait]
impl EventLog for Log {
    async fn bounds(&self) -> Result<Bounds, StorageError> {
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
            .filter(|raw| !Head::read(raw).is_some_and(|head| head.has_expired(now)))
    }

    fn page(&self, map: &BTreeMap<Key, Bytes>, range: &Range) -> Page {
        let limits = Limits::default();
        let limit = range.limit.min(limits.page_items);
        let mut keys: Vec<_> = map.keys().filter(|key| range.span.contains(key)).collect();
        if range.order == Order::Descending {
            keys.reverse();
        }
        let mut page = Page::default();
        let mut bytes = 0;
        for key in keys {
            let Some(raw) = self.live(map, key) else {
                continue;
            };
            bytes += raw.len();
            let full = bytes > limits.page_bytes && !page.entries.is_empty();
            if page.entries.len() == limit || full {
                page.more = true;
                break;
            }
            page.entries.push(entry(key, raw));
        }
        page
    }
}

fn entry(key: &Key, raw: &Bytes) -> Entry {
    Entry {
        key: key.clone(),
        stored: Stored::decode(key, raw.clone()),
    }
}

struct Map<'a>(&'a BTreeMap<Key, Bytes>);

impl Lookup for Map<'_> {
    fn standing(&mut self, key: &Key, _: bool) -> Result<Standing, StorageError> {
        Ok(self
            .0
            .get(key)
            .map_or(Standing::Absent, |raw| Standing::Whole(raw.clone())))
    }
}

#[async_trait]
impl Store for Memory {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        tokio::task::yield_now().await;
        let state = self.state()?;
        if request.at_least.is_some_and(|token| {
            token.incarnation != state.bounds.incarnation || token.sequence > state.bounds.head
        }) {
            return Err(StorageError::Compacted);
        }
        let one = |key| self.live(&state.map, key).map(|raw| entry(key, raw));
        Ok(Snapshot {
            token: state.bounds.token(),
            keys: request.keys.iter().map(one).collect(),
            pages: request
                .ranges
                .iter()
                .map(|range| self.page(&state.map, range))
                .collect(),
        })
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        tokio::task::yield_now().await;
        let fresh = Revision::draw()?;
        let mut state = self.state()?;
        let mut batch = Batch::default();
        let now = self.shared.clock.now();
        let changes = batch.judge(&write, fresh, now, &mut Map(&state.map))??;
        for (key, raw) in batch.outcome() {
            match raw {
                Some(raw) => state.map.insert(key.clone(), raw.clone()),
                None => state.map.remove(key),
            };
        }
        if !changes.is_empty() {
            state.bounds.head += 1;
            let events = changes.iter().map(RawChange::event).collect();
            let group = Arc::new(Group::new(state.bounds.head, events));
            state.log.push(Arc::clone(&group));
            self.shared.feed.publish([group]);
        }
        Ok(Written {
            token: state.bounds.token(),
            revision: if write.draws_revision() {
                fresh
            } else {
                Revision::NEVER
            },
        })
    }

    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError> {
        use futures::StreamExt;
        drop(self.state()?);
        let log = Arc::new(Log(Arc::clone(&self.shared)));
        let watch = feed::watch(&self.shared.feed, log, request).await?;
        let mut closing = self.closing.subscribe();
        let closed = async move {
            let _ = closing.wait_for(|closed| *closed).await;
        };
        let ended = futures::stream::once(async { Err(StorageError::Closed) });
        Ok(watch.take_until(closed).chain(ended).boxed())
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        Log(Arc::clone(&self.shared)).page(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError> {
        let state = self.state()?;
        let now = self.shared.clock.now();
        let expired =
            |raw: &Bytes| Head::read(raw).is_some_and(|head| head.indexed && head.has_expired(now));
        let found = state.map.iter().filter(|(_, raw)| expired(raw));
        Ok(found
            .take(limit)
            .map(|(key, raw)| entry(key, raw))
            .collect())
    }

    async fn compact(&self, keep: Retention) -> Result<u64, StorageError> {
        let mut state = self.state()?;
        if keep.bytes == 0 {
            state.log.clear();
            state.bounds.floor = state.bounds.head;
        }
        Ok(state.bounds.floor)
    }

    async fn adopt(&self, step: Adoption) -> Result<Token, StorageError> {
        let mut state = self.state()?;
        state.restorer = (step == Adoption::Begin).then_some(self.id);
        if step != Adoption::Begin {
            state.bounds.incarnation = Incarnation::draw()?;
            state.log.clear();
            state.bounds.floor = state.bounds.head;
            self.shared.feed.restart(&state.bounds);
        }
        Ok(state.bounds.token())
    }

    async fn status(&self) -> Result<Status, StorageError> {
        let state = self.state()?;
        Ok(Status {
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
