//! Backup while writers write, restore while everybody is there.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use coeval_storage::{
    CommittedWrite, DynStore, Key, KeySpan, ReadRequest, Record, RecordContent, RecordPut,
    StorageError, Store, Token, WatchRequest,
};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use coeval_stores::{LoadTarget, StoresError, backup, check, restore};
use common::{Place, contents, key, quiet};
use futures::StreamExt;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::task::JoinHandle;

const WRITERS: usize = 4;
const KEYS: u64 = 200;

/// What the writers were told: at which sequence which key became what.
type Told = Arc<Mutex<Vec<(Token, Key, Option<RecordContent>)>>>;

/// Everybody who uses the store while it is backed up and restored.
struct Clients {
    stop: Arc<AtomicBool>,
    told: Told,
    writers: Vec<JoinHandle<()>>,
    watchers: Vec<JoinHandle<StorageError>>,
}

impl Clients {
    fn start(store: &DynStore) -> Self {
        let stop = Arc::<AtomicBool>::default();
        let told = Told::default();
        let writers = (0..WRITERS).map(|writer| {
            let (store, stop, told) = (Arc::clone(store), Arc::clone(&stop), Arc::clone(&told));
            tokio::spawn(async move {
                let mut number = writer as u64;
                while !stop.load(Ordering::Relaxed) {
                    number += 7;
                    write(&store, writer, number, &told).await;
                }
            })
        });
        let watchers = (0..3).map(|_| {
            let store = Arc::clone(store);
            tokio::spawn(async move { watch_until_told(&store).await })
        });
        Self {
            writers: writers.collect(),
            watchers: watchers.collect(),
            stop,
            told,
        }
    }

    async fn until_written(&self, count: usize) {
        while self.told.lock().unwrap().len() < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// Each watcher must be told within a bounded time.
    async fn watchers_were_told(&mut self) {
        for watcher in self.watchers.drain(..) {
            let ended = tokio::time::timeout(Duration::from_secs(20), watcher).await;
            let error = ended.expect("a watcher was told nothing").unwrap();
            let told = matches!(
                error,
                StorageError::Compacted | StorageError::Restoring | StorageError::Closed
            );
            assert!(told, "{error:?}");
        }
    }

    async fn stop(mut self) -> Vec<(Token, Key, Option<RecordContent>)> {
        self.stop.store(true, Ordering::Relaxed);
        for writer in self.writers.drain(..) {
            let ended = tokio::time::timeout(Duration::from_secs(20), writer).await;
            ended.expect("a writer hangs").unwrap();
        }
        std::mem::take(&mut self.told.lock().unwrap())
    }
}

/// One random write; what was acknowledged is noted, what was refused must be typed.
async fn write(store: &DynStore, writer: usize, number: u64, told: &Told) {
    let key = key(&format!("k/{writer}/{:04}", number % KEYS));
    let content = RecordContent::of(format!("{{\"n\":{number}}}"));
    let (result, after): (Result<CommittedWrite, _>, _) = if number.is_multiple_of(5) {
        (store.delete(&key).await, None)
    } else {
        (
            store.put(&key, RecordPut::of(content.clone())).await,
            Some(content),
        )
    };
    match result {
        Ok(written) => told.lock().unwrap().push((written.token, key, after)),
        Err(StorageError::NotFound { .. }) => {}
        Err(StorageError::Restoring | StorageError::Closed | StorageError::Busy { .. }) => {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        Err(error) => panic!("a writer got {error:?}"),
    }
}

/// Watches everything and checks the order, until the feed ends.
async fn watch_until_told(store: &DynStore) -> StorageError {
    let request = WatchRequest {
        span: KeySpan::everything(),
        from: None,
    };
    let mut watch = store.watch(request).await.unwrap();
    let mut last: Option<Token> = None;
    loop {
        let token = match watch.next().await.expect("an end without a reason") {
            Ok(coeval_storage::WatchDelivery::Events(token, _)) => token,
            Ok(_) => continue,
            Err(error) => return error,
        };
        if let Some(last) = last {
            assert_eq!(
                last.incarnation, token.incarnation,
                "two histories in one feed"
            );
            assert!(last.sequence < token.sequence);
        }
        last = Some(token);
    }
}

/// What the store held at `at`, by what the writers were told.
fn state_at(
    told: &[(Token, Key, Option<RecordContent>)],
    at: Token,
) -> BTreeMap<Key, RecordContent> {
    let mut told: Vec<_> = told
        .iter()
        .filter(|(token, ..)| token.incarnation == at.incarnation && token.sequence <= at.sequence)
        .collect();
    told.sort_by_key(|(token, ..)| token.sequence);
    let mut state = BTreeMap::new();
    for (_, key, content) in told {
        match content {
            Some(content) => state.insert(key.clone(), content.clone()),
            None => state.remove(key),
        };
    }
    state
}

/// Bodies by key, where revisions don't matter.
fn bodies(records: BTreeMap<Key, Record>) -> BTreeMap<Key, RecordContent> {
    let bodies = records.into_iter();
    bodies.map(|(key, record)| (key, record.content)).collect()
}

async fn in_backup(file: &Path) -> BTreeMap<Key, RecordContent> {
    let store = SqliteStore::open_read_only(SqliteOptions::at(file))
        .await
        .unwrap();
    let found = check(&store, &quiet).await.unwrap();
    assert_eq!(found.wrong, 0, "{:?}", found.findings);
    bodies(contents(&store).await)
}

async fn a_backup_is_exact_at_its_sequence(place: Place) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("backup.db");
    let opened = place.open().await;
    let clients = Clients::start(&opened.store);
    clients.until_written(300).await;
    let summary = backup(&opened.store, &file, &quiet).await.unwrap();
    let count = clients.told.lock().unwrap().len();
    clients.until_written(count + 100).await;
    let told = clients.stop().await;
    assert_eq!(in_backup(&file).await, state_at(&told, summary.token));
    let again = backup(&opened.store, &file, &quiet).await;
    assert!(
        matches!(again, Err(StoresError::File { .. })),
        "overwritten"
    );
    opened.store.close().await;
}

/// Backup, more writes, restore: everybody is told, and nobody resumes into the wrong history.
/// Stores that several servers share are restored by another server than the clients'.
async fn a_restore_under_load(place: Place) {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("backup.db");
    let mut server = place.open().await;
    let mut clients = Clients::start(&server.store);
    clients.until_written(300).await;
    let summary = backup(&server.store, &file, &quiet).await.unwrap();
    let saved = in_backup(&file).await;
    let count = clients.told.lock().unwrap().len();
    clients.until_written(count + 200).await;
    let lost = server.store.status().await.unwrap();
    let old = Token {
        incarnation: lost.incarnation,
        sequence: summary.token.sequence,
    };

    let embedded = place.url.starts_with("sqlite:");
    if embedded {
        // One owner: the server stops, and starts again.
        server.store.close().await;
        clients.watchers_were_told().await;
        drop(std::mem::replace(
            &mut server,
            restore_embedded(&place, &file).await,
        ));
    } else {
        let other = place.open().await;
        restore(&other.store, &file, LoadTarget::Replace, &quiet)
            .await
            .unwrap();
        clients.watchers_were_told().await;
        other.store.close().await;
        clients.until_written(count + 400).await;
    }
    let told = clients.stop().await;

    let status = server.store.status().await.unwrap();
    assert_ne!(status.incarnation, lost.incarnation);
    for token in [
        old,
        Token { sequence: 1, ..old },
        Token {
            sequence: lost.head,
            ..old
        },
    ] {
        let request = WatchRequest {
            span: KeySpan::everything(),
            from: Some(token),
        };
        let resumed = server.store.watch(request).await.err();
        assert_eq!(
            resumed,
            Some(StorageError::Compacted),
            "resumed from {token:?}"
        );
        let read = ReadRequest::keys([key("k")]).at_least(token);
        assert_eq!(
            server.store.read(read).await.unwrap_err(),
            StorageError::Compacted
        );
    }
    // Exactly what was saved, and what was acknowledged in the new history.
    let mut expected = saved;
    let now = Token {
        incarnation: status.incarnation,
        sequence: u64::MAX,
    };
    for (token, key, content) in &told {
        if token.incarnation == now.incarnation {
            match content {
                Some(content) => expected.insert(key.clone(), content.clone()),
                None => expected.remove(key),
            };
        }
    }
    assert_eq!(bodies(contents(&server.store).await), expected);
    server.store.close().await;
}

async fn restore_embedded(place: &Place, file: &Path) -> coeval_stores::OpenStore {
    let opened = place.open().await;
    let refused = restore(&opened.store, file, LoadTarget::MustBeEmpty, &quiet).await;
    assert!(matches!(refused, Err(StoresError::NotEmpty)));
    restore(&opened.store, file, LoadTarget::Replace, &quiet)
        .await
        .unwrap();
    opened
}

macro_rules! on_each_store {
    ($($name:ident: $case:ident, $place:ident;)*) => {
        $(#[tokio::test(flavor = "multi_thread")]
        async fn $name() {
            $case(Place::$place()).await;
        })*
    };
}

on_each_store! {
    a_backup_is_exact_at_its_sequence_sqlite: a_backup_is_exact_at_its_sequence, sqlite;
    a_backup_is_exact_at_its_sequence_postgres: a_backup_is_exact_at_its_sequence, postgres;
    a_backup_is_exact_at_its_sequence_etcd: a_backup_is_exact_at_its_sequence, etcd;
    a_restore_under_load_sqlite: a_restore_under_load, sqlite;
    a_restore_under_load_postgres: a_restore_under_load, postgres;
    a_restore_under_load_etcd: a_restore_under_load, etcd;
}

#[tokio::test]
async fn what_is_no_backup_is_refused_before_the_store_is_touched() {
    let folder = TempDir::new().unwrap();
    let text = folder.path().join("text");
    std::fs::write(&text, "no backup").unwrap();
    let live = Place::sqlite();
    let live_store = live.open().await;
    let live_file = Path::new(live.url.trim_start_matches("sqlite:")).to_owned();
    let place = Place::sqlite();
    let target = place.open().await;
    let before = target.store.status().await.unwrap();
    for bad in [folder.path().join("missing"), text, live_file] {
        let refused = restore(&target.store, &bad, LoadTarget::Replace, &quiet).await;
        assert!(
            matches!(refused, Err(StoresError::BackupInvalid { .. })),
            "{refused:?}"
        );
    }
    assert_eq!(
        target.store.status().await.unwrap().incarnation,
        before.incarnation
    );
    live_store.store.close().await;
}
