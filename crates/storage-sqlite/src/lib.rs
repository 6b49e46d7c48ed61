//! The embedded store: one SQLite file, owned by one process.
//!
//! One thread writes, with group commit; a few threads read, each answering all that waits for it
//! in one read transaction; one thread checkpoints. SQLite is never called from an async task.

mod checkpoint;
mod error;
mod file;
mod history;
mod moment;
mod owner;
mod ranges;
mod reader;
mod transaction;
mod writer;

use async_trait::async_trait;
use coeval_storage::event::RawChange;
use coeval_storage::feed::{self, DeliveryStream, EventFeed, EventLog, RingSize, WatchRequest};
use coeval_storage::{
    AdoptionStep, AtomicWrite, Clock, CommittedWrite, EventRetention, HistoryBounds, KeySpan,
    LogPage, ReadRequest, ReadSnapshot, Revision, StorageError, Store, StoreLimits, StoreStatus,
    StoredEntry, SystemClock, Token,
};
use moment::ExpiryClock;
use reader::ReaderPool;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use writer::WriterHandle;

pub use file::{Durability, LEVEL};

/// How to open an embedded store.
#[derive(Clone, Debug)]
pub struct SqliteOptions {
    /// The database file; made if it is missing.
    pub path: PathBuf,
    /// Bounds of pages.
    pub limits: StoreLimits,
    /// How many recent events are held in memory for watchers.
    pub ring: RingSize,
    /// The clock that decides expiry.
    pub clock: Arc<dyn Clock>,
    /// Threads that read.
    pub readers: usize,
    /// The largest that the file may grow; the disk's limit, if none.
    pub max_bytes: Option<u64>,
    /// Whether commits are synced. Anything but [`Durability::Full`] is for tests of the tests.
    pub durability: Durability,
}

impl SqliteOptions {
    /// The usual settings.
    #[must_use]
    pub fn at(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            limits: StoreLimits::default(),
            ring: RingSize::default(),
            clock: Arc::new(SystemClock::default()),
            readers: std::thread::available_parallelism().map_or(2, |n| n.get().clamp(2, 8)),
            max_bytes: None,
            durability: Durability::Full,
        }
    }
}

/// The embedded store.
#[derive(Debug)]
pub struct SqliteStore {
    shared: Arc<WatchSource>,
    /// None if it was opened read-only.
    writer: Option<WriterHandle>,
}

/// What watchers hold on to.
#[derive(Debug)]
struct WatchSource {
    path: PathBuf,
    readers: ReaderPool,
    feed: Arc<EventFeed>,
}

impl SqliteStore {
    /// Opens the file for writing and owns it until the store is closed or dropped.
    ///
    /// # Errors
    /// [`StorageError::InUse`] if another process owns it; [`StorageError::UnknownLevel`] if a
    /// newer release wrote it; otherwise what SQLite says.
    pub async fn open(options: SqliteOptions) -> Result<Self, StorageError> {
        blocking(move || {
            // The lock first: nothing of the file is touched while another process owns it.
            let owner = owner::OwnerLock::take(&options.path)?;
            let connection = file::open_for_writing(&options.path, options.durability)?;
            file::limit(&connection, options.max_bytes)?;
            let loader = Arc::default();
            let moments = ExpiryClock::new(Arc::clone(&options.clock));
            let readers = ReaderPool::start(&options, &moments, &loader)?;
            let bounds = history::bounds(&connection)?.bounds;
            let feed = Arc::new(EventFeed::new(&bounds, options.ring));
            let checkpoints = checkpoint::start(&options.path)?;
            let writer = WriterHandle::start(writer::WriterParts {
                connection,
                moments,
                feed: Arc::clone(&feed),
                loader,
                checkpoints,
                owner,
            })?;
            let shared = Arc::new(WatchSource {
                path: options.path,
                readers,
                feed,
            });
            Ok(Self {
                shared,
                writer: Some(writer),
            })
        })
        .await
    }

    /// Opens an existing file for reading only, also while another process owns it.
    ///
    /// # Errors
    /// As [`SqliteStore::open`], but never `InUse`.
    pub async fn open_read_only(options: SqliteOptions) -> Result<Self, StorageError> {
        blocking(move || {
            if !options.path.is_file() {
                return Err(StorageError::unavailable(format!(
                    "there is no file {}",
                    options.path.display()
                )));
            }
            // No owner and no writer: in WAL mode readers have their snapshot while another process
            // commits.
            let moments = ExpiryClock::new(Arc::clone(&options.clock));
            let readers = ReaderPool::start(&options, &moments, &Arc::default())?;
            let connection = file::open_for_reading(&options.path)?;
            let bounds = history::bounds(&connection)?.bounds;
            let shared = Arc::new(WatchSource {
                feed: Arc::new(EventFeed::new(&bounds, options.ring)),
                path: options.path,
                readers,
            });
            Ok(Self {
                shared,
                writer: None,
            })
        })
        .await
    }

    /// The database file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.shared.path
    }

    /// SQLite's own check of the file; empty if it finds nothing.
    ///
    /// # Errors
    /// If the check itself can't be run.
    pub async fn check_file(&self) -> Result<Vec<String>, StorageError> {
        self.shared.readers.run(file::quick_check).await
    }

    /// Puts raw records into the file without a trace in its history. Only while a restore is
    /// under way ([`AdoptionStep::Begin`]): how a backup file is filled.
    ///
    /// # Errors
    /// [`StorageError::InvalidWrite`] at any other time.
    pub async fn load(&self, records: Vec<RawChange>) -> Result<(), StorageError> {
        self.writer()?.load(records).await
    }

    /// Notes something about the file, in the file.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn set_note(&self, name: &str, value: &str) -> Result<(), StorageError> {
        self.writer()?.note(name.to_owned(), value.to_owned()).await
    }

    /// What was noted about the file, by name.
    ///
    /// # Errors
    /// What SQLite says.
    pub async fn notes(&self) -> Result<BTreeMap<String, String>, StorageError> {
        self.shared.readers.run(file::notes).await
    }

    fn writer(&self) -> Result<&WriterHandle, StorageError> {
        self.writer.as_ref().ok_or(StorageError::ReadOnly)
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StorageError> + Send + 'static,
) -> Result<T, StorageError> {
    // SQLite blocks, and on a runtime's thread it would stop all other tasks there.
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(StorageError::failed(error)),
    }
}

#[async_trait]
impl Store for SqliteStore {
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        self.shared
            .readers
            .run(move |transaction| reader::snapshot(transaction, &request))
            .await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.writer()?.write(write, Revision::draw()?).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        // Read-only: commits of the owning process are not seen here, and the watch would be silent
        // for ever.
        self.writer()?;
        let log = Arc::clone(&self.shared) as Arc<dyn EventLog>;
        feed::watch(&self.shared.feed, log, request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        self.shared.page(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        self.shared
            .readers
            .run(move |transaction| reader::expired(transaction, limit))
            .await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        self.writer()?.compact(keep).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.writer()?.adopt(step).await
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        self.shared
            .readers
            .run(move |transaction| ranges::count(transaction, &span))
            .await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        let bounds = self.shared.bounds().await?;
        let size = |suffix: &str| {
            let mut path = self.shared.path.clone().into_os_string();
            path.push(suffix);
            std::fs::metadata(path).map_or(0, |meta| meta.len())
        };
        Ok(StoreStatus {
            kind: "sqlite",
            incarnation: bounds.incarnation,
            floor: bounds.floor,
            head: bounds.head,
            // Both files: what is not checkpointed yet is in the log only.
            bytes: Some(size("") + size("-wal")),
        })
    }

    async fn close(&self) {
        // In this order: watches end, waiting writes are committed and answered, and only then
        // reads end.
        self.shared.feed.close();
        if let Some(writer) = &self.writer {
            writer.close().await;
        }
        self.shared.readers.close();
    }
}

impl Drop for SqliteStore {
    fn drop(&mut self) {
        self.shared.feed.close();
        self.shared.readers.close();
    }
}

#[async_trait]
impl EventLog for WatchSource {
    async fn bounds(&self) -> Result<HistoryBounds, StorageError> {
        self.readers.run(|transaction| Ok(transaction.bounds)).await
    }

    async fn page(&self, after: u64) -> Result<LogPage, StorageError> {
        self.readers
            .run(move |transaction| history::page(transaction, after))
            .await
    }
}
