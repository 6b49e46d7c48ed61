//! What all parts of one handle share, and the two ways in which they talk to etcd: a view, and
//! (in [`crate::commit`]) a transaction.

use crate::ages::HistoryAges;
use crate::client::EtcdClient;
use crate::clocks::PeerClocks;
use crate::fault::CallFault;
use crate::layout::KeyLayout;
use crate::meta::KnownHistory;
use crate::removal::ExpiryRemoval;
use crate::{ops, pb};
use coeval_storage::feed::EventFeed;
use coeval_storage::{Clock, HistoryBounds, StorageError, StoreLimits, UnixMillis};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, RwLock};
use tokio::time::Instant;

/// One handle on a store.
#[derive(Debug)]
pub(crate) struct EtcdHandle {
    pub(crate) client: EtcdClient,
    pub(crate) layout: KeyLayout,
    pub(crate) limits: StoreLimits,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) feed: Arc<EventFeed>,
    /// This handle, in clocks and claims.
    pub(crate) id: [u8; 16],
    known: RwLock<Arc<KnownHistory>>,
    /// The highest compacted revision that this handle heard of.
    pub(crate) compacted: AtomicU64,
    clocks: Mutex<PeerClocks>,
    ages: Mutex<HistoryAges>,
    closed: AtomicBool,
    /// What belongs to expired records, if anything does.
    pub(crate) removal: OnceLock<ExpiryRemoval>,
}

/// What one read-only transaction showed.
#[derive(Debug)]
pub(crate) struct StoreView {
    /// The history, as it is in this view.
    pub(crate) known: Arc<KnownHistory>,
    /// The store's last write.
    pub(crate) head: pb::KeyValue,
    /// etcd's revision: what else belongs to the view is read at it.
    pub(crate) revision: i64,
    /// The answers to the ranges that were asked for.
    pub(crate) ranges: Vec<pb::RangeResponse>,
}

impl StoreView {
    /// The sequence of the last write.
    pub(crate) fn sequence(&self) -> u64 {
        u64::try_from(self.head.mod_revision).unwrap_or(0)
    }
}

impl EtcdHandle {
    pub(crate) fn new(
        (client, layout): (EtcdClient, KeyLayout),
        (known, head): (KnownHistory, u64),
        (limits, clock): (StoreLimits, Arc<dyn Clock>),
        ring: coeval_storage::feed::RingSize,
        id: [u8; 16],
    ) -> Self {
        let bounds = HistoryBounds {
            incarnation: known.incarnation(),
            floor: 0,
            head,
        };
        Self {
            client,
            layout,
            limits,
            clock,
            feed: Arc::new(EventFeed::new(&bounds, ring)),
            id,
            known: RwLock::new(Arc::new(known)),
            compacted: AtomicU64::new(0),
            clocks: Mutex::default(),
            ages: Mutex::new(HistoryAges::since(head, Instant::now())),
            closed: AtomicBool::new(false),
            removal: OnceLock::new(),
        }
    }

    /// Refuses everything after `close`.
    pub(crate) fn check_open(&self) -> Result<(), StorageError> {
        if self.closed.load(Ordering::Acquire) {
            return Err(StorageError::Closed);
        }
        Ok(())
    }

    /// Whether this was the first time.
    pub(crate) fn close(&self) -> bool {
        let first = !self.closed.swap(true, Ordering::AcqRel);
        self.feed.close();
        first
    }

    pub(crate) fn known(&self) -> Arc<KnownHistory> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn clocks(&self) -> MutexGuard<'_, PeerClocks> {
        self.clocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn ages(&self) -> MutexGuard<'_, HistoryAges> {
        self.ages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The moment that expiries are held against. While this clock can't be trusted, nothing has
    /// expired.
    pub(crate) fn expiry_now(&self) -> UnixMillis {
        match self.clock_off() {
            Some(_) => UnixMillis(i64::MIN),
            None => self.clock.now(),
        }
    }

    /// How far this clock is off most servers' clocks, if it is.
    pub(crate) fn clock_off(&self) -> Option<i64> {
        self.clocks().off(Instant::now())
    }

    /// Takes note of a history; `head` is a sequence that is surely in it. Older news of the same
    /// cluster are passed over. A new history begins a new feed, whose watchers are told.
    pub(crate) fn learn(&self, seen: &KnownHistory, head: u64) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let other_cluster = seen.cluster != known.cluster;
        if !other_cluster && seen.at <= known.at {
            return;
        }
        tracing::info!(incarnation = %seen.incarnation(), "the store has another history");
        *known = Arc::new(seen.clone());
        // What was compacted in another cluster says nothing of this one.
        if other_cluster {
            self.compacted.store(0, Ordering::Release);
            *self.ages() = HistoryAges::since(head, Instant::now());
        }
        // The floor of a new history is not known yet; the log refuses what lies below it.
        self.feed.restart(&HistoryBounds {
            incarnation: seen.incarnation(),
            floor: 0,
            head,
        });
    }

    /// Runs `publish` if the feed is still in the history of `cluster`.
    pub(crate) fn in_cluster(&self, cluster: u64, publish: impl FnOnce()) {
        // Held while it publishes, so that `learn` can't put a new history in between.
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if known.cluster == cluster {
            publish();
        }
    }

    /// Refuses while another handle loads a restore.
    pub(crate) fn admit(&self, known: &KnownHistory) -> Result<(), StorageError> {
        if known.fences(self.id) {
            return Err(StorageError::Restoring);
        }
        Ok(())
    }

    /// A linearizable view of some ranges.
    pub(crate) async fn view(&self, ranges: Vec<pb::RangeRequest>) -> Result<StoreView, CallFault> {
        self.view_from(self.client.current(), ranges).await
    }

    /// The same, asking `member` first. It is serializable if all ranges are.
    pub(crate) async fn view_from(
        &self,
        member: usize,
        ranges: Vec<pb::RangeRequest>,
    ) -> Result<StoreView, CallFault> {
        let relaxed = !ranges.is_empty() && ranges.iter().all(|range| range.serializable);
        let txn = look(&self.layout, ranges, relaxed);
        let response = self.client.read_from(member, &txn).await?;
        let found = ViewAnswer::of(response).map_err(CallFault::Refused)?;
        let (Some(known), Some(head)) = (found.known, found.head) else {
            let gone = "the store's own notes are gone from etcd";
            return Err(CallFault::Refused(StorageError::failed(gone)));
        };
        self.learn(&known, u64::try_from(head.mod_revision).unwrap_or(0));
        Ok(StoreView {
            known: Arc::new(known),
            head,
            revision: found.revision,
            ranges: found.ranges,
        })
    }
}

/// A read of the store's notes and of some ranges.
pub(crate) fn look(
    layout: &KeyLayout,
    ranges: Vec<pb::RangeRequest>,
    serializable: bool,
) -> pb::TxnRequest {
    // Part of every read, so that each answer tells of which history it is.
    let notes = [&layout.store, &layout.head].map(|key| pb::RangeRequest {
        serializable,
        ..ops::get(key)
    });
    pb::TxnRequest {
        success: notes.into_iter().chain(ranges).map(ops::ranged).collect(),
        ..pb::TxnRequest::default()
    }
}

/// What [`look`] found; the notes are absent in a store that was never opened.
#[derive(Debug)]
pub(crate) struct ViewAnswer {
    pub(crate) known: Option<KnownHistory>,
    pub(crate) head: Option<pb::KeyValue>,
    pub(crate) revision: i64,
    pub(crate) ranges: Vec<pb::RangeResponse>,
}

impl ViewAnswer {
    pub(crate) fn of(response: pb::TxnResponse) -> Result<Self, StorageError> {
        let header = response.header.unwrap_or_default();
        let mut ranges = ops::ranges_of(response.responses);
        let mut note = || ranges.next().and_then(|range| range.kvs.into_iter().next());
        let (store, head) = (note(), note());
        let known = store.map(|kv| KnownHistory::of(header.cluster_id, &kv));
        Ok(Self {
            known: known.transpose()?,
            head,
            revision: header.revision,
            ranges: ranges.collect(),
        })
    }
}
