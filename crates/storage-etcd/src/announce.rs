//! Announces this server's clock, and clears away what servers that died left behind.

use crate::clocks::{ANNOUNCE, time_of};
use crate::commit::send;
use crate::fault::CallFault;
use crate::shared::EtcdHandle;
use crate::{ops, pb};
use bytes::Bytes;
use std::collections::HashMap;
use std::sync::Arc;
use tokio::time::{Instant, MissedTickBehavior, interval};

/// An announcement that did not change between two rounds of so many ticks is dead.
const ROUND: u64 = 300;
const AT_ONCE: usize = 64;

/// Runs until it is aborted. These puts leave `m/head` alone: they are no writes of the store.
pub(crate) async fn announce(shared: Arc<EtcdHandle>) {
    let mut ticks = interval(ANNOUNCE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut before = HashMap::new();
    for tick in 0_u64.. {
        ticks.tick().await;
        announce_once(&shared).await;
        if tick % ROUND == ROUND - 1 {
            let round = remove_dead_clocks(&shared, &before).await;
            // After an error nothing is known of this round, so nobody counts as dead in the next
            // one.
            before = round.unwrap_or_default();
        }
    }
}

/// Says what time it is here. Once before the store is open, so that a server that comes next
/// counts this one from its first moment.
pub(crate) async fn announce_once(shared: &EtcdHandle) {
    let now = Bytes::copy_from_slice(&shared.clock.now().0.to_be_bytes());
    let put = ops::put(&shared.layout.clock(shared.id), now);
    if let Err(fault) = send(shared, Vec::new(), vec![put]).await {
        tracing::debug!(?fault, "the clock could not be announced");
    }
}

/// Removes this server's clock.
pub(crate) async fn withdraw(shared: &EtcdHandle) {
    let gone = ops::delete(&shared.layout.clock(shared.id));
    if let Err(fault) = send(shared, Vec::new(), vec![gone]).await {
        tracing::debug!(?fault, "the clock's announcement stays behind");
    }
}

/// Takes what stands there for what the servers say now. Called before anything expires.
pub(crate) async fn read_peer_clocks(shared: &EtcdHandle) -> Result<(), CallFault> {
    let mine = shared.clock.now().0;
    for kv in clocks(shared).await? {
        if let Some(theirs) = time_of(&kv) {
            let ahead = mine.saturating_sub(theirs);
            shared.clocks().found(kv.key, ahead, Instant::now());
        }
    }
    Ok(())
}

async fn clocks(shared: &EtcdHandle) -> Result<Vec<pb::KeyValue>, CallFault> {
    let (start, end) = shared.layout.clocks();
    let view = shared.view(vec![ops::range(&start, &end, AT_ONCE)]).await?;
    Ok(view
        .ranges
        .into_iter()
        .flat_map(|range| range.kvs)
        .collect())
}

async fn remove_dead_clocks(
    shared: &EtcdHandle,
    before: &HashMap<Bytes, i64>,
) -> Result<HashMap<Bytes, i64>, CallFault> {
    let found = clocks(shared).await?;
    for kv in &found {
        // Unchanged for a whole round: its server is dead. Compared, so that one that has come back
        // keeps it.
        if before.get(&kv.key) == Some(&kv.mod_revision) {
            send(shared, vec![ops::unchanged(kv)], vec![ops::delete(&kv.key)]).await?;
        }
    }
    Ok(found
        .into_iter()
        .map(|kv| (kv.key, kv.mod_revision))
        .collect())
}
