//! Memory grows neither with the number of events nor with slow watchers. Counted, not timed.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use coeval_storage::feed::RingSize;
use coeval_storage::{DeliveryStream, Key, KeySpan, RecordPut, Store, WatchRequest};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use futures::StreamExt;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

const WATCHERS: usize = 200;
const EVENTS: usize = 2_000;
const VALUE: usize = 4_096;

/// Bytes that live on the heap now.
fn live() -> i64 {
    let stats = ALLOCATOR.stats();
    i64::try_from(stats.bytes_allocated).unwrap() - i64::try_from(stats.bytes_deallocated).unwrap()
}

async fn write(store: &SqliteStore, count: usize) {
    for n in 0..count {
        let put = RecordPut::of(vec![b'x'; VALUE]);
        let key = Key::try_from(format!("k/{}", n % 10).as_str()).unwrap();
        store.put(&key, put).await.unwrap();
    }
}

/// How much the heap grows over many events, with watchers that are live and then look away.
async fn growth(ring: usize) -> i64 {
    let folder = TempDir::new().unwrap();
    let options = SqliteOptions {
        ring: RingSize {
            groups: ring,
            bytes: usize::MAX,
        },
        ..SqliteOptions::at(folder.path().join("coeval.db"))
    };
    let store = SqliteStore::open(options).await.unwrap();
    let mut slow: Vec<DeliveryStream> = Vec::new();
    for _ in 0..WATCHERS {
        let request = WatchRequest {
            span: KeySpan::everything(),
            from: None,
        };
        let mut watch = store.watch(request).await.unwrap();
        watch.next().await.unwrap().unwrap();
        slow.push(watch);
    }
    // The ring, the statements and the caches fill.
    write(&store, 200).await;
    let before = live();
    write(&store, EVENTS).await;
    let after = live();
    drop(slow);
    store.close().await;
    after - before
}

/// One test: two at once would count each other's bytes.
#[tokio::test]
async fn neither_events_nor_slow_watchers_take_memory() {
    let events = i64::try_from(EVENTS * VALUE).unwrap();
    let bounded = growth(64).await;
    println!("{EVENTS} events of {VALUE} bytes, {WATCHERS} slow watchers: {bounded} bytes more");
    assert!(bounded < events / 50, "{bounded} bytes more");
    // The same with a ring without bound: the count would notice.
    let unbounded = growth(usize::MAX).await;
    assert!(unbounded > events / 2, "only {unbounded} bytes more");
}
