//! Compaction. On some stores it concerns every user of a server, so these have one alone.

use crate::bench::{BenchStore, body, key, text};
use crate::feeds::{next, next_group, watch_refusal};
use coeval_storage::StorageError::{Compacted, FellBehind};
use coeval_storage::{EventRetention, KeyChange, Store, Token, WatchDelivery};
use std::sync::Arc;
use std::time::Duration;

const KEEP_NOTHING: EventRetention = EventRetention {
    age: Duration::ZERO,
    bytes: 0,
};

pub async fn compaction_leaves_live_watchers_alone_and_old_tokens_behind(bench: &BenchStore) {
    let store = &bench.store;
    let (start, mut feed) = bench.watch("w", None).await;
    let mut last = start;
    for n in 0..20 {
        last = store
            .put(&key("w/a"), text(&n.to_string()))
            .await
            .unwrap()
            .token;
        next_group(&mut feed).await;
    }
    let floor = store.compact(KEEP_NOTHING).await.unwrap();
    assert!(floor > start.sequence && floor <= bench.now().await.sequence);
    assert_eq!(watch_refusal(store, "w", start).await, Compacted);
    assert_eq!(store.status().await.unwrap().floor, floor);
    // The live one goes on, and what is at the floor or after it may still be resumed from.
    let next = store.put(&key("w/a"), text("next")).await.unwrap();
    let (at, group) = next_group(&mut feed).await;
    assert_eq!(at, next.token);
    let KeyChange::Put(stored) = &group.events[0].change else {
        panic!("{group:?}");
    };
    assert_eq!(body(stored.record().unwrap()), "next");
    let from = Token {
        sequence: floor.max(last.sequence),
        ..start
    };
    let (_, mut resumed) = bench.watch("w", Some(from)).await;
    assert_eq!(next_group(&mut resumed).await.0, next.token);
    // Records are no events: they stay.
    assert_eq!(body(&store.get(&key("w/a")).await.unwrap()), "next");
    let log = store.events(0).await.unwrap();
    assert_eq!(log.bounds.floor, floor);
}

pub async fn compaction_while_watchers_and_writers_run_makes_no_silent_gap(bench: &BenchStore) {
    let (_, mut feed) = bench.watch("w", None).await;
    let store = Arc::clone(&bench.store);
    let compacting = tokio::spawn(async move {
        for _ in 0..20 {
            store.compact(KEEP_NOTHING).await.unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let mut written = Vec::new();
    for n in 0..200 {
        let name = key(&format!("w/{}", n % 5));
        let done = bench.store.put(&name, text("x")).await.unwrap();
        written.push(done.token.sequence);
    }
    compacting.await.unwrap();
    let mut seen = Vec::new();
    while seen.last() != written.last() {
        match next(&mut feed).await {
            Ok(WatchDelivery::Events(_, group)) => seen.push(group.sequence),
            Ok(WatchDelivery::Bookmark(_)) => {}
            // It is allowed to be told so, but not to be left with a gap.
            Err(FellBehind { .. } | Compacted) => break,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, written[..seen.len()]);
}
