//! Limits, before any I/O.

use crate::feed::{DeliveryStream, WatchRequest};
use crate::{
    AdoptionStep, AtomicWrite, CommittedWrite, EventRetention, KeySpan, LogPage, ReadRequest,
    ReadSnapshot, StorageError, Store, StoreLimits, StoreStatus, StoredEntry, Token,
};
use async_trait::async_trait;

/// Refuses what is malformed or over the limits before the store hears of it. (Keys are checked
/// where they are made: a [`Key`](crate::Key) is valid.)
#[derive(Debug)]
pub struct CheckedStore<S> {
    store: S,
    limits: StoreLimits,
}

impl<S> CheckedStore<S> {
    /// Around `store`.
    pub const fn new(store: S, limits: StoreLimits) -> Self {
        Self { store, limits }
    }
}

#[async_trait]
impl<S: Store> Store for CheckedStore<S> {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        request.check(&self.limits)?;
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        write.check(&self.limits)?;
        self.store.atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        self.store.watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.store.events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        // Clamped, not refused: the sweep asks for more while some records can't be removed.
        self.store.expired(limit.min(self.limits.page_items)).await
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
}
