//! A layer that notes the writes that pass, so that the storage layer can be given the same.

use async_trait::async_trait;
use coeval_storage::feed::{DeliveryStream, WatchRequest};
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DynStore, EventRetention, KeySpan, LogPage,
    ReadRequest, ReadSnapshot, StorageError, Store, StoreStatus, StoredEntry, Token,
};
use std::sync::Mutex;

/// Notes writes while it is told to.
#[derive(Debug)]
pub(crate) struct WriteRecording {
    store: DynStore,
    pub(crate) noted: Mutex<Vec<AtomicWrite>>,
}

impl WriteRecording {
    pub(crate) fn new(store: DynStore) -> Self {
        Self {
            store,
            noted: Mutex::new(Vec::new()),
        }
    }
}

#[async_trait]
impl Store for WriteRecording {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.store.read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.noted.lock().unwrap().push(write.clone());
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

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.store.status().await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.store.count(span).await
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
