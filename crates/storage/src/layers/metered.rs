//! Counts and times of each operation: `coeval_storage_*`.

use crate::feed::{DeliveryStream, WatchDelivery, WatchRequest};
use crate::{
    AdoptionStep, AtomicWrite, CommittedWrite, EventRetention, KeySpan, LogPage, ReadRequest,
    ReadSnapshot, StorageError, Store, StoreStatus, StoredEntry, Token,
};
use async_trait::async_trait;
use futures::StreamExt;
use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use std::time::Instant;

/// Operations, by name.
pub const OPERATIONS: &str = "coeval_storage_operations_total";
/// Failures, by operation and kind.
pub const FAILURES: &str = "coeval_storage_failures_total";
/// Seconds that an operation took.
pub const SECONDS: &str = "coeval_storage_operation_seconds";
/// Members of one group commit, recorded by the stores that have one.
pub const BATCH_SIZE: &str = "coeval_storage_batch_size";
/// Events that watchers got.
pub const DELIVERED: &str = "coeval_storage_events_delivered_total";
/// Watches that are open.
pub const WATCHES: &str = "coeval_storage_watches";

/// The sequence of the last write that this server knows of.
pub const SEQUENCE: &str = "coeval_storage_sequence";

/// Counts and times every operation.
#[derive(Debug)]
pub struct MeteredStore<S> {
    store: S,
    read: OperationMeter,
    count: OperationMeter,
    atomic_write: OperationMeter,
    watch: OperationMeter,
    events: OperationMeter,
    expired: OperationMeter,
    compact: OperationMeter,
    adopt: OperationMeter,
    delivered: Counter,
    watches: Gauge,
}

struct OperationMeter {
    operation: &'static str,
    count: Counter,
    seconds: Histogram,
}

impl std::fmt::Debug for OperationMeter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.operation)
    }
}

impl OperationMeter {
    fn new(operation: &'static str) -> Self {
        Self {
            operation,
            count: counter!(OPERATIONS, "operation" => operation),
            seconds: histogram!(SECONDS, "operation" => operation),
        }
    }

    async fn measure<T>(
        &self,
        work: impl Future<Output = Result<T, StorageError>> + Send,
    ) -> Result<T, StorageError> {
        let begun = Instant::now();
        let result = work.await;
        self.count.increment(1);
        self.seconds.record(begun.elapsed().as_secs_f64());
        if let Err(error) = &result {
            self.failed(error);
        }
        result
    }

    fn failed(&self, error: &StorageError) {
        counter!(FAILURES, "operation" => self.operation, "kind" => error.kind()).increment(1);
    }
}

impl<S> MeteredStore<S> {
    /// Around `store`; reports to the recorder that is installed now.
    pub fn new(store: S) -> Self {
        Self {
            store,
            read: OperationMeter::new("read"),
            count: OperationMeter::new("count"),
            atomic_write: OperationMeter::new("atomic_write"),
            watch: OperationMeter::new("watch"),
            events: OperationMeter::new("events"),
            expired: OperationMeter::new("expired"),
            compact: OperationMeter::new("compact"),
            adopt: OperationMeter::new("adopt"),
            delivered: counter!(DELIVERED),
            watches: gauge!(WATCHES),
        }
    }
}

/// Counts a watch as open as long as it lives.
struct OpenWatchGauge(Gauge);

impl Drop for OpenWatchGauge {
    fn drop(&mut self) {
        self.0.decrement(1.0);
    }
}

#[async_trait]
impl<S: Store> Store for MeteredStore<S> {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.read.measure(self.store.read(request)).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.atomic_write
            .measure(self.store.atomic_write(write))
            .await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        let watch = self.watch.measure(self.store.watch(request)).await?;
        self.watches.increment(1.0);
        let open = OpenWatchGauge(self.watches.clone());
        let delivered = self.delivered.clone();
        let counted = watch.inspect(move |delivery| {
            // Moves it into the closure: the gauge goes down when the watch is dropped.
            let _ = &open;
            match delivery {
                Ok(WatchDelivery::Events(_, group)) => {
                    delivered.increment(group.events.len() as u64);
                }
                Ok(WatchDelivery::Live(_) | WatchDelivery::Bookmark(_)) => {}
                Err(error) => {
                    counter!(FAILURES, "operation" => "deliver", "kind" => error.kind())
                        .increment(1);
                }
            }
        });
        Ok(counted.boxed())
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.events.measure(self.store.events(after)).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.expired.measure(self.store.expired(limit)).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        self.compact.measure(self.store.compact(keep)).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.adopt.measure(self.store.adopt(step)).await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.count.measure(self.store.count(span)).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        let status = self.store.status().await?;
        gauge!(SEQUENCE).set(status.head as f64);
        Ok(status)
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
