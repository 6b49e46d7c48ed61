//! A store that holds nothing.

use async_trait::async_trait;
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, EventRetention, Incarnation,
    LogPage, ReadRequest, ReadSnapshot, StorageError, Store, StoreStatus, StoredEntry, Token,
    WatchRequest,
};

#[derive(Debug)]
pub(crate) struct Empty;

fn refusal<T>() -> Result<T, StorageError> {
    Err(StorageError::ReadOnly)
}

#[async_trait]
impl Store for Empty {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        Ok(ReadSnapshot {
            token: Token {
                incarnation: Incarnation::from_bytes([0; 16]),
                sequence: 0,
            },
            keys: vec![None; request.keys.len()],
            pages: Vec::new(),
        })
    }

    async fn atomic_write(&self, _: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        refusal()
    }

    async fn watch(&self, _: WatchRequest) -> Result<DeliveryStream, StorageError> {
        refusal()
    }

    async fn events(&self, _: u64) -> Result<LogPage, StorageError> {
        refusal()
    }

    async fn expired(&self, _: usize) -> Result<Vec<StoredEntry>, StorageError> {
        refusal()
    }

    async fn compact(&self, _: EventRetention) -> Result<u64, StorageError> {
        refusal()
    }

    async fn adopt(&self, _: AdoptionStep) -> Result<Token, StorageError> {
        refusal()
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        refusal()
    }

    async fn close(&self) {}
}
