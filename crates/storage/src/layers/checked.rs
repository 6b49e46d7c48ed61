//! Limits, before any I/O.

use crate::feed::{Watch, WatchRequest};
use crate::{
    Adoption, AtomicWrite, Entry, Limits, LogPage, ReadRequest, Retention, Snapshot, Span, Status,
    StorageError, Store, Token, Written,
};
use async_trait::async_trait;

/// Refuses what is malformed or over the limits before the store hears of it. (Keys are checked
/// where they are made: a [`Key`](crate::Key) is valid.)
#[derive(Debug)]
pub struct Checked<S> {
    store: S,
    limits: Limits,
}

impl<S> Checked<S> {
    /// Around `store`.
    pub const fn new(store: S, limits: Limits) -> Self {
        Self { store, limits }
    }
}

#[async_trait]
impl<S: Store> Store for Checked<S> {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        request.check(&self.limits)?;
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        write.check(&self.limits)?;
        self.store.atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError> {
        self.store.watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.store.events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError> {
        // Clamped, not refused: the sweep asks for more while some records can't be removed.
        self.store.expired(limit.min(self.limits.page_items)).await
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
}
