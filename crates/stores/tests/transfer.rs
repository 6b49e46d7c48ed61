//! Export and import, from one kind of store to another, and what is refused.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod common;

use bytes::Bytes;
use coeval_storage::{
    DynStore, Key, RecordContent, RecordPut, StorageError, Store, SystemClock, UnixMillis,
};
use coeval_stores::{LoadTarget, StoresError, export, import};
use common::{Place, contents, key, quiet};
use std::path::Path;

/// Records of every shape: JSON, text, bytes, fields, flags, expiry, odd keys.
async fn fill(store: &DynStore) {
    use coeval_storage::Clock;
    let in_an_hour = SystemClock::default().now().plus(3_600_000);
    let put = |body: &'static [u8]| RecordPut::of(RecordContent::of(body));
    let shaped = RecordPut {
        content: RecordContent {
            flags: 7,
            fields: vec![
                (3, Bytes::from_static(b"head")),
                (1, Bytes::from_static(&[0, 255])),
            ],
            body: Bytes::from_static(b"{\"big\":12345678901234567890.0, \"a\" : 1}"),
            packed: false,
        },
        ..RecordPut::of(RecordContent::default())
    };
    let binary = Key::new(vec![b'b', b'/', 0xff, 0x00, 0x80]).unwrap();
    for (key, put) in [
        (key("json/spaced"), put(b"{\"b\":1,  \"a\":[1,2]}")),
        (key("json/padded"), put(b" {\"a\":1}")),
        (key("json/lines"), put(b"{\n\"a\":1\n}")),
        (key("text"), put(b"not json \" \\ \n")),
        (key("empty"), put(b"")),
        (key("bytes"), put(&[0xff, 0, 0xfe])),
        (binary, put(b"{}")),
        (key("shaped"), shaped),
        (key("expires"), put(b"1").expiring(Some(in_an_hour))),
    ] {
        store.put(&key, put).await.unwrap();
    }
    for n in 0..300 {
        let body = format!("{{\"n\":{n}}}").into_bytes();
        store
            .put(&key(&format!("many/{n:04}")), RecordPut::of(body))
            .await
            .unwrap();
    }
}

async fn exported(store: &DynStore) -> Vec<u8> {
    let mut out = Vec::new();
    let summary = export(store, &mut out, Path::new("-"), &quiet)
        .await
        .unwrap();
    assert_eq!(summary.damaged, 0);
    out
}

async fn imported(store: &DynStore, lines: &[u8], target: LoadTarget) -> Result<u64, StoresError> {
    let summary = import(store, &mut &*lines, target, &quiet).await?;
    assert!(summary.damaged.is_empty());
    Ok(summary.lines)
}

async fn moves_whole(from: Place, to: Place) {
    let source = from.open().await.store;
    fill(&source).await;
    let before = contents(&source).await;
    let lines = exported(&source).await;
    let target = to.open().await.store;
    let fresh = target.status().await.unwrap().incarnation;
    imported(&target, &lines, LoadTarget::MustBeEmpty)
        .await
        .unwrap();
    assert_eq!(contents(&target).await, before);
    assert_ne!(target.status().await.unwrap().incarnation, fresh);
    let expires = target.get(&key("expires")).await.unwrap();
    assert!(expires.indexed && expires.expires > Some(UnixMillis(0)));

    let refused = imported(&target, &lines, LoadTarget::MustBeEmpty).await;
    assert!(matches!(refused, Err(StoresError::NotEmpty)), "{refused:?}");
    assert_eq!(contents(&target).await, before);
    for store in [source, target] {
        store.close().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_to_sqlite() {
    moves_whole(Place::sqlite(), Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_sqlite_to_postgres() {
    moves_whole(Place::sqlite(), Place::postgres()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_postgres_to_etcd() {
    moves_whole(Place::postgres(), Place::etcd()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn from_etcd_to_sqlite() {
    moves_whole(Place::etcd(), Place::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn merge_keeps_what_is_there_and_replace_does_not() {
    let source = Place::sqlite();
    let source = source.open().await.store;
    source
        .put(&key("both"), RecordPut::of(b"new".to_vec()))
        .await
        .unwrap();
    let lines = exported(&source).await;
    for (target, expected) in [
        (LoadTarget::Merge, vec!["both", "only"]),
        (LoadTarget::Replace, vec!["both"]),
    ] {
        let place = Place::sqlite();
        let store = place.open().await.store;
        for name in ["both", "only"] {
            store
                .put(&key(name), RecordPut::of(b"old".to_vec()))
                .await
                .unwrap();
        }
        imported(&store, &lines, target).await.unwrap();
        let found = contents(&store).await;
        let names: Vec<_> = found.keys().map(ToString::to_string).collect();
        assert_eq!(names, expected);
        assert_eq!(found[&key("both")].content.body, "new");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_export_is_refused_before_the_store_is_touched() {
    let place = Place::sqlite();
    let store = place.open().await.store;
    let incarnation = store.status().await.unwrap().incarnation;
    let long = [
        b"{\"coeval_export\":1,\"text\":\"",
        &vec![b'x'; 5_000_000][..],
        b"\"}\n",
    ]
    .concat();
    let deep = [b"{\"json\":", &vec![b'['; 100_000][..], b"\n"].concat();
    for bad in [
        &b""[..],
        b"\n",
        b"{}\n",
        b"hello\n",
        b"{\"coeval_export\":99}\n",
        b"{\"coeval_export\":1",
        b"\xff\xfe\n",
        &long,
        &deep,
    ] {
        let refused = imported(&store, bad, LoadTarget::MustBeEmpty).await;
        let is_invalid = matches!(refused, Err(StoresError::ImportInvalid { line: 1, .. }));
        assert!(is_invalid, "{refused:?}");
    }
    assert_eq!(store.status().await.unwrap().incarnation, incarnation);
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_import_is_never_served_and_replace_mends_it() {
    let source = Place::sqlite();
    let source = source.open().await.store;
    fill(&source).await;
    let whole = exported(&source).await;
    let lines: Vec<&[u8]> = whole.split_inclusive(|b| *b == b'\n').collect();
    let cut = lines[..lines.len() - 1].concat();
    let mut bad_line = lines.clone();
    bad_line.insert(
        5,
        b"{\"key\":\"a//b\",\"revision\":\"00\",\"text\":\"x\"}\n",
    );
    let bad_line = bad_line.concat();
    let one_missing = [&lines[..3], &lines[4..]].concat().concat();

    for broken in [cut, bad_line, one_missing] {
        let place = Place::sqlite();
        let opened = place.open().await;
        let refused = imported(&opened.store, &broken, LoadTarget::MustBeEmpty).await;
        assert!(
            matches!(refused, Err(StoresError::ImportInvalid { .. })),
            "{refused:?}"
        );
        opened.store.close().await;
        drop(opened);

        let opened = place.open().await;
        let read = opened.store.get(&key("text")).await;
        assert_eq!(read.unwrap_err(), StorageError::Restoring);
        let write = opened
            .store
            .put(&key("k"), RecordPut::of(b"v".to_vec()))
            .await;
        assert_eq!(write.unwrap_err(), StorageError::Restoring);
        let again = imported(&opened.store, &whole, LoadTarget::MustBeEmpty).await;
        assert!(matches!(
            again,
            Err(StoresError::Storage(StorageError::Restoring))
        ));
        imported(&opened.store, &whole, LoadTarget::Replace)
            .await
            .unwrap();
        assert_eq!(contents(&opened.store).await, contents(&source).await);
    }
}
