//! The common suite on the embedded store.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use async_trait::async_trait;
use coeval_storage::feed::RingSize;
use coeval_storage::{DynStore, SkewedClock, Store, StoreLimits};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use coeval_storage_suite::{StoreSubject, dressed};
use std::sync::Arc;
use tempfile::TempDir;

const RING: usize = 512;

struct Embedded {
    store: DynStore,
    clock: Arc<SkewedClock>,
    _folder: TempDir,
}

async fn open() -> Box<dyn StoreSubject> {
    let folder = TempDir::new().unwrap();
    let clock = Arc::new(SkewedClock::default());
    let options = SqliteOptions {
        ring: RingSize {
            groups: RING,
            ..RingSize::default()
        },
        clock: clock.clone(),
        ..SqliteOptions::at(folder.path().join("coeval.db"))
    };
    let store = SqliteStore::open(options).await.unwrap();
    Box::new(Embedded {
        store: dressed(store, StoreLimits::default()),
        clock,
        _folder: folder,
    })
}

#[async_trait]
impl StoreSubject for Embedded {
    fn kind(&self) -> &'static str {
        "sqlite"
    }

    async fn handle(&self) -> DynStore {
        Arc::clone(&self.store)
    }

    async fn handle_with_clock(&self, offset: i64) -> DynStore {
        // One process, one clock: all of it moves.
        self.clock.set(offset);
        Arc::clone(&self.store)
    }

    fn many_handles(&self) -> bool {
        false
    }

    fn ring_groups(&self) -> usize {
        RING
    }

    async fn finish(&self) {
        self.store.close().await;
    }
}

coeval_storage_suite::suite!(open);
