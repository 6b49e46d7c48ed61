//! A layer that notes the writes that pass, so that the storage layer can be given the same.

use async_trait::async_trait;
use coeval_storage::feed::{Watch, WatchRequest};
use coeval_storage::{
    Adoption, AtomicWrite, DynStore, Entry, LogPage, ReadRequest, Retention, Snapshot, Span,
    Status, StorageError, Store, Token, Written,
};
use std::sync::Mutex;

/// Notes writes while it is told to.
#[derive(Debug)]
pub(crate) struct Recording {
    store: DynStore,
    pub(crate) noted: Mutex<Vec<AtomicWrite>>,
}

impl Recording {
    pub(crate) fn new(store: DynStore) -> Self {
        Self {
            store,
            noted: Mutex::new(Vec::new()),
        }
    }
}

#[async_trait]
impl Store for Recording {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        self.noted.lock().unwrap().push(write.clone());
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

    async fn status(&self) -> Result<Status, StorageError> {
        self.store.status().await
    }

    async fn count(&self, span: Span) -> Result<(Token, u64), StorageError> {
        self.store.count(span).await
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
