//! Faults on purpose, for tests.

use crate::feed::{DeliveryStream, WatchRequest};
use crate::{
    AdoptionStep, AtomicWrite, CommittedWrite, EventRetention, KeySpan, LogPage, ReadRequest,
    ReadSnapshot, Revision, StorageError, Store, StoreStatus, StoredEntry, Token,
};
use async_trait::async_trait;
use futures::{StreamExt, future, stream};
use std::sync::Arc;
use std::time::Duration;

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InjectedFault {
    /// The store never hears of the request.
    ErrorBefore,
    /// The write is committed and answered with `UnknownOutcome`.
    ErrorAfter,
    /// The write is not committed and answered with `UnknownOutcome`.
    UnknownBefore,
    /// The request waits first.
    Delay(Duration),
    /// A watch ends with an error after so many deliveries.
    CutWatch(usize),
}

/// Decides for each operation what goes wrong.
pub trait FaultPlan: Send + Sync + std::fmt::Debug + 'static {
    /// For the next read.
    fn read(&self) -> Option<InjectedFault> {
        None
    }
    /// For the next atomic write.
    fn write(&self) -> Option<InjectedFault> {
        None
    }
    /// For the next watch.
    fn watch(&self) -> Option<InjectedFault> {
        None
    }
}

/// A store that fails as its plan says.
#[derive(Debug)]
pub struct FaultyStore<S> {
    store: S,
    plan: Arc<dyn FaultPlan>,
}

impl<S> FaultyStore<S> {
    /// Around `store`.
    pub fn new(store: S, plan: Arc<dyn FaultPlan>) -> Self {
        Self { store, plan }
    }

    /// What is read, unless the plan has a fault for it.
    async fn while_reading<T>(
        &self,
        work: impl Future<Output = Result<T, StorageError>> + Send,
    ) -> Result<T, StorageError> {
        match self.plan.read() {
            Some(InjectedFault::Delay(time)) => tokio::time::sleep(time).await,
            Some(InjectedFault::ErrorBefore) => return Err(injected()),
            Some(InjectedFault::ErrorAfter) => {
                work.await?;
                return Err(injected());
            }
            Some(InjectedFault::UnknownBefore | InjectedFault::CutWatch(_)) | None => {}
        }
        work.await
    }
}

fn injected() -> StorageError {
    StorageError::unavailable("an injected fault")
}

fn unknown(revision: Revision) -> StorageError {
    StorageError::UnknownOutcome {
        revision,
        reason: "an injected fault".into(),
    }
}

#[async_trait]
impl<S: Store> Store for FaultyStore<S> {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.while_reading(self.store.read(request)).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        match self.plan.write() {
            Some(InjectedFault::Delay(time)) => tokio::time::sleep(time).await,
            Some(InjectedFault::ErrorBefore) => return Err(injected()),
            Some(InjectedFault::UnknownBefore) => return Err(unknown(Revision::draw()?)),
            Some(InjectedFault::ErrorAfter) => {
                let written = self.store.atomic_write(write).await?;
                return Err(unknown(written.revision));
            }
            Some(InjectedFault::CutWatch(_)) | None => {}
        }
        self.store.atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        let fault = self.plan.watch();
        match fault {
            Some(InjectedFault::ErrorBefore) => return Err(injected()),
            Some(InjectedFault::Delay(time)) => tokio::time::sleep(time).await,
            _ => {}
        }
        let watch = self.store.watch(request).await?;
        Ok(match fault {
            Some(InjectedFault::CutWatch(after)) => watch
                .take(after)
                .chain(stream::once(future::ready(Err(injected()))))
                .boxed(),
            _ => watch,
        })
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
        self.while_reading(self.store.count(span)).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.store.status().await
    }

    async fn close(&self) {
        self.store.close().await;
    }
}
