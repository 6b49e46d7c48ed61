//! A `tracing` span around each operation.

use crate::feed::{DeliveryStream, WatchRequest};
use crate::{
    AdoptionStep, AtomicWrite, CommittedWrite, EventRetention, KeySpan, LogPage, ReadRequest,
    ReadSnapshot, StorageError, Store, StoreStatus, StoredEntry, Token,
};
use async_trait::async_trait;
use tracing::{Instrument, debug_span};

/// Traces every operation, by its size; keys and values stay out of the traces.
#[derive(Debug)]
pub struct TracedStore<S>(pub S);

#[async_trait]
impl<S: Store> Store for TracedStore<S> {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        let (keys, ranges) = (request.keys.len(), request.ranges.len());
        let span = debug_span!("storage.read", keys, ranges);
        self.0.read(request).instrument(span).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        let span = debug_span!("storage.atomic_write", steps = write.steps.len());
        self.0.atomic_write(write).instrument(span).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        let span = debug_span!("storage.watch", resumes = request.from.is_some());
        self.0.watch(request).instrument(span).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        let span = debug_span!("storage.events", after);
        self.0.events(after).instrument(span).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        let span = debug_span!("storage.expired", limit);
        self.0.expired(limit).instrument(span).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        let span = debug_span!("storage.compact", ?keep);
        self.0.compact(keep).instrument(span).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        let span = debug_span!("storage.adopt", ?step);
        self.0.adopt(step).instrument(span).await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        let traced = debug_span!("storage.count");
        self.0.count(span).instrument(traced).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.0.status().await
    }

    async fn close(&self) {
        self.0.close().await;
    }
}
