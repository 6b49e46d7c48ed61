//! What a disk does to an embedded store: no space, damage, a second owner.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use coeval_storage::{
    AtomicWrite, EventRetention, KeySpan, ReadRange, RecordDamage, RecordPut, StorageError, Store,
    StoredValue,
};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use common::{key, open};
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

const NOTHING: EventRetention = EventRetention {
    age: Duration::ZERO,
    bytes: 0,
};

fn value(byte: u8) -> RecordPut {
    RecordPut::of(vec![byte; 8_000])
}

#[tokio::test]
async fn a_full_disk_is_a_typed_error_and_loses_nothing() {
    let folder = TempDir::new().unwrap();
    let options = SqliteOptions {
        max_bytes: Some(2_000_000),
        ..SqliteOptions::at(folder.path().join("coeval.db"))
    };
    let store = SqliteStore::open(options).await.unwrap();
    let mut written = Vec::new();
    let refusal = loop {
        let next = key(&format!("k/{}", written.len()));
        match store.put(&next, value(1)).await {
            Ok(done) => written.push((next, done.revision)),
            Err(error) => break error,
        }
        assert!(written.len() < 1_000, "the file never became full");
    };
    assert!(matches!(refusal, StorageError::Full { .. }), "{refusal:?}");
    for (key, revision) in &written {
        assert_eq!(store.get(key).await.unwrap().revision, *revision);
    }
    let (token, page) = store.range(ReadRange::below(&key("k"))).await.unwrap();
    assert_eq!(page.entries.len(), written.len());
    assert_eq!(
        token.sequence,
        written.len() as u64,
        "a refused write took a sequence"
    );
    // Compaction makes room, and the store goes on without being opened again.
    store.compact(NOTHING).await.unwrap();
    store.put(&key("k/again"), value(2)).await.unwrap();
}

#[tokio::test]
async fn in_a_batch_that_fails_each_member_is_tried_alone() {
    let folder = TempDir::new().unwrap();
    let options = SqliteOptions {
        max_bytes: Some(600_000),
        ..SqliteOptions::at(folder.path().join("coeval.db"))
    };
    let store = SqliteStore::open(options).await.unwrap();
    let large = AtomicWrite::new().put(&key("large"), vec![1; 380_000]);
    let writes = (0..40).map(|n| {
        let small = AtomicWrite::new().put(&key(&format!("small/{n}")), vec![2; 100]);
        store.atomic_write(small)
    });
    let (large, small) =
        futures::join!(store.atomic_write(large), futures::future::join_all(writes));
    assert!(matches!(large, Err(StorageError::Full { .. })), "{large:?}");
    assert!(small.iter().all(Result::is_ok), "{small:?}");
}

/// Flips one byte of a stored value, behind the store's back.
fn damage(path: &Path, key: &str, at: usize) {
    let connection = Connection::open(path).unwrap();
    let read = "SELECT value FROM records WHERE key = ?";
    let mut raw: Vec<u8> = connection
        .query_row(read, [key.as_bytes()], |row| row.get(0))
        .unwrap();
    raw[at] ^= 0x10;
    let write = "UPDATE records SET value = ? WHERE key = ?";
    let changed = connection.execute(write, (raw, key.as_bytes())).unwrap();
    assert_eq!(changed, 1);
}

#[tokio::test]
async fn a_damaged_record_is_named_and_its_neighbours_are_served() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coeval.db");
    let store = open(&path).await;
    for name in ["k/a", "k/b", "k/c"] {
        store.put(&key(name), value(1)).await.unwrap();
    }
    store.close().await;
    damage(&path, "k/b", 5_000);

    let store = open(&path).await;
    let error = store.get(&key("k/b")).await.unwrap_err();
    assert!(matches!(
        &error,
        StorageError::Damaged { key, damage: RecordDamage::Checksum } if key.as_bytes() == b"k/b"
    ));
    let (_, page) = store
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let damaged = |stored: &StoredValue| matches!(stored, StoredValue::Damaged { .. });
    let found: Vec<_> = page.entries.iter().map(|e| damaged(&e.stored)).collect();
    assert_eq!(found, [false, true, false]);
    let kept = store.keep_alive(&key("k/b"), None).await.unwrap_err();
    assert!(matches!(kept, StorageError::Damaged { .. }));
    // Writing it again mends it.
    store.update(&key("k/b"), value(2)).await.unwrap();
    assert!(store.get(&key("k/b")).await.is_ok());
}

#[tokio::test]
async fn a_second_owner_is_told_who_the_first_is_and_may_still_look() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coeval.db");
    let store = open(&path).await;
    store.put(&key("k"), value(1)).await.unwrap();
    let second = SqliteStore::open(SqliteOptions::at(&path))
        .await
        .unwrap_err();
    let own = Some(std::process::id());
    assert!(matches!(second, StorageError::InUse { by, .. } if by == own));

    let looking = SqliteStore::open_read_only(SqliteOptions::at(&path))
        .await
        .unwrap();
    assert!(looking.get(&key("k")).await.is_ok());
    let refused = looking.put(&key("k"), value(2)).await.unwrap_err();
    assert_eq!(refused, StorageError::ReadOnly);

    store.close().await;
    open(&path).await.close().await;
}

#[tokio::test]
async fn a_file_of_a_newer_release_or_of_something_else_is_refused_untouched() {
    let folder = TempDir::new().unwrap();
    let newer = folder.path().join("newer.db");
    open(&newer).await.close().await;
    let connection = Connection::open(&newer).unwrap();
    connection.pragma_update(None, "user_version", 99).unwrap();
    drop(connection);
    let error = SqliteStore::open(SqliteOptions::at(&newer))
        .await
        .unwrap_err();
    assert_eq!(
        error,
        StorageError::UnknownLevel {
            found: 99,
            known: 1
        }
    );

    let foreign = folder.path().join("foreign.db");
    let connection = Connection::open(&foreign).unwrap();
    connection.execute_batch("CREATE TABLE t (x)").unwrap();
    drop(connection);
    let before = std::fs::read(&foreign).unwrap();
    let error = SqliteStore::open(SqliteOptions::at(&foreign))
        .await
        .unwrap_err();
    assert!(matches!(error, StorageError::InvalidUrl { .. }));
    assert!(std::fs::read(&foreign).unwrap() == before);

    let text = folder.path().join("text.db");
    std::fs::write(
        &text,
        "this is no database at all, but long enough".repeat(40),
    )
    .unwrap();
    assert!(SqliteStore::open(SqliteOptions::at(&text)).await.is_err());
    let kept = std::fs::read_to_string(&text).unwrap();
    assert!(kept.starts_with("this is no database"));
}

#[tokio::test]
async fn the_log_is_checkpointed_and_the_file_is_whole_after_close() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("coeval.db");
    let store = open(&path).await;
    for n in 0..100 {
        store.put(&key(&format!("k/{n}")), value(1)).await.unwrap();
    }
    store.close().await;
    let wal = folder.path().join("coeval.db-wal");
    assert!(std::fs::metadata(&wal).map_or(0, |meta| meta.len()) == 0);
    let alone = folder.path().join("copy.db");
    std::fs::copy(&path, &alone).unwrap();
    let copy = open(&alone).await;
    let (_, page) = copy.range(ReadRange::below(&key("k"))).await.unwrap();
    assert_eq!(page.entries.len(), 100);
}
