//! The event log: etcd's own history, and how far back it reaches.

use crate::groups::{GroupAssembler, SeenEvent};
use crate::shared::EtcdHandle;
use crate::subscription::WatchEnd;
use crate::{ops, pb};
use async_trait::async_trait;
use coeval_storage::feed::EventLog;
use coeval_storage::races::retry_races;
use coeval_storage::{HistoryBounds, LogPage, StorageError};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const PAGE_GROUPS: usize = 1_000;
const PAGE_BYTES: usize = 4 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);
const ATTEMPTS: u32 = 4;

/// The history's bounds, and etcd's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EtcdHistory {
    pub(crate) bounds: HistoryBounds,
    /// etcd's compacted revision. Between the floor and this nothing of ours was written.
    pub(crate) compacted: u64,
}

impl EtcdHandle {
    /// The bounds, whether or not this handle is fenced.
    ///
    /// etcd tells its compacted revision only by refusing what lies below it, and everybody may
    /// compact. So the highest that is known is tried. The floor is the last write of ours at
    /// that revision: what somebody compacts above it, while we are idle, takes nothing from us.
    pub(crate) async fn history(&self) -> Result<EtcdHistory, StorageError> {
        let busy = || StorageError::Busy {
            reason: "the history is compacted faster than its bounds are read".into(),
        };
        retry_races(ATTEMPTS * 2, |_| self.try_to_read_history(), busy).await
    }

    /// `None`: a compaction came in between.
    async fn try_to_read_history(&self) -> Result<Option<EtcdHistory>, StorageError> {
        let view = self.view(vec![ops::get(&self.layout.floor)]).await?;
        let note = view.ranges.first().and_then(|range| range.kvs.first());
        let note = note.and_then(|kv| kv.value.first_chunk::<8>());
        let note = note.map_or(0, |value| u64::from_be_bytes(*value));
        let compacted = self.compacted.fetch_max(note, Ordering::AcqRel).max(note);
        let at_compacted = pb::RangeRequest {
            // At least 1: revision 0 would mean the present.
            revision: i64::try_from(compacted).unwrap_or(i64::MAX).max(1),
            ..ops::get(&self.layout.head)
        };
        let txn = pb::TxnRequest {
            success: vec![ops::ranged(at_compacted)],
            ..pb::TxnRequest::default()
        };
        let floor = match self.client.read(&txn).await {
            Ok(response) => ops::ranges_of(response.responses)
                .next()
                .and_then(|range| range.kvs.into_iter().next())
                .map_or(0, |head| u64::try_from(head.mod_revision).unwrap_or(0)),
            Err(crate::fault::CallFault::Compacted) => {
                // Somebody compacted beyond what is noted; only a refused watch tells how far.
                self.ask_compacted().await?;
                return Ok(None);
            }
            Err(fault) => return Err(fault.into()),
        };
        // The two reads are no snapshot: with writes and a compaction in between, the floor may
        // be above that head.
        if floor > view.sequence() {
            return Ok(None);
        }
        Ok(Some(EtcdHistory {
            bounds: HistoryBounds {
                incarnation: view.known.incarnation(),
                floor,
                head: view.sequence(),
            },
            compacted,
        }))
    }

    /// Lets etcd refuse a watch of the oldest revision: it tells the compacted one then.
    async fn ask_compacted(&self) -> Result<(), StorageError> {
        let nothing = (self.layout.floor.clone(), bytes::Bytes::new());
        let refused = async {
            let mut events = self.client.subscribe(nothing, 1, false).await?;
            // Nothing is ever put there: only the refusal, or silence, can end it.
            loop {
                events.next(PATIENCE).await?;
            }
        };
        match refused.await {
            Err(WatchEnd::Compacted(revision)) => {
                self.compacted.fetch_max(revision, Ordering::AcqRel);
                Ok(())
            }
            Err(WatchEnd::Lost(reason)) => Err(StorageError::Unavailable { reason }),
            Ok(()) => Ok(()),
        }
    }

    /// As [`EtcdHandle::history`], refusing while another handle loads a restore.
    pub(crate) async fn admitted_history(&self) -> Result<EtcdHistory, StorageError> {
        self.check_open()?;
        let history = self.history().await?;
        self.admit(&self.known())?;
        Ok(history)
    }

    /// Events from `after` on, or from the oldest that is kept.
    async fn collect(&self, after: u64, history: EtcdHistory) -> Result<LogPage, WatchEnd> {
        let bounds = history.bounds;
        let from = after.max(history.compacted);
        let mut page = LogPage {
            bounds,
            groups: Vec::new(),
            complete_to: after.max(bounds.head),
        };
        // A watch from the head on would wait for the next write.
        if from >= bounds.head {
            return Ok(page);
        }
        let watched = self.layout.watched();
        let mut events = self.client.subscribe(watched, from, true).await?;
        let mut assembler = GroupAssembler::new(&self.layout);
        let mut size = 0;
        loop {
            let arrived = match events.next(PATIENCE).await {
                Err(WatchEnd::Lost(reason)) => {
                    self.client.leave(events.member);
                    return Err(WatchEnd::Lost(reason));
                }
                other => other?,
            };
            let mut seen = Vec::new();
            for event in arrived.events {
                assembler.take(event, &mut seen);
            }
            for seen in seen {
                match seen {
                    SeenEvent::Group(group) => {
                        size += group.size;
                        page.groups.push(group);
                    }
                    SeenEvent::Head(sequence) => {
                        // A page ends at a head only: before it the last group may lack events.
                        let full = page.groups.len() >= PAGE_GROUPS || size >= PAGE_BYTES;
                        if full || sequence >= bounds.head {
                            page.complete_to = sequence;
                            page.bounds.head = bounds.head.max(sequence);
                            return Ok(page);
                        }
                    }
                    SeenEvent::Store(_) | SeenEvent::Clock(..) => {}
                }
            }
        }
    }
}

#[async_trait]
impl EventLog for EtcdHandle {
    async fn bounds(&self) -> Result<HistoryBounds, StorageError> {
        Ok(self.admitted_history().await?.bounds)
    }

    async fn page(&self, after: u64) -> Result<LogPage, StorageError> {
        // What the last attempt met; each may meet another member of the cluster.
        let failure = Mutex::new(String::from("the history was compacted while it was read"));
        let attempt = |_| async {
            let history = self.admitted_history().await?;
            match self.collect(after, history).await {
                Ok(page) => return Ok(Some(page)),
                Err(WatchEnd::Compacted(revision)) => {
                    self.compacted.fetch_max(revision, Ordering::AcqRel);
                }
                Err(WatchEnd::Lost(reason)) => {
                    *failure.lock().unwrap_or_else(PoisonError::into_inner) = reason;
                }
            }
            Ok(None)
        };
        let give_up = || {
            let failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            StorageError::unavailable(&*failure)
        };
        retry_races(ATTEMPTS, attempt, give_up).await
    }
}
