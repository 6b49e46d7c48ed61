//! The one writer thread: whatever waits is judged and committed together.

mod batch;
mod compaction;

use crate::checkpoint::CheckpointThread;
use crate::error::typed;
use crate::history::{self, signed, unsigned};
use crate::moment::ExpiryClock;
use crate::owner::OwnerLock;
use batch::BatchMember;
use coeval_storage::event::RawChange;
use coeval_storage::feed::EventFeed;
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, EventGroup, EventRetention, Incarnation, Revision,
    StorageError, Token,
};
use rusqlite::{Connection, params};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// Members of one commit at most.
const MOST_MEMBERS: usize = 256;
/// Bytes of values after which a batch is closed.
const BATCH_BYTES: usize = 4 * 1024 * 1024;
/// KiB of values that may wait; more callers wait for room.
const WAITING_KIB: usize = 64 * 1024;
/// Batches that may wait to be shown to watchers.
const UNPUBLISHED: usize = 1_024;

/// What the thread needs.
pub(crate) struct WriterParts {
    pub(crate) connection: Connection,
    pub(crate) moments: ExpiryClock,
    pub(crate) feed: Arc<EventFeed>,
    pub(crate) loader: Arc<AtomicBool>,
    pub(crate) checkpoints: CheckpointThread,
    pub(crate) owner: OwnerLock,
}

enum WriterCommand {
    Write(BatchMember),
    Compact(EventRetention, oneshot::Sender<Result<u64, StorageError>>),
    Adopt(AdoptionStep, oneshot::Sender<Result<Token, StorageError>>),
    Load(Vec<RawChange>, oneshot::Sender<Result<(), StorageError>>),
    Note(String, String, oneshot::Sender<Result<(), StorageError>>),
}

/// The way to the writer thread.
#[derive(Debug)]
pub(crate) struct WriterHandle {
    commands: Mutex<Option<mpsc::Sender<WriterCommand>>>,
    room: Arc<Semaphore>,
    ended: tokio::sync::watch::Receiver<bool>,
}

impl WriterHandle {
    pub(crate) fn start(start: WriterParts) -> Result<Self, StorageError> {
        let (commands, queue) = mpsc::channel(4 * MOST_MEMBERS);
        let (end, ended) = tokio::sync::watch::channel(false);
        let publish = publisher(Arc::clone(&start.feed))?;
        let mut thread = WriterThread {
            head: 0,
            total: 0,
            checkpointed: 0,
            incarnation: Incarnation::from_bytes([0; 16]),
            restoring: false,
            last_batch: 1,
            last_commit: Duration::ZERO,
            start,
            publish,
        };
        thread.reload()?;
        std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || {
                thread.run(queue);
                thread.finish();
                // Whoever waits for the end is told; nobody may.
                let _ = end.send(true);
            })
            .map_err(StorageError::failed)?;
        Ok(Self {
            commands: Mutex::new(Some(commands)),
            room: Arc::new(Semaphore::new(WAITING_KIB)),
            ended,
        })
    }

    pub(crate) async fn write(
        &self,
        write: AtomicWrite,
        revision: Revision,
    ) -> Result<CommittedWrite, StorageError> {
        // At least one: a write of deletes alone takes room too.
        let kib = u32::try_from(batch::size(&write) / 1024 + 1).unwrap_or(u32::MAX);
        // No more than there is, or a large write would wait for ever.
        let kib = kib.min(u32::try_from(WAITING_KIB).unwrap_or(u32::MAX));
        let _room = self
            .room
            .acquire_many(kib)
            .await
            .map_err(|_| StorageError::Closed)?;
        self.send(|reply| {
            WriterCommand::Write(BatchMember {
                write,
                revision,
                reply,
            })
        })
        .await
    }

    pub(crate) async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        self.send(|reply| WriterCommand::Compact(keep, reply)).await
    }

    pub(crate) async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        self.send(|reply| WriterCommand::Adopt(step, reply)).await
    }

    pub(crate) async fn load(&self, records: Vec<RawChange>) -> Result<(), StorageError> {
        self.send(|reply| WriterCommand::Load(records, reply)).await
    }

    pub(crate) async fn note(&self, name: String, value: String) -> Result<(), StorageError> {
        self.send(|reply| WriterCommand::Note(name, value, reply))
            .await
    }

    /// Lets what waits be written, then ends the thread.
    pub(crate) async fn close(&self) {
        drop(self.lock().take());
        // An error means that the thread is gone already.
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    async fn send<T>(
        &self,
        command: impl FnOnce(oneshot::Sender<Result<T, StorageError>>) -> WriterCommand,
    ) -> Result<T, StorageError> {
        let commands = self.lock().clone().ok_or(StorageError::Closed)?;
        let (reply, answer) = oneshot::channel();
        commands
            .send(command(reply))
            .await
            .map_err(|_| StorageError::Closed)?;
        // Before waiting: the thread ends when the last sender is dropped.
        drop(commands);
        answer.await.map_err(|_| StorageError::Closed)?
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<WriterCommand>>> {
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shows committed groups to the watchers, on a thread of its own: waking a thousand of them must
/// not delay the next commit.
fn publisher(feed: Arc<EventFeed>) -> Result<SyncSender<Vec<Arc<EventGroup>>>, StorageError> {
    // Bounded: if watchers can't be woken fast enough, the writer slows down and memory does not
    // fill.
    let (publish, committed): (_, Receiver<Vec<Arc<EventGroup>>>) = sync_channel(UNPUBLISHED);
    std::thread::Builder::new()
        .name("sqlite-publisher".into())
        .spawn(move || {
            while let Ok(first) = committed.recv() {
                // All that waits at once, because each publish wakes every watcher.
                let more = std::iter::from_fn(|| committed.try_recv().ok());
                feed.publish(std::iter::once(first).chain(more).flatten());
            }
        })
        .map_err(StorageError::failed)?;
    Ok(publish)
}

struct WriterThread {
    start: WriterParts,
    publish: SyncSender<Vec<Arc<EventGroup>>>,
    head: u64,
    /// Bytes of all event bodies since the store began: how compaction knows their size.
    total: u64,
    /// The same, when the last checkpoint was asked for.
    checkpointed: u64,
    incarnation: Incarnation,
    restoring: bool,
    last_batch: usize,
    last_commit: Duration,
}

impl WriterThread {
    fn run(&mut self, mut queue: mpsc::Receiver<WriterCommand>) {
        while let Some(first) = queue.blocking_recv() {
            let mut members = Vec::new();
            let mut other = self.collect_batch(first, &mut queue, &mut members);
            // In the order of arrival: a compaction or an adoption sees all writes that came before
            // it.
            self.commit(members);
            while let Some(command) = other.take() {
                match command {
                    WriterCommand::Write(member) => self.commit(vec![member]),
                    WriterCommand::Adopt(step, reply) => {
                        let _ = reply.send(self.adopt(step));
                    }
                    WriterCommand::Load(records, reply) => {
                        let _ = reply.send(self.load(&records));
                    }
                    WriterCommand::Note(name, value, reply) => {
                        let _ = reply.send(self.note(&name, &value));
                    }
                    WriterCommand::Compact(keep, reply) => {
                        let _ = reply.send(self.compact(keep, &mut queue, &mut other));
                    }
                }
            }
        }
    }

    /// Takes the writes that wait, up to the first other command, which is returned.
    fn collect_batch(
        &self,
        first: WriterCommand,
        queue: &mut mpsc::Receiver<WriterCommand>,
        members: &mut Vec<BatchMember>,
    ) -> Option<WriterCommand> {
        // The callers of the last commit are on their way back: a moment's patience, a small part
        // of what a commit takes, lets most of them share this one.
        let patience = self.last_commit / 4;
        let begun = Instant::now();
        let mut bytes = 0;
        let mut next = Some(first);
        loop {
            match next {
                Some(WriterCommand::Write(member)) => {
                    bytes += batch::size(&member.write);
                    members.push(member);
                }
                Some(other) => return Some(other),
                None if members.len() < self.last_batch && begun.elapsed() < patience => {
                    std::thread::yield_now();
                }
                None => return None,
            }
            if members.len() >= MOST_MEMBERS || bytes >= BATCH_BYTES {
                return None;
            }
            next = queue.try_recv().ok();
        }
    }

    fn adopt(&mut self, step: AdoptionStep) -> Result<Token, StorageError> {
        let incarnation = Incarnation::draw()?;
        let restoring = step == AdoptionStep::Begin;
        let loader = &self.start.loader;
        if step == AdoptionStep::Finish && !(self.restoring && loader.load(Ordering::Acquire)) {
            return Err(StorageError::invalid_write("this handle restores nothing"));
        }
        if self.restoring && !loader.load(Ordering::Acquire) && step != AdoptionStep::Begin {
            return Err(StorageError::Restoring);
        }
        self.start
            .connection
            .execute(
                "UPDATE meta SET incarnation = ?, restoring = ?",
                params![incarnation.as_bytes(), restoring],
            )
            .map_err(typed)?;
        // After the commit: readers of this handle are let in when the file says so.
        loader.store(restoring, Ordering::Release);
        self.reload()?;
        // Whatever the publisher still holds is of the old history; the ring passes it over.
        let meta = history::bounds(&self.start.connection)?;
        self.start.feed.restart(&meta.bounds);
        Ok(meta.bounds.token())
    }

    fn note(&self, name: &str, value: &str) -> Result<(), StorageError> {
        self.start
            .connection
            .execute(
                "INSERT INTO notes VALUES (?, ?)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                params![name, value],
            )
            .map(|_| ())
            .map_err(typed)
    }

    /// Reads from the file where the history stands.
    fn reload(&mut self) -> Result<(), StorageError> {
        let meta = history::bounds(&self.start.connection)?;
        let total: Option<i64> = self
            .start
            .connection
            .query_row(
                // A subquery, so that a store without events answers a row too.
                "SELECT (SELECT total FROM events WHERE seq = ?)",
                params![signed(meta.bounds.head)],
                |row| row.get(0),
            )
            .map_err(typed)?;
        self.head = meta.bounds.head;
        self.incarnation = meta.bounds.incarnation;
        self.restoring = meta.restoring;
        self.total = unsigned(total.unwrap_or(0));
        self.checkpointed = self.total;
        Ok(())
    }

    fn may_write(&self) -> bool {
        !self.restoring || self.start.loader.load(Ordering::Acquire)
    }

    fn finish(self) {
        // The writer's connection first, so that the last checkpoint has the file for itself; the
        // lock last, so that nobody opens it half closed.
        drop(self.start.connection);
        self.start.checkpoints.finish();
        drop(self.start.owner);
    }
}
