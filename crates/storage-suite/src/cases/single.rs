//! Single keys.

use crate::bench::{BenchStore, body, key, text};
use crate::refused;
use coeval_storage::StorageError::{AlreadyExists, InvalidKey, NotFound};
use coeval_storage::{Clock, Key, RecordContent, RecordPut, Store, SystemClock, UnixMillis};

pub async fn an_update_of_a_missing_key_is_not_found(bench: &BenchStore) {
    let missing = key("a/missing");
    let update = bench.store.update(&missing, text("x")).await;
    refused!(update, NotFound { key } if *key == missing);
    refused!(bench.store.get(&missing).await, NotFound { .. });
}

pub async fn what_was_created_reads_back_with_its_revision(bench: &BenchStore) {
    let put = RecordPut::of(RecordContent {
        flags: 5,
        fields: vec![(7, "beside".into()), (200, "".into())],
        body: "the body".into(),
        packed: false,
    });
    let written = bench.store.create(&key("a/b"), put.clone()).await.unwrap();
    let record = bench.store.get(&key("a/b")).await.unwrap();
    assert_eq!(record.revision, written.revision);
    assert_eq!(record.content, put.content);
    assert_eq!((record.expires, record.indexed), (None, false));
}

pub async fn what_is_packed_reads_back_and_can_be_kept_alive(bench: &BenchStore) {
    let put = RecordPut::of(RecordContent {
        flags: 5,
        fields: vec![(7, "beside ".repeat(50).into())],
        body: "the body ".repeat(500).into(),
        packed: true,
    });
    let later = UnixMillis(SystemClock::default().now().0 + 3_600_000);
    let expiring = put.clone().expiring(Some(later));
    let written = bench.store.create(&key("a/b"), expiring).await.unwrap();
    let record = bench.store.get(&key("a/b")).await.unwrap();
    assert_eq!(
        (record.revision, &record.content),
        (written.revision, &put.content)
    );
    let even_later = Some(UnixMillis(later.0 + 1_000));
    bench
        .store
        .keep_alive(&key("a/b"), even_later)
        .await
        .unwrap();
    let record = bench.store.get(&key("a/b")).await.unwrap();
    assert_eq!(
        (record.revision, record.expires),
        (written.revision, even_later)
    );
    assert_eq!(record.content, put.content);
}

pub async fn a_second_create_is_refused_with_the_current_revision(bench: &BenchStore) {
    let first = bench.store.create(&key("a"), text("1")).await.unwrap();
    let second = bench.store.create(&key("a"), text("2")).await;
    refused!(second, AlreadyExists { key: at, current }
        if *at == key("a") && *current == first.revision);
    assert_eq!(body(&bench.store.get(&key("a")).await.unwrap()), "1");
}

pub async fn a_deleted_key_is_not_found(bench: &BenchStore) {
    bench.store.create(&key("a"), text("1")).await.unwrap();
    bench.store.delete(&key("a")).await.unwrap();
    refused!(bench.store.get(&key("a")).await, NotFound { key: at } if *at == key("a"));
}

pub async fn a_second_delete_is_not_found(bench: &BenchStore) {
    bench.store.create(&key("a"), text("1")).await.unwrap();
    bench.store.delete(&key("a")).await.unwrap();
    refused!(bench.store.delete(&key("a")).await, NotFound { key: at } if *at == key("a"));
}

pub async fn a_put_needs_no_record_and_replaces_one(bench: &BenchStore) {
    let first = bench.store.put(&key("a"), text("1")).await.unwrap();
    let second = bench.store.put(&key("a"), text("2")).await.unwrap();
    assert!(first.token.sequence < second.token.sequence);
    assert_eq!(first.token.incarnation, second.token.incarnation);
    let record = bench.store.get(&key("a")).await.unwrap();
    assert_eq!(
        (body(&record), record.revision),
        ("2".into(), second.revision)
    );
}

pub async fn a_long_binary_key_and_a_binary_value_read_back(bench: &BenchStore) {
    let bytes = |n: usize| -> Vec<u8> { (0..n).map(|i| (i * 7 % 256) as u8).collect() };
    let mut name = bytes(1_000);
    for byte in &mut name {
        // Every byte may be in a key; only parts that are empty, `.` or `..` may not.
        if *byte == b'/' || *byte == b'.' {
            *byte = 0xff;
        }
    }
    let long = Key::new(name).unwrap();
    let longest = Key::new(vec![0xfe; 1_024]).unwrap();
    let values = [bytes(100_000), Vec::new(), vec![0], vec![0xff; 3]];
    for name in [&long, &longest] {
        for value in &values {
            let put = RecordPut::of(value.clone());
            let written = bench.store.put(name, put).await.unwrap();
            let record = bench.store.get(name).await.unwrap();
            assert_eq!(record.revision, written.revision);
            assert_eq!(record.content.body, *value);
        }
    }
}

pub async fn a_malformed_key_is_refused_before_any_io(_: &BenchStore) {
    // A `Key` can't be made of it, so no store ever hears of it.
    let too_long = "x".repeat(1_025);
    for malformed in [
        "", "a//b", "/a", "a/", ".", "..", "a/./b", "a/..", &too_long,
    ] {
        refused!(Key::try_from(malformed), InvalidKey { reason } if !reason.is_empty());
        refused!(key("a").join(format!("/{malformed}")), InvalidKey { .. });
    }
}

pub async fn a_rewrite_with_the_same_value_changes_the_revision(bench: &BenchStore) {
    let first = bench.store.put(&key("a"), text("same")).await.unwrap();
    let second = bench.store.put(&key("a"), text("same")).await.unwrap();
    let third = bench.store.update(&key("a"), text("same")).await.unwrap();
    let mut revisions = vec![first.revision, second.revision, third.revision];
    revisions.sort();
    revisions.dedup();
    assert_eq!(revisions.len(), 3);
    let record = bench.store.get(&key("a")).await.unwrap();
    assert_eq!(record.revision, third.revision);
}

pub async fn every_handle_sees_what_another_wrote(bench: &BenchStore) {
    let other = bench.handle().await;
    for round in 0..20 {
        let value = format!("{round}");
        let written = bench.store.put(&key("a"), text(&value)).await.unwrap();
        let record = other.get(&key("a")).await.unwrap();
        assert_eq!((body(&record), record.revision), (value, written.revision));
    }
    other.delete(&key("a")).await.unwrap();
    refused!(bench.store.get(&key("a")).await, NotFound { .. });
}
