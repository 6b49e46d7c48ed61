//! A `tracing` span around each operation.

use crate::feed::{Watch, WatchRequest};
use crate::{
    Adoption, AtomicWrite, Entry, LogPage, ReadRequest, Retention, Snapshot, Span, Status,
    StorageError, Store, Token, Written,
};
use async_trait::async_trait;
use tracing::{Instrument, debug_span};

/// Traces every operation, by its size; keys and values stay out of the traces.
#[derive(Debug)]
pub struct Traced<S>(pub S);

#[async_trait]
impl<S: Store> Store for Traced<S> {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        let (keys, ranges) = (request.keys.len(), request.ranges.len());
        let span = debug_span!("storage.read", keys, ranges);
        self.0.read(request).instrument(span).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        let span = debug_span!("storage.atomic_write", steps = write.steps.len());
        self.0.atomic_write(write).instrument(span).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError> {
        let span = debug_span!("storage.watch", resumes = request.from.is_some());
        self.0.watch(request).instrument(span).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        let span = debug_span!("storage.events", after);
        self.0.events(after).instrument(span).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError> {
        let span = debug_span!("storage.expired", limit);
        self.0.expired(limit).instrument(span).await
    }

    async fn compact(&self, keep: Retention) -> Result<u64, StorageError> {
        let span = debug_span!("storage.compact", ?keep);
        self.0.compact(keep).instrument(span).await
    }

    async fn adopt(&self, step: Adoption) -> Result<Token, StorageError> {
        let span = debug_span!("storage.adopt", ?step);
        self.0.adopt(step).instrument(span).await
    }

    async fn count(&self, span: Span) -> Result<(Token, u64), StorageError> {
        let traced = debug_span!("storage.count");
        self.0.count(span).instrument(traced).await
    }

    async fn status(&self) -> Result<Status, StorageError> {
        self.0.status().await
    }

    async fn close(&self) {
        self.0.close().await;
    }
}
