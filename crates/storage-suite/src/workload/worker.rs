//! One worker: random operations, recorded.

use super::{SeededDice, body, fresh_value, version};
use crate::bench::in_millis;
use crate::history::{Act, Move, Outcome, Recorder, Refusal, Request, Version};
use coeval_storage::{
    AtomicWrite, CommittedWrite, DynStore, Key, ReadRequest, ReadSnapshot, RecordPut, Revision,
    StorageError, Store, UnixMillis, WriteAction, WriteCondition,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

pub(super) struct WorkloadWorker {
    pub(super) process: usize,
    pub(super) store: DynStore,
    pub(super) keys: Vec<Key>,
    pub(super) dice: SeededDice,
    pub(super) recorder: Arc<Recorder>,
    pub(super) values: Arc<AtomicU64>,
    /// The revision last seen under each key, and the expiry as far as it is known.
    pub(super) known: HashMap<Key, (Revision, Option<i64>)>,
    pub(super) faults: bool,
}

impl WorkloadWorker {
    pub(super) async fn work(mut self, operations: usize, pause: Duration) {
        for _ in 0..operations {
            let request = self.choose();
            let (store, faults) = (Arc::clone(&self.store), self.faults);
            let operation = perform(&store, &request, faults);
            let outcome = self
                .recorder
                .record(self.process, request.clone(), operation)
                .await;
            self.learn(&request, &outcome);
            // Whoever meets a fault waits a little, so that the history goes on after it.
            let pause = match outcome {
                Outcome::Failed | Outcome::Unknown(_) => pause + Duration::from_millis(10),
                _ => pause,
            };
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
    }

    fn choose(&mut self) -> Request {
        match self.dice.below(10) {
            0 | 1 => Request::Read(self.some_keys(1)),
            2 | 3 => {
                let count = 2 + self.dice.below(2);
                Request::Read(self.some_keys(count))
            }
            4..=7 => {
                let key = self.some_keys(1).remove(0);
                Request::Write(vec![self.single(key)])
            }
            _ => {
                let count = 2 + self.dice.below(2);
                let keys = self.some_keys(count);
                let mut moves: Vec<_> = keys.into_iter().map(|key| self.any(key)).collect();
                // At least one of them writes.
                moves[0].act = Act::Put(fresh_value(&self.values));
                Request::Write(moves)
            }
        }
    }

    fn some_keys(&mut self, count: usize) -> Vec<Key> {
        let mut keys = self.keys.clone();
        while keys.len() > count {
            let gone = self.dice.below(keys.len());
            keys.swap_remove(gone);
        }
        keys
    }

    fn known(&mut self, key: &Key) -> WriteCondition {
        // A revision that nothing ever has: such a write must be refused.
        let unknown = (Revision::NEVER, None);
        let (revision, expires) = self.known.get(key).copied().unwrap_or(unknown);
        match self.dice.below(2) {
            0 => WriteCondition::RevisionIs(revision),
            _ => WriteCondition::AsRead {
                revision,
                expires: expires.map(UnixMillis),
                flags: 0,
            },
        }
    }

    /// One of the single-key operations.
    fn single(&mut self, key: Key) -> Move {
        let known = self.known(&key);
        let value = fresh_value(&self.values);
        let (condition, act) = match self.dice.below(12) {
            0 | 1 => (WriteCondition::NotExists, Act::Put(value)),
            2 | 3 => (WriteCondition::Whatever, Act::Put(value)),
            4 => (WriteCondition::Exists, Act::Put(value)),
            5..=7 => (known, Act::Put(value)),
            8 => (WriteCondition::Exists, Act::Delete),
            9 => (known, Act::Delete),
            _ => (WriteCondition::Exists, self.keep_alive()),
        };
        Move {
            key,
            condition,
            act,
        }
    }

    /// One step of a larger write: mostly one that will hold.
    fn any(&mut self, key: Key) -> Move {
        let condition = match self.dice.below(10) {
            0..=4 => WriteCondition::Whatever,
            5 => WriteCondition::Exists,
            6 => WriteCondition::NotExists,
            _ => self.known(&key),
        };
        let act = match self.dice.below(6) {
            // A keep-alive of what must not exist could never hold.
            0 => Act::Delete,
            1 => Act::Nop,
            2 if condition != WriteCondition::NotExists => self.keep_alive(),
            _ => Act::Put(fresh_value(&self.values)),
        };
        Move {
            key,
            condition,
            act,
        }
    }

    /// So far away that nothing expires, and never the same twice.
    fn keep_alive(&mut self) -> Act {
        let far = i64::try_from(fresh_value(&self.values)).expect("a small number");
        Act::KeepAlive(in_millis(3_600_000 + far).0)
    }

    fn learn(&mut self, request: &Request, outcome: &Outcome) {
        match (request, outcome) {
            (Request::Read(keys), Outcome::Shown(_, shown)) => {
                for (key, version) in keys.iter().zip(shown) {
                    if let Some(version) = version {
                        let seen = (version.revision, version.expires);
                        self.known.insert(key.clone(), seen);
                    }
                }
            }
            (Request::Write(moves), Outcome::Done(_, revision)) => {
                for step in moves {
                    match step.act {
                        Act::Put(_) => {
                            self.known.insert(step.key.clone(), (*revision, None));
                        }
                        Act::KeepAlive(expires) => {
                            let known = self.known.get_mut(&step.key);
                            known.into_iter().for_each(|known| known.1 = Some(expires));
                        }
                        Act::Delete | Act::Nop => {}
                    }
                }
            }
            (
                _,
                Outcome::Refused(
                    Refusal::AlreadyExists(key, revision) | Refusal::Conflict(key, revision),
                ),
            ) => {
                // The refusal tells no expiry.
                self.known.insert(key.clone(), (*revision, None));
            }
            _ => {}
        }
    }
}

async fn perform(store: &DynStore, request: &Request, faults: bool) -> Outcome {
    match request {
        Request::Read(keys) => match store.read(ReadRequest::keys(keys.clone())).await {
            Ok(snapshot) => Outcome::Shown(snapshot.token.sequence, versions(&snapshot)),
            Err(error) => failure(&error, request, faults),
        },
        Request::Write(moves) => match write(store, moves).await {
            Ok(written) => Outcome::Done(written.token.sequence, written.revision),
            Err(error) => failure(&error, request, faults),
        },
    }
}

fn versions(snapshot: &ReadSnapshot) -> Vec<Option<Version>> {
    let entries = snapshot.keys.iter();
    let version = |entry: &coeval_storage::StoredEntry| {
        version(entry.stored.record().expect("a whole record"))
    };
    entries.map(|entry| entry.as_ref().map(version)).collect()
}

/// Single-key writes by their names, so that whatever is behind those is part of it.
async fn write(store: &DynStore, moves: &[Move]) -> Result<CommittedWrite, StorageError> {
    use WriteCondition::{Exists, NotExists, RevisionIs, Whatever};
    if let [
        Move {
            key,
            condition,
            act,
        },
    ] = moves
    {
        let put = |value: u64| RecordPut::of(body(value));
        match (*condition, *act) {
            (NotExists, Act::Put(value)) => return store.create(key, put(value)).await,
            (Whatever, Act::Put(value)) => return store.put(key, put(value)).await,
            (Exists, Act::Put(value)) => return store.update(key, put(value)).await,
            (RevisionIs(r), Act::Put(v)) => {
                return store.conditional_update(key, r, put(v)).await;
            }
            (Exists, Act::Delete) => return store.delete(key).await,
            (RevisionIs(r), Act::Delete) => return store.conditional_delete(key, r).await,
            (Exists, Act::KeepAlive(at)) => {
                return store.keep_alive(key, Some(UnixMillis(at))).await;
            }
            _ => {}
        }
    }
    let write = moves.iter().fold(AtomicWrite::new(), |write, step| {
        let action = match step.act {
            Act::Put(value) => WriteAction::Put(RecordPut::of(body(value))),
            Act::Delete => WriteAction::Delete,
            Act::KeepAlive(at) => WriteAction::KeepAlive(Some(UnixMillis(at))),
            Act::Nop => WriteAction::Nop,
        };
        write.step(&step.key, step.condition, action)
    });
    store.atomic_write(write).await
}

fn failure(error: &StorageError, request: &Request, faults: bool) -> Outcome {
    // A refusal is an answer, also of a store that fails now and then.
    if let (Request::Write(_), Some(refusal)) = (request, Refusal::of(error)) {
        return Outcome::Refused(refusal);
    }
    assert!(faults, "{request:?} answered {error:?}");
    match error {
        StorageError::UnknownOutcome { revision, .. } => Outcome::Unknown(*revision),
        StorageError::Unavailable { .. }
        | StorageError::Busy { .. }
        | StorageError::Full { .. }
        | StorageError::Failed { .. } => Outcome::Failed,
        other => panic!("{request:?} answered {other:?}"),
    }
}
