//! What a store brings to the suite.

use async_trait::async_trait;
use coeval_storage::layers::{Checked, Metered, Traced};
use coeval_storage::maintenance::{Maintenance, Running, maintain};
use coeval_storage::{
    Action, Adoption, AtomicWrite, Condition, DynStore, Entry, Key, Limits, LogPage, ReadRequest,
    Retention, Snapshot, Span, Status, StorageError, Store, Token, Watch, WatchRequest, Written,
};
use std::sync::Arc;
use std::time::Duration;

/// One fresh, empty store under test.
#[async_trait]
pub trait Subject: Send + Sync {
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
pub fn dressed(store: impl Store, limits: Limits) -> DynStore {
    let store: DynStore = Arc::new(Traced(Metered::new(Checked::new(store, limits))));
    let work = Maintenance {
        sweep_every: Duration::from_millis(200),
        ..Maintenance::default()
    };
    let running = maintain(Arc::clone(&store), work);
    Arc::new(Maintained {
        store,
        _running: running,
    })
}

#[derive(Debug)]
struct Maintained {
    store: DynStore,
    _running: Running,
}

#[async_trait]
impl Store for Maintained {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        self.store.atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError> {
        self.store.watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.store.events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError> {
        self.store.expired(limit).await
    }

    async fn compact(&self, keep: Retention) -> Result<u64, StorageError> {
        self.store.compact(keep).await
    }

    async fn adopt(&self, step: Adoption) -> Result<Token, StorageError> {
        self.store.adopt(step).await
    }

    async fn count(&self, span: Span) -> Result<(Token, u64), StorageError> {
        self.store.count(span).await
    }

    async fn status(&self) -> Result<Status, StorageError> {
        self.store.status().await
    }

    async fn close(&self) {
        self.store.close().await;
    }

    async fn single(
        &self,
        key: &Key,
        condition: Condition,
        action: Action,
    ) -> Result<Written, StorageError> {
        self.store.single(key, condition, action).await
    }
}
