//! One watch for each handle: it feeds the ring, hears the clocks, and learns of new histories.

use crate::clocks::time_of;
use crate::groups::{GroupAssembler, SeenEvent};
use crate::meta::KnownHistory;
use crate::pb;
use crate::shared::EtcdHandle;
use crate::subscription::{ArrivedEvents, WatchEnd};
use coeval_storage::StorageError;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// Our own clock is announced every two seconds: a watch that is silent for so long is dead.
const SILENCE: Duration = Duration::from_secs(12);
const PAUSE: Duration = Duration::from_millis(100);
const LONG_PAUSE: Duration = Duration::from_secs(1);

/// Runs until it is aborted.
pub(crate) async fn tail(shared: Arc<EtcdHandle>) {
    let mut pause = PAUSE;
    loop {
        let begun = Instant::now();
        let Err(ended) = follow(&shared).await;
        let bridged = match ended {
            WatchEnd::Compacted(revision) => resume_after_compaction(&shared, revision).await,
            WatchEnd::Lost(reason) => {
                tracing::debug!(reason, "the watch of etcd ended");
                tokio::time::sleep(pause).await;
                Ok(())
            }
        };
        if let Err(error) = bridged {
            tracing::warn!(%error, "etcd's history can't be read");
            tokio::time::sleep(pause).await;
        }
        // If it worked for a while, this end has nothing to do with the last one.
        pause = if begun.elapsed() > LONG_PAUSE {
            PAUSE
        } else {
            (pause * 2).min(LONG_PAUSE)
        };
    }
}

async fn follow(shared: &EtcdHandle) -> Result<std::convert::Infallible, WatchEnd> {
    // Above the compacted revision, below which (and above the feed's head) nothing is ours.
    let after = shared
        .feed
        .head()
        .max(shared.compacted.load(Ordering::Acquire));
    let watched = shared.layout.watched();
    let mut events = shared.client.subscribe(watched, after, true).await?;
    let mut assembler = GroupAssembler::new(&shared.layout);
    loop {
        match events.next(SILENCE).await {
            Ok(arrived) => accept(shared, &mut assembler, arrived).await?,
            Err(WatchEnd::Lost(reason)) => {
                shared.client.leave(events.member);
                return Err(WatchEnd::Lost(reason));
            }
            Err(compacted) => return Err(compacted),
        }
    }
}

async fn accept(
    shared: &EtcdHandle,
    assembler: &mut GroupAssembler,
    arrived: ArrivedEvents,
) -> Result<(), WatchEnd> {
    let mut seen = Vec::new();
    for event in arrived.events {
        assembler.take(event, &mut seen);
    }
    if shared.known().cluster != arrived.cluster {
        // Somebody restored a snapshot of etcd: a view learns of the new history.
        shared.view(Vec::new()).await?;
        return Err(WatchEnd::Lost("etcd has another cluster id".into()));
    }
    for seen in seen {
        match seen {
            SeenEvent::Group(group) => shared.in_cluster(arrived.cluster, || {
                let now = Instant::now();
                shared.ages().passed(group.sequence, group.size, now);
                shared.feed.publish([group]);
            }),
            SeenEvent::Head(sequence) => {
                shared.in_cluster(arrived.cluster, || shared.feed.advance(sequence));
            }
            SeenEvent::Store(kv) => learn(shared, arrived.cluster, &kv),
            SeenEvent::Clock(kv, deleted) => note_peer_clock(shared, &kv, deleted),
        }
    }
    Ok(())
}

fn learn(shared: &EtcdHandle, cluster: u64, kv: &pb::KeyValue) {
    match KnownHistory::of(cluster, kv) {
        Ok(known) => shared.learn(&known, u64::try_from(kv.mod_revision).unwrap_or(0)),
        Err(error) => tracing::error!(%error, "m/store can't be read"),
    }
}

fn note_peer_clock(shared: &EtcdHandle, kv: &pb::KeyValue, deleted: bool) {
    // The watch brings our own announcement too.
    if kv.key == shared.layout.clock(shared.id) {
        return;
    }
    if deleted {
        shared.clocks().remove(&kv.key);
    } else if let Some(theirs) = time_of(kv) {
        let ahead = shared.clock.now().0.saturating_sub(theirs);
        shared.clocks().heard(kv.key.clone(), ahead, Instant::now());
    }
}

/// After a refusal: goes on if nothing of ours was lost, else begins a new feed.
async fn resume_after_compaction(shared: &EtcdHandle, compacted: u64) -> Result<(), StorageError> {
    shared.compacted.fetch_max(compacted, Ordering::AcqRel);
    let history = shared.history().await?;
    // If the feed is past the floor, nothing of ours was lost.
    if shared.feed.head() < history.bounds.floor {
        tracing::warn!(
            floor = history.bounds.floor,
            "etcd was compacted beyond what was delivered"
        );
        let cluster = shared.known().cluster;
        shared.in_cluster(cluster, || shared.feed.restart(&history.bounds));
    }
    Ok(())
}
