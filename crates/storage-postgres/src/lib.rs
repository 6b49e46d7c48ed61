//! The PostgreSQL store: many servers on one database, in one order.
//!
//! Each handle has one writer, which commits what is queued together; one tailer, which follows
//! the event table and fills the ring that watches read; and a pool of sessions for reads. The
//! database alone decides: every write locks the one counter row first, so sequences are given
//! out in the order of commits, whichever server commits.

mod adopt;
mod commit;
mod compact;
mod database;
mod doubt;
mod error;
mod history;
mod meta;
mod options;
mod reader;
mod schema;
mod session;
mod tailer;
mod tls;
mod url;
mod writer;

pub use options::PostgresOptions;
pub use schema::LEVEL;

use crate::database::SessionPool;
use crate::history::EventHistory;
use crate::session::SessionConnector;
use crate::tailer::{CommitSignal, EventTailer};
use crate::writer::{BatchWriter, WriteJob};
use async_trait::async_trait;
use coeval_storage::feed::{self, EventLog};
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, EventRetention, KeySpan, LogPage,
    ReadRequest, ReadSnapshot, Revision, StorageError, Store, StoreLimits, StoreStatus,
    StoredEntry, Token, WatchRequest,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinHandle};

/// Writes that may wait for the writer.
const QUEUE: usize = 1_024;
/// How long a caller waits for a place in the queue.
const QUEUED_WITHIN: Duration = Duration::from_secs(10);
/// How long a close waits for the writer to answer its queue.
const CLOSED_WITHIN: Duration = Duration::from_secs(30);

/// A handle on a store in a PostgreSQL database.
pub struct PostgresStore {
    history: Arc<EventHistory>,
    limits: StoreLimits,
    schema: Arc<str>,
    signal: CommitSignal,
    /// None once closed.
    queue: Mutex<Option<mpsc::Sender<WriteJob>>>,
    writer: tokio::sync::Mutex<Option<JoinHandle<()>>>,
    tasks: [AbortHandle; 2],
}

impl PostgresStore {
    /// Opens the store at an address; creates its schema and tables if they are missing.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`], [`StorageError::Unavailable`],
    /// [`StorageError::UnknownLevel`], or what the database refuses.
    pub async fn open(options: PostgresOptions) -> Result<Self, StorageError> {
        let address = url::parse(&options.url)?;
        let connector = SessionConnector {
            tls: tls::TlsMaker::new(&address.security)?,
            config: address.config,
            schema: address.schema.into(),
        };
        let handle = *Revision::draw()?.as_bytes();
        // Before the pool is there: what is wrong with the address or the schema is reported at
        // once.
        let session = connector.session(None).await?;
        let meta = schema::prepare(&session.client, &connector.schema).await?;
        drop(session);

        let database = Arc::new(SessionPool::new(&connector, options.readers, handle)?);
        let history = Arc::new(EventHistory::new(database, &meta.bounds, options.ring));
        let bell = CommitSignal::default();
        let (queue, jobs) = mpsc::channel(QUEUE);
        let writer = BatchWriter {
            connector: connector.clone(),
            handle,
            signal: bell.clone(),
            patience: options.patience,
            session: None,
            failing: false,
        };
        let writer = tokio::spawn(writer.run(jobs));
        let schema = Arc::clone(&connector.schema);
        let tailer = EventTailer {
            connector,
            history: Arc::clone(&history),
            signal: bell.clone(),
            poll: options.poll,
            announce: options.announce,
        };
        let tailer = tokio::spawn(tailer.run());
        Ok(Self {
            history,
            limits: options.limits,
            schema,
            signal: bell,
            queue: Mutex::new(Some(queue)),
            tasks: [writer.abort_handle(), tailer.abort_handle()],
            writer: tokio::sync::Mutex::new(Some(writer)),
        })
    }

    fn queue(&self) -> Result<mpsc::Sender<WriteJob>, StorageError> {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.clone().ok_or(StorageError::Closed)
    }

    fn database(&self) -> Result<&SessionPool, StorageError> {
        self.queue().map(|_| self.history.database.as_ref())
    }

    fn stop(&self) {
        self.history.feed().close();
        self.history.database.close();
        for task in &self.tasks {
            task.abort();
        }
    }
}

impl Drop for PostgresStore {
    fn drop(&mut self) {
        self.stop();
    }
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore")
            .field("schema", &self.schema)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl Store for PostgresStore {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        request.check(&self.limits)?;
        self.database()?.read(&request, &self.limits).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        // Here as well as in a layer: one oversized member would fail the statement of its whole
        // batch.
        write.check(&self.limits)?;
        let revision = if write.draws_revision() {
            Revision::draw()?
        } else {
            Revision::NEVER
        };
        let queue = self.queue()?;
        // A place is reserved before anything is sent: a caller that gives up while waiting has
        // written nothing.
        let place = tokio::time::timeout(QUEUED_WITHIN, queue.reserve())
            .await
            .map_err(|_| StorageError::Busy {
                reason: "the queue of writes is full".into(),
            })?
            .map_err(|_| StorageError::Closed)?;
        let (reply, answer) = oneshot::channel();
        place.send(WriteJob {
            write,
            revision,
            reply,
        });
        // Not held while waiting: the writer ends when the last sender is dropped.
        drop(queue);
        // No answer: the writer was ended in the middle, and perhaps of a commit.
        answer.await.unwrap_or_else(|_| {
            Err(StorageError::UnknownOutcome {
                revision,
                reason: "the store was closed before it answered".into(),
            })
        })
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        self.queue()?;
        let log: Arc<dyn EventLog> = Arc::clone(&self.history) as _;
        feed::watch(&self.history.feed(), log, request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.queue()?;
        self.history.page(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.database()?.expired(limit).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        let lock = schema::lock_key(&self.schema, "compact");
        self.database()?.compact(keep, lock).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        let token = self.database()?.adopt(step).await?;
        // Watches end: here at once, elsewhere when their servers hear of it.
        if let Err(error) = self.history.catch_up().await {
            tracing::warn!(%error, "watches of the old history end a little later");
        }
        self.signal.notify();
        Ok(token)
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.database()?.count(&span).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        self.database()?.status().await
    }

    async fn close(&self) {
        // No new writes from here on.
        self.queue
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.history.feed().close();
        // The writer ends when its queue is answered.
        let mut writer = self.writer.lock().await;
        if let Some(writer) = writer.take() {
            let _ = tokio::time::timeout(CLOSED_WITHIN, writer).await;
        }
        self.stop();
    }
}
