//! Compaction: one server at a time, by the ages that it saw.

use crate::commit::send;
use crate::fault::CallFault;
use crate::ops;
use crate::shared::EtcdHandle;
use bytes::Bytes;
use coeval_storage::{EventRetention, StorageError};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// A claim that was not renewed for so many milliseconds is open to others.
const CLAIM: u64 = 90_000;
/// How long the watch may take to show what was written before.
const CATCH_UP: Duration = Duration::from_secs(3);

impl EtcdHandle {
    /// Removes old events; returns the new floor. The newest write always stays, and etcd
    /// compacts the whole cluster: other users of it lose their history too.
    pub(crate) async fn compact_history(&self, keep: EventRetention) -> Result<u64, StorageError> {
        let history = self.admitted_history().await?;
        let bounds = history.bounds;
        // The ages know only what the watch has shown so far.
        self.catch_up(bounds.head).await;
        let may_go = self.ages().removable_until(keep, Instant::now());
        // The newest write stays, for it tells the head.
        let target = may_go.min(bounds.head.saturating_sub(1));
        if target <= history.compacted || !self.claim().await? {
            return Ok(bounds.floor);
        }
        match self.client.compact(target).await {
            // Somebody was faster, and compacted more.
            Ok(()) | Err(CallFault::Compacted) => {}
            Err(fault) => return Err(fault.into()),
        }
        self.compacted.fetch_max(target, Ordering::AcqRel);
        self.ages().forget_until(target);
        let note = Bytes::copy_from_slice(&target.to_be_bytes());
        let put = ops::put(&self.layout.floor, note);
        done_or_full(send(self, Vec::new(), vec![put]).await)?;
        Ok(self.history().await?.bounds.floor)
    }

    async fn catch_up(&self, head: u64) {
        let end = Instant::now() + CATCH_UP;
        while self.feed.head() < head && Instant::now() < end {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Whether this server compacts. A claim holds a server and its time.
    async fn claim(&self) -> Result<bool, StorageError> {
        let view = self.view(vec![ops::get(&self.layout.compactor)]).await?;
        let held = view.ranges.first().and_then(|range| range.kvs.first());
        let now = self.clock.now().0;
        if let Some(kv) = held {
            let (holder, time) = kv.value.split_at_checked(16).unwrap_or_default();
            let time = time
                .first_chunk::<8>()
                .map_or(0, |time| i64::from_be_bytes(*time));
            if holder != self.id && now.abs_diff(time) < CLAIM {
                return Ok(false);
            }
        }
        let mine = [&self.id[..], &now.to_be_bytes()].concat();
        let as_seen = ops::unchanged_or_absent(&self.layout.compactor, held);
        let put = ops::put(&self.layout.compactor, mine.into());
        done_or_full(send(self, vec![as_seen], vec![put]).await)
    }

    /// Lets another server compact at once.
    pub(crate) async fn release_claim(&self) -> Result<(), StorageError> {
        let view = self.view(vec![ops::get(&self.layout.compactor)]).await?;
        let held = view.ranges.first().and_then(|range| range.kvs.first());
        if let Some(kv) = held.filter(|kv| kv.value.starts_with(&self.id)) {
            let gone = ops::delete(&self.layout.compactor);
            send(self, vec![ops::unchanged(kv)], vec![gone]).await?;
        }
        Ok(())
    }
}

/// A full etcd takes no note, but must be compacted all the same: that is how it gets space.
fn done_or_full(sent: Result<bool, CallFault>) -> Result<bool, StorageError> {
    match sent {
        Err(CallFault::Refused(StorageError::Full { .. })) => Ok(true),
        sent => Ok(sent?),
    }
}
