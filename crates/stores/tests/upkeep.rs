//! What a store does by itself: compaction by age and by size, on every kind.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use coeval_storage::maintenance::MaintenanceOptions;
use coeval_storage::{EventRetention, RecordPut, Store};
use coeval_stores::{OpenOptions, open};
use common::{Place, key};
use std::time::Duration;

/// The store compacts without being asked, and the newest event stays.
async fn compacts_by_itself(place: Place, retention: EventRetention) {
    let maintenance = MaintenanceOptions {
        compact_every: Duration::from_millis(100),
        retention,
        ..MaintenanceOptions::default()
    };
    let options = OpenOptions {
        maintenance,
        ..OpenOptions::default()
    };
    let opened = open(&place.url, options).await.unwrap();
    let deadline = tokio::time::Instant::now() + Duration::from_secs(30);
    let mut written = 0;
    loop {
        for _ in 0..20 {
            let put = RecordPut::of(vec![b'x'; 2_000]);
            opened.store.put(&key("k"), put).await.unwrap();
            written += 1;
        }
        let status = opened.store.status().await.unwrap();
        if status.floor > 0 {
            assert!(status.floor < status.head);
            break;
        }
        let late = tokio::time::Instant::now() > deadline;
        assert!(!late, "{written} writes, and nothing was compacted");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(opened.store.get(&key("k")).await.is_ok());
    opened.store.close().await;
}

const BY_AGE: EventRetention = EventRetention {
    age: Duration::from_millis(300),
    bytes: u64::MAX,
};
const BY_SIZE: EventRetention = EventRetention {
    age: Duration::from_secs(3_600),
    bytes: 50_000,
};

macro_rules! on_each_store {
    ($($name:ident: $place:ident, $keep:ident;)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            compacts_by_itself(Place::$place(), $keep).await;
        })*
    };
}

on_each_store! {
    old_events_go_sqlite: sqlite, BY_AGE;
    old_events_go_postgres: postgres, BY_AGE;
    too_many_events_go_sqlite: sqlite, BY_SIZE;
    too_many_events_go_postgres: postgres, BY_SIZE;
}

/// Compaction concerns all of an etcd cluster: these have one of their own.
#[tokio::test(flavor = "multi_thread")]
async fn old_and_too_many_events_go_etcd_own_server() {
    for keep in [BY_AGE, BY_SIZE] {
        let server = coeval_storage_suite::servers::EtcdCluster::start(1).unwrap();
        compacts_by_itself(Place::at(server.url()), keep).await;
    }
}
