//! A store that holds nothing.

use async_trait::async_trait;
use coeval_storage::{
    Adoption, AtomicWrite, Entry, Incarnation, LogPage, ReadRequest, Retention, Snapshot, Status,
    StorageError, Store, Token, Watch, WatchRequest, Written,
};

#[derive(Debug)]
pub(crate) struct Empty;

fn refusal<T>() -> Result<T, StorageError> {
    Err(StorageError::ReadOnly)
}

#[async_trait]
impl Store for Empty {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        Ok(Snapshot {
            token: Token {
                incarnation: Incarnation::from_bytes([0; 16]),
                sequence: 0,
            },
            keys: vec![None; request.keys.len()],
            pages: Vec::new(),
        })
    }

    async fn atomic_write(&self, _: AtomicWrite) -> Result<Written, StorageError> {
        refusal()
    }

    async fn watch(&self, _: WatchRequest) -> Result<Watch, StorageError> {
        refusal()
    }

    async fn events(&self, _: u64) -> Result<LogPage, StorageError> {
        refusal()
    }

    async fn expired(&self, _: usize) -> Result<Vec<Entry>, StorageError> {
        refusal()
    }

    async fn compact(&self, _: Retention) -> Result<u64, StorageError> {
        refusal()
    }

    async fn adopt(&self, _: Adoption) -> Result<Token, StorageError> {
        refusal()
    }

    async fn status(&self) -> Result<Status, StorageError> {
        refusal()
    }

    async fn close(&self) {}
}
