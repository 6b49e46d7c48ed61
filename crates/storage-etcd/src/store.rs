//! The store.

use crate::address::EtcdAddress;
use crate::announce::{announce, announce_once, read_peer_clocks, withdraw};
use crate::client::EtcdClient;
use crate::layout::KeyLayout;
use crate::meta::{KnownHistory, StoreMeta};
use crate::removal::RequestOrigin;
use crate::shared::{EtcdHandle, ViewAnswer, look};
use crate::tail::tail;
use crate::{ops, pb};
use async_trait::async_trait;
use bytes::Bytes;
use coeval_storage::feed::{self, EventLog, RingSize};
use coeval_storage::maintenance::DependentRecords;
use coeval_storage::races::retry_races;
use coeval_storage::{
    AdoptionStep, AtomicWrite, Clock, CommittedWrite, DeliveryStream, EventRetention, Incarnation,
    KeySpan, LogPage, ReadRequest, ReadSnapshot, Revision, StorageError, Store, StoreLimits,
    StoreStatus, StoredEntry, SystemClock, Token, WatchRequest,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// How long `close` may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(2);
const CREATE_ATTEMPTS: u32 = 8;

/// How a store is opened.
#[derive(Clone, Debug)]
pub struct EtcdOptions {
    /// `etcd://host:port,host:port/prefix?ca=…&cert=…&key=…`
    pub url: String,
    /// Bounds on reads and writes.
    pub limits: StoreLimits,
    /// The recent events that are held for watchers.
    pub ring: RingSize,
    /// What expiries are held against: etcd has no clock.
    pub clock: Arc<dyn Clock>,
    /// What belongs to a record that is found past its expiry, to be removed along with it: the
    /// same that the sweep is given. Without this, nothing.
    pub dependents: Option<Arc<dyn DependentRecords>>,
}

impl EtcdOptions {
    /// The defaults for the store at `url`.
    #[must_use]
    pub fn at(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            limits: StoreLimits::default(),
            ring: RingSize::default(),
            clock: Arc::new(SystemClock::default()),
            dependents: None,
        }
    }
}

/// A handle on a store in etcd.
#[derive(Debug)]
pub struct EtcdStore {
    shared: Arc<EtcdHandle>,
    tasks: [JoinHandle<()>; 2],
}

impl EtcdStore {
    /// Opens a store, or creates it. Needs a Tokio runtime.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`], [`StorageError::Unavailable`], or
    /// [`StorageError::UnknownLevel`] if a newer release created it.
    pub async fn open(options: EtcdOptions) -> Result<Self, StorageError> {
        let address = EtcdAddress::parse(&options.url)?;
        let layout = KeyLayout::new(&address.prefix);
        let client = EtcdClient::new(&address)?;
        let history = find_or_create(&client, &layout).await?;
        let id = *Revision::draw()?.as_bytes();
        let shared = Arc::new(EtcdHandle::new(
            (client, layout),
            history,
            (options.limits, options.clock),
            options.ring,
            id,
        ));
        if let Some(dependents) = options.dependents {
            shared.set_dependents(dependents);
        }
        // The others' clocks before anything expires, and ours before anybody can ask for it.
        read_peer_clocks(&shared).await?;
        announce_once(&shared).await;
        let tasks = [
            tokio::spawn(tail(Arc::clone(&shared))),
            tokio::spawn(announce(Arc::clone(&shared))),
        ];
        Ok(Self { shared, tasks })
    }

    fn end_tasks(&self) {
        for task in &self.tasks {
            task.abort();
        }
    }

    fn log(&self) -> Arc<dyn EventLog> {
        Arc::clone(&self.shared) as Arc<dyn EventLog>
    }
}

/// The store's history and its last write.
async fn find_or_create(
    client: &EtcdClient,
    layout: &KeyLayout,
) -> Result<(KnownHistory, u64), StorageError> {
    let failed = || StorageError::failed("the store could not be created");
    retry_races(CREATE_ATTEMPTS, |_| find_once(client, layout), failed).await
}

/// `None`: it was created just now, by this server or another one.
async fn find_once(
    client: &EtcdClient,
    layout: &KeyLayout,
) -> Result<Option<(KnownHistory, u64)>, StorageError> {
    let found = ViewAnswer::of(client.read(&look(layout, Vec::new(), false)).await?)?;
    if let (Some(known), Some(head)) = (found.known, found.head) {
        let head = u64::try_from(head.mod_revision).unwrap_or(0);
        return Ok(Some((known, head)));
    }
    let meta = StoreMeta {
        incarnation: Incarnation::draw()?,
        loader: None,
    };
    let id = Bytes::copy_from_slice(Revision::draw()?.as_bytes());
    let txn = pb::TxnRequest {
        compare: vec![ops::absent(&layout.store)],
        success: vec![
            ops::put(&layout.store, meta.encode()),
            ops::put(&layout.head, id),
        ],
        failure: Vec::new(),
    };
    // Whether this or another server created it, the next round finds it.
    if let Err(unanswered) = client.write(&txn).await {
        return Err(unanswered.fault.into());
    }
    Ok(None)
}

impl Drop for EtcdStore {
    fn drop(&mut self) {
        self.end_tasks();
        // Dropped without `close`: if there is still a runtime, the clock is withdrawn all the
        // same.
        if self.shared.close()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let shared = Arc::clone(&self.shared);
            runtime.spawn(async move {
                let _ = tokio::time::timeout(GOODBYE, withdraw(&shared)).await;
            });
        }
    }
}

#[async_trait]
impl Store for EtcdStore {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.shared.read(request, RequestOrigin::Serving).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.shared
            .atomic_write(write, RequestOrigin::Serving)
            .await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        feed::watch(&self.shared.feed, self.log(), request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.shared.page(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.shared.expired(limit).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        self.shared.compact_history(keep).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.shared.adopt_history(step).await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.shared.count(&span).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        let bounds = self.shared.admitted_history().await?.bounds;
        if let Some(off) = self.shared.clock_off() {
            return Err(StorageError::ClockOff { off });
        }
        Ok(StoreStatus {
            kind: "etcd",
            incarnation: bounds.incarnation,
            floor: bounds.floor,
            head: bounds.head,
            bytes: self.shared.client.size().await.ok(),
        })
    }

    async fn close(&self) {
        if self.shared.close() {
            self.end_tasks();
            let goodbye = async {
                withdraw(&self.shared).await;
                self.shared.release_claim().await
            };
            // Not waited for longer: what stays behind is cleared away by others.
            let _ = tokio::time::timeout(GOODBYE, goodbye).await;
        }
    }
}
