//! The sweep, on a store that answers as it is told.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use async_trait::async_trait;
use coeval_storage::maintenance::{DependentRecords, sweep};
use coeval_storage::{
    AdoptionStep, AtomicWrite, CommittedWrite, DeliveryStream, EventRetention, Incarnation, Key,
    LogPage, ReadRequest, ReadSnapshot, Record, RecordContent, Revision, StorageError, Store,
    StoreStatus, StoredEntry, StoredValue, Token, UnixMillis, WatchRequest, WriteAction,
    WriteCondition, WriteStep,
};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// Expired records, and how often a write is refused before it is accepted.
#[derive(Debug, Default)]
struct Told {
    records: Mutex<BTreeMap<Key, StoredEntry>>,
    /// Refusals to come, by the record that the write would remove.
    refusals: Mutex<BTreeMap<Key, Vec<StorageError>>>,
    writes: Mutex<Vec<AtomicWrite>>,
}

const EXPIRES: UnixMillis = UnixMillis(5);
const REVISION: Revision = Revision::from_bytes([1; 16]);

fn key(text: &str) -> Key {
    Key::try_from(text).unwrap()
}

impl Told {
    fn with(names: impl IntoIterator<Item = String>) -> Self {
        let entry = |name: String| StoredEntry {
            key: key(&name),
            stored: StoredValue::Record(Record {
                revision: REVISION,
                expires: Some(EXPIRES),
                indexed: true,
                content: RecordContent::of("x"),
            }),
        };
        let entries = names.into_iter().map(entry);
        let records = entries.map(|entry| (entry.key.clone(), entry)).collect();
        Self {
            records: Mutex::new(records),
            ..Self::default()
        }
    }

    fn refusing(self, name: &str, refusals: Vec<StorageError>) -> Self {
        self.refusals.lock().unwrap().insert(key(name), refusals);
        self
    }

    fn left(&self) -> Vec<String> {
        let records = self.records.lock().unwrap();
        records.keys().map(Key::to_string).collect()
    }

    fn written(&self) -> usize {
        self.writes.lock().unwrap().len()
    }
}

#[async_trait]
impl Store for Told {
    async fn read(&self, _: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        Err(StorageError::Closed)
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        self.writes.lock().unwrap().push(write.clone());
        let head = &write.steps[0];
        assert_eq!(
            head.condition,
            WriteCondition::StillExpired(REVISION, EXPIRES)
        );
        assert_eq!(head.action, WriteAction::Delete);
        let mut refusals = self.refusals.lock().unwrap();
        if let Some(refusal) = refusals.get_mut(&head.key).and_then(Vec::pop) {
            return Err(refusal);
        }
        self.records.lock().unwrap().remove(&head.key);
        Ok(CommittedWrite {
            token: Token {
                incarnation: Incarnation::from_bytes([0; 16]),
                sequence: 1,
            },
            revision: Revision::NEVER,
        })
    }

    async fn watch(&self, _: WatchRequest) -> Result<DeliveryStream, StorageError> {
        Err(StorageError::Closed)
    }

    async fn events(&self, _: u64) -> Result<LogPage, StorageError> {
        Err(StorageError::Closed)
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        let records = self.records.lock().unwrap();
        Ok(records.values().take(limit).cloned().collect())
    }

    async fn compact(&self, _: EventRetention) -> Result<u64, StorageError> {
        Err(StorageError::Closed)
    }

    async fn adopt(&self, _: AdoptionStep) -> Result<Token, StorageError> {
        Err(StorageError::Closed)
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        Err(StorageError::Closed)
    }

    async fn close(&self) {}
}

fn conflict(name: &str) -> StorageError {
    StorageError::Conflict {
        key: key(name),
        current: REVISION,
    }
}

fn missing(name: &str) -> StorageError {
    StorageError::NotFound { key: key(name) }
}

/// To each record belongs a counter; those in `broken` can't be told.
#[derive(Debug, Default)]
struct Counter {
    asked: Mutex<usize>,
    broken: Vec<Key>,
}

#[async_trait]
impl DependentRecords for Counter {
    async fn steps(
        &self,
        _: &dyn Store,
        entry: &StoredEntry,
    ) -> Result<Vec<WriteStep>, StorageError> {
        *self.asked.lock().unwrap() += 1;
        if self.broken.contains(&entry.key) {
            return Err(missing("counter"));
        }
        Ok(vec![WriteStep {
            key: key("counter"),
            condition: WriteCondition::RevisionIs(REVISION),
            action: WriteAction::Delete,
        }])
    }
}

#[tokio::test]
async fn what_belongs_to_a_record_is_asked_again_after_a_refusal_but_not_for_ever() {
    let already = || StorageError::AlreadyExists {
        key: key("counter"),
        current: REVISION,
    };
    // (what the writes answer before they are accepted, how often it is asked, whether it is gone)
    let table = [
        (vec![], 1, true),
        (vec![conflict("counter")], 2, true),
        (
            vec![conflict("counter"), missing("counter"), already()],
            4,
            true,
        ),
        (vec![conflict("counter"); 4], 5, true),
        (vec![conflict("counter"); 5], 5, false),
        // The record itself has changed, or is gone: nothing is left to do.
        (vec![conflict("r")], 1, false),
        (vec![missing("r")], 1, false),
    ];
    for (refusals, asked, gone) in table {
        let label = format!("{refusals:?}");
        let store = Told::with(["r".to_owned()]).refusing("r", refusals);
        let counter = Counter::default();
        let removed = sweep(&store, Some(&counter)).await.unwrap();
        assert_eq!(*counter.asked.lock().unwrap(), asked, "{label}");
        assert_eq!(store.written(), asked, "{label}");
        assert_eq!(
            (removed == 1, store.left().is_empty()),
            (gone, gone),
            "{label}"
        );
        assert!(
            store
                .writes
                .lock()
                .unwrap()
                .iter()
                .all(|w| w.steps.len() == 2)
        );
    }
}

#[tokio::test]
async fn a_record_that_cannot_be_removed_holds_up_no_other() {
    // More than one look brings, and the first ones fail.
    let names = |range: std::ops::Range<usize>| range.map(|n| format!("r/{n:04}"));
    let store = Told::with(names(0..900));
    let counter = Counter {
        broken: names(0..300).map(|name| key(&name)).collect(),
        ..Counter::default()
    };
    assert_eq!(sweep(&store, Some(&counter)).await, Ok(600));
    assert_eq!(store.left(), names(0..300).collect::<Vec<_>>());
    assert_eq!(*counter.asked.lock().unwrap(), 900);
}

#[tokio::test]
async fn a_store_that_fails_ends_the_sweep() {
    let down = StorageError::unavailable("gone");
    let store = Told::with(["a".into(), "b".into()]).refusing("a", vec![down.clone()]);
    assert_eq!(sweep(&store, None).await, Err(down));
    assert_eq!(store.left(), ["a", "b"]);
    assert_eq!(sweep(&store, None).await, Ok(2));
}
