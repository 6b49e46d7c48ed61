//! Readers: a few threads; each takes its share of all that waits and answers it in one read
//! transaction, so that the price of beginning one is shared.

use crate::error::typed;
use crate::moment::ExpiryClock;
use crate::transaction::{ReadTransaction, is_live};
use crate::{SqliteOptions, file, history, ranges};
use bytes::Bytes;
use coeval_storage::{
    Key, ReadRequest, ReadSnapshot, StorageError, StoreLimits, StoredEntry, StoredValue,
};
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tokio::sync::oneshot;

type ReadJob = Box<dyn FnOnce(Result<&ReadTransaction<'_>, StorageError>) + Send>;

#[derive(Default)]
struct ReadQueue {
    jobs: VecDeque<ReadJob>,
    closed: bool,
    idle: usize,
}

#[derive(Default)]
struct WaitingReads {
    queue: Mutex<ReadQueue>,
    arrived: Condvar,
}

/// The pool of readers.
pub(crate) struct ReaderPool {
    waiting: Arc<WaitingReads>,
}

impl std::fmt::Debug for ReaderPool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReaderPool")
    }
}

/// The most that one reader takes at once.
const AT_ONCE: usize = 64;
/// The most that may wait; more are refused.
const MOST_WAITING: usize = 65_536;

impl ReaderPool {
    pub(crate) fn start(
        options: &SqliteOptions,
        moments: &ExpiryClock,
        loader: &Arc<AtomicBool>,
    ) -> Result<Self, StorageError> {
        let waiting = Arc::<WaitingReads>::default();
        for number in 0..options.readers.max(1) {
            let reader = ReaderThread {
                connection: file::open_reader(&options.path, options.readers)?,
                moments: moments.clone(),
                limits: options.limits,
                loader: Arc::clone(loader),
                share: options.readers.max(1),
            };
            let waiting = Arc::clone(&waiting);
            std::thread::Builder::new()
                .name(format!("sqlite-reader-{number}"))
                .spawn(move || reader.run(&waiting))
                .map_err(StorageError::failed)?;
        }
        Ok(Self { waiting })
    }

    /// Runs `work` in a read transaction on one of the threads.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&ReadTransaction<'_>) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (reply, answer) = oneshot::channel();
        let job: ReadJob = Box::new(move |transaction| {
            // Nobody waits any more if the caller was cancelled.
            let _ = reply.send(transaction.and_then(work));
        });
        {
            let mut queue = self.waiting.lock();
            if queue.closed {
                return Err(StorageError::Closed);
            }
            if queue.jobs.len() >= MOST_WAITING {
                return Err(StorageError::Busy {
                    reason: format!("{MOST_WAITING} reads wait already"),
                });
            }
            queue.jobs.push_back(job);
            // Readers that are at work look at the queue again by themselves.
            if queue.idle > 0 {
                self.waiting.arrived.notify_one();
            }
        }
        answer.await.map_err(|_| StorageError::Closed)?
    }

    pub(crate) fn close(&self) {
        self.waiting.lock().closed = true;
        self.waiting.arrived.notify_all();
    }
}

impl Drop for ReaderPool {
    fn drop(&mut self) {
        self.close();
    }
}

impl WaitingReads {
    fn lock(&self) -> MutexGuard<'_, ReadQueue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A share of what waits; empty once closed and drained.
    fn take(&self, share: usize) -> Vec<ReadJob> {
        let mut queue = self.lock();
        while queue.jobs.is_empty() && !queue.closed {
            queue.idle += 1;
            queue = self
                .arrived
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
            queue.idle -= 1;
        }
        // Not all of it: the other readers wake up as well and share the work.
        let count = queue.jobs.len().div_ceil(share).min(AT_ONCE);
        queue.jobs.drain(..count).collect()
    }
}

struct ReaderThread {
    connection: Connection,
    moments: ExpiryClock,
    limits: StoreLimits,
    loader: Arc<AtomicBool>,
    share: usize,
}

impl ReaderThread {
    fn run(&self, waiting: &WaitingReads) {
        loop {
            let jobs = waiting.take(self.share);
            if jobs.is_empty() {
                return;
            }
            self.answer(jobs);
        }
    }

    fn answer(&self, jobs: Vec<ReadJob>) {
        match self.begin() {
            Ok(transaction) => {
                for job in jobs {
                    job(Ok(&transaction));
                }
            }
            Err(error) => {
                for job in jobs {
                    job(Err(error.clone()));
                }
            }
        }
        // Not open if BEGIN failed, or if SQLite ended the transaction after an error.
        if !self.connection.is_autocommit()
            && let Err(error) = self.execute("COMMIT")
        {
            tracing::warn!(%error, "a read transaction could not be ended");
        }
    }

    fn begin(&self) -> Result<ReadTransaction<'_>, StorageError> {
        // Before the snapshot is taken: see there.
        let now = self.moments.read();
        self.execute("BEGIN")?;
        let meta = history::bounds(&self.connection)?;
        if meta.restoring && !self.loader.load(Ordering::Acquire) {
            return Err(StorageError::Restoring);
        }
        Ok(ReadTransaction {
            connection: &self.connection,
            bounds: meta.bounds,
            now,
            limits: self.limits,
        })
    }

    fn execute(&self, statement: &str) -> Result<(), StorageError> {
        let mut statement = self.connection.prepare_cached(statement).map_err(typed)?;
        statement.execute([]).map(|_| ()).map_err(typed)
    }
}

pub(crate) fn snapshot(
    transaction: &ReadTransaction<'_>,
    request: &ReadRequest,
) -> Result<ReadSnapshot, StorageError> {
    // A snapshot is of the present, so what it does not show yet is of another history.
    if let Some(token) = request.at_least
        && (token.incarnation != transaction.bounds.incarnation
            || token.sequence > transaction.bounds.head)
    {
        return Err(StorageError::Compacted);
    }
    let keys = request.keys.iter().map(|key| entry(transaction, key));
    let pages = request.ranges.iter();
    let pages = pages.map(|range| ranges::page(transaction, range));
    Ok(ReadSnapshot {
        token: transaction.bounds.token(),
        keys: keys.collect::<Result<_, _>>()?,
        pages: pages.collect::<Result<_, _>>()?,
    })
}

fn entry(
    transaction: &ReadTransaction<'_>,
    key: &Key,
) -> Result<Option<StoredEntry>, StorageError> {
    let mut statement = transaction
        .connection
        .prepare_cached("SELECT value FROM records WHERE key = ?")
        .map_err(typed)?;
    let found = statement
        .query_row(params![key.as_bytes()], |row| {
            let raw = row.get_ref(0)?.as_blob()?;
            Ok(is_live(raw, transaction.now).then(|| Bytes::copy_from_slice(raw)))
        })
        .optional()
        .map_err(typed)?;
    Ok(found.flatten().map(|raw| StoredEntry {
        key: key.clone(),
        stored: StoredValue::decode(key, raw),
    }))
}

pub(crate) fn expired(
    transaction: &ReadTransaction<'_>,
    limit: usize,
) -> Result<Vec<StoredEntry>, StorageError> {
    let mut statement = transaction
        .connection
        .prepare_cached(
            "SELECT key, value FROM records WHERE sweep IS NOT NULL AND sweep <= ?
             ORDER BY sweep LIMIT ?",
        )
        .map_err(typed)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = statement
        .query_map(params![transaction.now.0, limit], |row| {
            Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, Vec<u8>>(1)?))
        })
        .map_err(typed)?;
    rows.map(|row| {
        let (key, raw) = row.map_err(typed)?;
        let key = Key::unchecked(key.into());
        Ok(StoredEntry {
            stored: StoredValue::decode(&key, raw.into()),
            key,
        })
    })
    .collect()
}
