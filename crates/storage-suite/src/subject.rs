//! What a store brings to the suite.

use async_trait::async_trait;
use coeval_storage::layers::{CheckedStore, MeteredStore, TracedStore};
use coeval_storage::maintenance::{MaintenanceOptions, MaintenanceTask, maintain};
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, DynStore, EventRetention, Key,
    KeySpan, LogPage, ReadRequest, ReadSnapshot, StorageError, Store, StoreLimits, StoreStatus,
    StoredEntry, Token, WatchRequest, WriteAction, WriteCondition,
};
use std::sync::Arc;
use std::time::Duration;

/// One fresh, empty store under test.
#[async_trait]
pub trait StoreSubject: Send + Sync {
    /// `sqlite`, `postgres` or `etcd`.
    fn kind(&self) -> &'static str;

    /// One more handle on the same store, as another server would hold it; [`dressed`]. The
    /// embedded store, which has one owner, returns the same one each time.
    async fn handle(&self) -> DynStore;

    /// The same with a clock that is so many milliseconds ahead. Stores that have a clock of
    /// their own ignore it.
    async fn handle_with_clock(&self, offset: i64) -> DynStore;

    /// Whether handles are independent: `close` of one leaves the others, and a restore through
    /// one fences the others.
    fn many_handles(&self) -> bool;

    /// How many groups the ring of recent events holds. Subjects open their stores with a small
    /// one (512), so that a watcher can fall behind in a test.
    fn ring_groups(&self) -> usize;

    /// After the case: what should be cleaned up.
    async fn finish(&self) {}
}

/// The store with every layer that the product puts on it, and with the sweep running for as long
/// as the handle lives.
///
/// Needs a Tokio runtime.
pub fn dressed(store: impl Store, limits: StoreLimits) -> DynStore {
    // Checks are innermost, so that what they refuse is counted and traced as well.
    let store: DynStore = Arc::new(TracedStore(MeteredStore::new(CheckedStore::new(
        store, limits,
    ))));
    let work = MaintenanceOptions {
        // Often, so that cases about expiry don't wait long.
        sweep_every: Duration::from_millis(200),
        ..MaintenanceOptions::default()
    };
    let running = maintain(Arc::clone(&store), work);
    Arc::new(MaintainedStore {
        store,
        _running: running,
    })
}

#[derive(Debug)]
struct MaintainedStore {
    store: DynStore,
    _running: MaintenanceTask,
}

#[async_trait]
impl Store for MaintainedStore {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.store.atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        self.store.watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.store.events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.store.expired(limit).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        self.store.compact(keep).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.store.adopt(step).await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.store.count(span).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.store.status().await
    }

    async fn close(&self) {
        self.store.close().await;
    }

    async fn single(
        &self,
        key: &Key,
        condition: WriteCondition,
        action: WriteAction,
    ) -> Result<CommittedWrite, StorageError> {
        self.store.single(key, condition, action).await
    }
}
