//! One batch: judge each member over the ones before, write the last state of each key and every
//! event, commit, answer.

use super::WriterThread;
use crate::error::{leaves_commit_open, typed};
use crate::history::signed;
use bytes::Bytes;
use coeval_storage::event::{RawChange, RawChangeValue, encode_group};
use coeval_storage::judge::{BatchOverlay, KeyState, StateLookup};
use coeval_storage::layers::metered::BATCH_SIZE;
use coeval_storage::record::{HEADER, RecordHead};
use coeval_storage::{
    AtomicWrite, CommittedWrite, EventGroup, Key, Revision, StorageError, Token, UnixMillis,
    WriteAction,
};
use metrics::histogram;
use rusqlite::{Connection, OptionalExtension, params};
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// Bytes of events between two checkpoints; the log then holds about three times as much.
const CHECKPOINT_AFTER: u64 = 4 * 1024 * 1024;

/// One atomic write that waits.
pub(super) struct BatchMember {
    pub(super) write: AtomicWrite,
    pub(super) revision: Revision,
    pub(super) reply: oneshot::Sender<Result<CommittedWrite, StorageError>>,
}

/// Bytes of values in a write.
pub(super) fn size(write: &AtomicWrite) -> usize {
    let put = |action: &WriteAction| match action {
        WriteAction::Put(put) => put.content.stored_size(),
        _ => 0,
    };
    write.steps.iter().map(|step| put(&step.action)).sum()
}

/// What a batch came to, if it is committed.
struct JudgedBatch {
    answers: Vec<Result<CommittedWrite, StorageError>>,
    groups: Vec<Arc<EventGroup>>,
    head: u64,
    total: u64,
}

enum CommitFailure {
    /// Nothing was written.
    Clean(StorageError),
    /// The commit may or may not hold.
    Open(String),
}

impl WriterThread {
    pub(super) fn commit(&mut self, members: Vec<BatchMember>) {
        if members.is_empty() {
            return;
        }
        let begun = Instant::now();
        histogram!(BATCH_SIZE).record(u32::try_from(members.len()).unwrap_or(u32::MAX));
        match self.try_commit(&members) {
            Ok(judged) => {
                // For `collect_batch`: about as many callers will be back soon, and after about as long.
                self.last_batch = members.len();
                self.last_commit = begun.elapsed();
                self.answer(members, judged);
            }
            // One member may be to blame: each alone, so that it fails no neighbour.
            Err(CommitFailure::Clean(_)) if members.len() > 1 => {
                for member in members {
                    self.commit(vec![member]);
                }
            }
            Err(failure) => {
                for member in members {
                    let error = match &failure {
                        CommitFailure::Clean(error) => error.clone(),
                        CommitFailure::Open(reason) => StorageError::UnknownOutcome {
                            revision: member.revision,
                            reason: reason.clone(),
                        },
                    };
                    let _ = member.reply.send(Err(error));
                }
            }
        }
    }

    /// Not after each commit: a checkpoint syncs the file, which takes as long as a commit.
    fn wake_checkpoints(&mut self) {
        if self.total - self.checkpointed >= CHECKPOINT_AFTER {
            self.checkpointed = self.total;
            self.start.checkpoints.wake();
        }
    }

    fn answer(&mut self, members: Vec<BatchMember>, judged: JudgedBatch) {
        self.head = judged.head;
        self.total = judged.total;
        for (member, answer) in members.into_iter().zip(judged.answers) {
            // The caller may have gone; the write stands all the same.
            let _ = member.reply.send(answer);
        }
        if !judged.groups.is_empty() {
            // Fails only when the store is being dropped, and with it every watcher.
            let _ = self.publish.send(judged.groups);
            self.wake_checkpoints();
        }
    }

    fn try_commit(&self, members: &[BatchMember]) -> Result<JudgedBatch, CommitFailure> {
        if !self.may_write() {
            return Err(CommitFailure::Clean(StorageError::Restoring));
        }
        let connection = &self.start.connection;
        // IMMEDIATE takes the write lock now: no statement in the middle of the batch can fail for
        // it.
        run(connection, "BEGIN IMMEDIATE").map_err(|e| CommitFailure::Clean(typed(e)))?;
        // Under way until the commit is done or given up.
        let judging = self.start.moments.judge();
        let judged = match self.judge(members, judging.now) {
            Ok(judged) => judged,
            Err(error) => {
                self.roll_back();
                return Err(CommitFailure::Clean(error));
            }
        };
        match run(connection, "COMMIT") {
            Ok(()) => Ok(judged),
            Err(error) => {
                // SQLite may have rolled back by itself already; `roll_back` looks.
                self.roll_back();
                Err(if leaves_commit_open(&error) {
                    CommitFailure::Open(error.to_string())
                } else {
                    CommitFailure::Clean(typed(error))
                })
            }
        }
    }

    fn roll_back(&self) {
        let connection = &self.start.connection;
        if !connection.is_autocommit()
            && let Err(error) = run(connection, "ROLLBACK")
        {
            tracing::error!(%error, "a failed batch could not be rolled back");
        }
    }

    fn judge(&self, members: &[BatchMember], now: UnixMillis) -> Result<JudgedBatch, StorageError> {
        let mut batch = BatchOverlay::default();
        let mut standing = SqliteLookup(&self.start.connection);
        let mut judged = JudgedBatch {
            answers: Vec::with_capacity(members.len()),
            groups: Vec::with_capacity(members.len()),
            head: self.head,
            total: self.total,
        };
        for member in members {
            let judgement = batch.judge(&member.write, member.revision, now, &mut standing)?;
            let answer = match judgement {
                Ok(changes) => {
                    self.record_event(&changes, now, &mut judged)?;
                    Ok(CommittedWrite {
                        token: Token {
                            incarnation: self.incarnation,
                            sequence: judged.head,
                        },
                        revision: if member.write.draws_revision() {
                            member.revision
                        } else {
                            Revision::NEVER
                        },
                    })
                }
                Err(refusal) => Err(refusal),
            };
            judged.answers.push(answer);
        }
        self.store(batch.outcome())?;
        Ok(judged)
    }

    /// Notes what a member changed as the next event; nothing, if it changed nothing.
    fn record_event(
        &self,
        changes: &[RawChange],
        now: UnixMillis,
        judged: &mut JudgedBatch,
    ) -> Result<(), StorageError> {
        if changes.is_empty() {
            return Ok(());
        }
        let body = encode_group(changes);
        judged.head += 1;
        judged.total += body.len() as u64;
        let mut statement = self
            .start
            .connection
            .prepare_cached("INSERT INTO events (seq, at, total, body) VALUES (?, ?, ?, ?)")
            .map_err(typed)?;
        statement
            .execute(params![
                signed(judged.head),
                now.0,
                signed(judged.total),
                body.as_ref()
            ])
            .map_err(typed)?;
        let events = changes.iter().map(RawChange::event).collect();
        judged
            .groups
            .push(Arc::new(EventGroup::new(judged.head, events)));
        Ok(())
    }

    /// Fills a store that is being restored; no event tells of it.
    pub(super) fn load(&self, records: &[RawChange]) -> Result<(), StorageError> {
        if !(self.restoring && self.may_write()) {
            return Err(StorageError::invalid_write(
                "records are loaded only during a restore",
            ));
        }
        run(&self.start.connection, "BEGIN IMMEDIATE").map_err(typed)?;
        let loaded = records.iter().map(|record| match &record.to {
            RawChangeValue::Put(raw) => (&record.key, Some(raw)),
            RawChangeValue::Deleted(_) => (&record.key, None),
        });
        let stored = self.store(loaded);
        let done = stored.and_then(|()| run(&self.start.connection, "COMMIT").map_err(typed));
        // Does nothing after a commit.
        self.roll_back();
        self.start.checkpoints.wake();
        done
    }

    fn store<'a>(
        &self,
        records: impl Iterator<Item = (&'a Key, Option<&'a Bytes>)>,
    ) -> Result<(), StorageError> {
        let connection = &self.start.connection;
        let mut put = connection
            .prepare_cached(
                "INSERT INTO records (key, sweep, value) VALUES (?, ?, ?)
                 ON CONFLICT (key) DO UPDATE SET sweep = excluded.sweep, value = excluded.value",
            )
            .map_err(typed)?;
        let mut delete = connection
            .prepare_cached("DELETE FROM records WHERE key = ?")
            .map_err(typed)?;
        // In key order: neighbours touch the same pages of the index.
        let mut records: Vec<_> = records.collect();
        records.sort_by_key(|(key, _)| *key);
        for (key, value) in records {
            let done = match value {
                Some(raw) => put.execute(params![key.as_bytes(), sweep_at(raw), raw.as_ref()]),
                None => delete.execute(params![key.as_bytes()]),
            };
            done.map_err(typed)?;
        }
        Ok(())
    }
}

/// When the sweep is to look at a record, if it is.
fn sweep_at(raw: &[u8]) -> Option<i64> {
    let head = RecordHead::read(raw).filter(|head| head.indexed)?;
    head.expires.map(|at| at.0)
}

fn run(connection: &Connection, statement: &str) -> Result<(), rusqlite::Error> {
    connection
        .prepare_cached(statement)?
        .execute([])
        .map(|_| ())
}

struct SqliteLookup<'c>(&'c Connection);

impl StateLookup for SqliteLookup<'_> {
    fn standing(&mut self, key: &Key, whole: bool) -> Result<KeyState, StorageError> {
        if whole {
            let value: Option<Vec<u8>> =
                self.find("SELECT value FROM records WHERE key = ?", key)?;
            return Ok(value.map_or(KeyState::Absent, |raw| KeyState::Whole(Bytes::from(raw))));
        }
        const _: () = assert!(HEADER == 32);
        let statement = "SELECT substr(value, 1, 32) FROM records WHERE key = ?";
        let head: Option<Vec<u8>> = self.find(statement, key)?;
        Ok(KeyState::head_of(head.as_deref()))
    }
}

impl SqliteLookup<'_> {
    fn find(&self, statement: &str, key: &Key) -> Result<Option<Vec<u8>>, StorageError> {
        let mut statement = self.0.prepare_cached(statement).map_err(typed)?;
        statement
            .query_row(params![key.as_bytes()], |row| row.get(0))
            .optional()
            .map_err(typed)
    }
}
