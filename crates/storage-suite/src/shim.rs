//! Another way of saying a single-key write.

use async_trait::async_trait;
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, DynStore, EventRetention, Key,
    KeySpan, LogPage, ReadRequest, ReadSnapshot, RecordPut, Revision, StorageError, Store,
    StoreStatus, StoredEntry, Token, WatchRequest, WriteAction, WriteCondition,
};

/// A store whose single-key writes are atomic writes with one more condition, on a sentinel that
/// always holds.
#[derive(Debug)]
pub struct WriteShim {
    store: DynStore,
    sentinel: Key,
    revision: Revision,
}

impl WriteShim {
    /// Around a handle; creates the sentinel, or uses the one that another handle created. (The
    /// store may be one that fails now and then on purpose.)
    ///
    /// # Errors
    /// What the store fails with.
    pub async fn new(store: DynStore) -> Result<Self, StorageError> {
        // No case ranges over keys that begin like this.
        let sentinel = Key::try_from("~sentinel")?;
        let mut tries = 0;
        let revision = loop {
            tries += 1;
            match store
                .create(&sentinel, RecordPut::of(b"holds".to_vec()))
                .await
            {
                Ok(written) => break written.revision,
                Err(StorageError::AlreadyExists { current, .. }) => break current,
                Err(error) if tries == 20 => return Err(error),
                Err(_) => {}
            }
        };
        Ok(Self {
            store,
            sentinel,
            revision,
        })
    }
}

#[async_trait]
impl Store for WriteShim {
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
        let write = AtomicWrite::new()
            .when(&self.sentinel, WriteCondition::RevisionIs(self.revision))
            .step(key, condition, action);
        self.store.atomic_write(write).await
    }
}
