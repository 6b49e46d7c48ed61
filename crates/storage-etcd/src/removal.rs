//! The removal of an expired record together with what belongs to it, by whoever meets it first.
//!
//! What belongs to a record is not in the index of expiries: if the record alone were deleted,
//! nobody would ever find the rest. While the dependents are asked for, other expired records are
//! passed over, so that no removal waits for itself.

use crate::expired_record::ExpiredRecord;
use crate::ops;
use crate::shared::EtcdHandle;
use async_trait::async_trait;
use coeval_storage::maintenance::{self, DependentRecords};
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, EventRetention, LogPage,
    ReadRequest, ReadSnapshot, StorageError, Store, StoreStatus, StoredEntry, StoredValue, Token,
    WatchRequest,
};
use futures::future::{BoxFuture, join_all};
use std::sync::{Arc, Weak};

/// Records that are removed at the same time.
const AT_ONCE: usize = 16;

/// On whose behalf something is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RequestOrigin {
    /// A caller's: what has expired is removed before it is called absent.
    Serving,
    /// A removal's: what has expired is passed over, and in the way of a write it is an error if
    /// something may belong to it.
    Removing,
}

/// What belongs to records, and the store as a removal sees it.
#[derive(Debug)]
pub(crate) struct ExpiryRemoval {
    dependents: Arc<dyn DependentRecords>,
    inside: RemovalView,
}

impl EtcdHandle {
    /// From now on, expired records are removed with their dependents.
    pub(crate) fn set_dependents(self: &Arc<Self>, dependents: Arc<dyn DependentRecords>) {
        // Weak, because the removal is part of what it refers to.
        let inside = RemovalView(Arc::downgrade(self));
        // Set once, when the store is opened.
        let _ = self.removal.set(ExpiryRemoval { dependents, inside });
    }
}

impl ExpiryRemoval {
    /// Removes some records that may own others. One that has changed stays, as does one whose
    /// dependents changed each time in between: whoever asks again tries again.
    pub(crate) fn of(&self, owners: Vec<ExpiredRecord>) -> BoxFuture<'_, Result<(), StorageError>> {
        Box::pin(async move {
            let shared = self.inside.shared()?;
            // A few at a time: each reads and writes on its own.
            for some in owners.chunks(AT_ONCE) {
                let removed = join_all(some.iter().map(|past| self.one(&shared, past))).await;
                removed.into_iter().collect::<Result<(), _>>()?;
            }
            Ok(())
        })
    }

    async fn one(&self, shared: &EtcdHandle, past: &ExpiredRecord) -> Result<(), StorageError> {
        // Read again: the values of all that was met would take too much memory.
        let record = shared.layout.record(past.key());
        let view = shared.view(vec![ops::get(&record)]).await?;
        let answer = view.ranges.into_iter().next().unwrap_or_default();
        let Some(kv) = answer.kvs.into_iter().next().filter(|kv| past.is_still(kv)) else {
            return Ok(());
        };
        let entry = StoredEntry {
            key: past.key().clone(),
            stored: StoredValue::decode(past.key(), kv.value),
        };
        let dependents = Some(&*self.dependents);
        match maintenance::remove_expired(&self.inside, &entry, dependents).await {
            // The caller only wants to know what is there: it was not told.
            Err(StorageError::UnknownOutcome { reason, .. }) => {
                Err(StorageError::Unavailable { reason })
            }
            result => result.map(|_| ()),
        }
    }
}

/// The store as a removal sees it.
#[derive(Debug)]
struct RemovalView(Weak<EtcdHandle>);

impl RemovalView {
    fn shared(&self) -> Result<Arc<EtcdHandle>, StorageError> {
        self.0.upgrade().ok_or(StorageError::Closed)
    }
}

fn not_here<T>() -> Result<T, StorageError> {
    Err(StorageError::invalid_write(
        "what belongs to a record is found by reads alone",
    ))
}

#[async_trait]
impl Store for RemovalView {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.shared()?.read(request, RequestOrigin::Removing).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.shared()?
            .atomic_write(write, RequestOrigin::Removing)
            .await
    }

    async fn watch(&self, _: WatchRequest) -> Result<DeliveryStream, StorageError> {
        not_here()
    }

    async fn events(&self, _: u64) -> Result<LogPage, StorageError> {
        not_here()
    }

    async fn expired(&self, _: usize) -> Result<Vec<StoredEntry>, StorageError> {
        not_here()
    }

    async fn compact(&self, _: EventRetention) -> Result<u64, StorageError> {
        not_here()
    }

    async fn adopt(&self, _: AdoptionStep) -> Result<Token, StorageError> {
        not_here()
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        not_here()
    }

    async fn close(&self) {}
}
