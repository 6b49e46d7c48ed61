//! Recorded histories of concurrent operations, and two checkers for them.
//!
//! [`check_serial`] believes the sequences that writes and reads returned and shows that they are
//! a serial order that respects real time. [`check_linearizable`] believes nothing and searches
//! for an order, key by key. Both must be content.

mod linearizable;
mod model;
#[cfg(test)]
mod sample;
mod serial;

pub use linearizable::check_linearizable;
pub use serial::check_serial;

use coeval_storage::{Key, Revision, StorageError, WriteCondition};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// What stands under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Version {
    /// Its revision.
    pub revision: Revision,
    /// Which value: each write of a history writes another one.
    pub value: u64,
    /// Its expiry; far away, so that nothing expires while a history is recorded.
    pub expires: Option<i64>,
}

/// What is done to a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Stores this value under a fresh revision.
    Put(u64),
    /// Removes it, if it is there.
    Delete,
    /// Moves its expiry.
    KeepAlive(i64),
    /// Nothing.
    Nop,
}

/// One key of a write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// Which.
    pub key: Key,
    /// What must hold.
    pub condition: WriteCondition,
    /// What is done.
    pub act: Act,
}

/// What was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Some keys in one snapshot.
    Read(Vec<Key>),
    /// All or nothing.
    Write(Vec<Move>),
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A read's answer: at which sequence, and one for each key.
    Shown(u64, Vec<Option<Version>>),
    /// A write's acknowledgement: its sequence, and the revision of its puts.
    Done(u64, Revision),
    /// A write's refusal.
    Refused(Refusal),
    /// Nobody knows whether the write happened; if it did, this is the revision of its puts.
    Unknown(Revision),
    /// Nothing happened.
    Failed,
}

/// Why a write was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A record was needed.
    NotFound(Key),
    /// None was wanted.
    AlreadyExists(Key, Revision),
    /// Another revision was expected.
    Conflict(Key, Revision),
}

impl Refusal {
    /// Of a store's error, if it is one of these.
    #[must_use]
    pub fn of(error: &StorageError) -> Option<Self> {
        Some(match error {
            StorageError::NotFound { key } => Self::NotFound(key.clone()),
            StorageError::AlreadyExists { key, current } => {
                Self::AlreadyExists(key.clone(), *current)
            }
            StorageError::Conflict { key, current } => Self::Conflict(key.clone(), *current),
            _ => return None,
        })
    }

    /// The key that it is about.
    #[must_use]
    pub const fn key(&self) -> &Key {
        match self {
            Self::NotFound(key) | Self::AlreadyExists(key, _) | Self::Conflict(key, _) => key,
        }
    }
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Who did it.
    pub process: usize,
    /// When it was called, in ticks of one clock for the whole history.
    pub call: u64,
    /// When it returned. What returned without a known outcome may still take effect later.
    pub done: u64,
    /// What was asked for.
    pub request: Request,
    /// What came of it.
    pub outcome: Outcome,
}

/// One group of the store's event log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Logged {
    /// Its place.
    pub sequence: u64,
    /// What each key became.
    pub changes: Vec<(Key, Option<Version>)>,
}

/// What is wrong with a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation(pub String);

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Records operations of any number of processes.
#[derive(Debug, Default)]
pub struct Recorder {
    ticks: AtomicU64,
    operations: Mutex<Vec<Operation>>,
}

impl Recorder {
    /// The next tick: a moment that is before and after other moments.
    pub fn tick(&self) -> u64 {
        self.ticks.fetch_add(1, Ordering::SeqCst)
    }

    /// Runs one operation and records it.
    ///
    /// # Panics
    /// If a recording process panicked.
    pub async fn record(
        &self,
        process: usize,
        request: Request,
        operation: impl Future<Output = Outcome>,
    ) -> Outcome {
        // Ticks from around the operation: the interval is never shorter than the real one, so that
        // a correct store can't be found guilty.
        let call = self.tick();
        let outcome = operation.await;
        let done = self.tick();
        self.operations.lock().unwrap().push(Operation {
            process,
            call,
            done,
            request,
            outcome: outcome.clone(),
        });
        outcome
    }

    /// Everything recorded so far.
    ///
    /// # Panics
    /// If a recording process panicked.
    #[must_use]
    pub fn operations(&self) -> Vec<Operation> {
        self.operations.lock().unwrap().clone()
    }
}
