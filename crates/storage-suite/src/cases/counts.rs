//! Counts of live keys.

use crate::bench::{BenchStore, eventually, fleeting, key, pages, text};
use crate::cases::ranges::{fill, fill_many};
use coeval_storage::{
    AtomicWrite, KeySpan, ReadRange, RecordPut, Store, WriteAction, WriteCondition,
};

async fn count(store: &dyn Store, prefix: &str) -> u64 {
    store.count(KeySpan::below(&key(prefix))).await.unwrap().1
}

pub async fn a_count_is_of_the_live_keys_of_its_span(bench: &BenchStore) {
    let store = &bench.store;
    assert_eq!(count(store, "foo").await, 0);
    fill(store, &["foo", "foo0", "foobar", "foobar/x", "foo.x"]).await;
    assert_eq!(count(store, "foo").await, 0);
    fill(store, &["foo/a", "foo/b", "foo/b/c"]).await;
    assert_eq!(count(store, "foo").await, 3);
    let between = |a: &str, b: &str| KeySpan::between(&key(a), &key(b));
    for (span, expected) in [
        (between("foo/a", "foo/b"), 2),
        (between("foo/b", "foo/a"), 0),
        (between("foo/b", "foo/b"), 1),
        (between("fop", "fox"), 0),
    ] {
        assert_eq!(
            store.count(span.clone()).await.unwrap().1,
            expected,
            "{span:?}"
        );
    }
    store.delete(&key("foo/a")).await.unwrap();
    assert_eq!(count(store, "foo").await, 2);
}

pub async fn a_count_is_what_the_range_has(bench: &BenchStore) {
    let store = &bench.store;
    fill_many(store, "many", 1_501).await;
    fill(store, &["man", "many0", "manz/1"]).await;
    let listed = pages(store, ReadRange::below(&key("many")), usize::MAX).await;
    assert_eq!(listed.len(), 1_501);
    assert_eq!(count(store, "many").await, 1_501);
}

pub async fn expired_items_are_not_counted(bench: &BenchStore) {
    let store = &bench.store;
    let old = fleeting("old", 1_500);
    let numbers: Vec<usize> = (0..800).collect();
    for some in numbers.chunks(80) {
        let write = some.iter().fold(AtomicWrite::new(), |write, n| {
            // Some in the index of the sweep, which may or may not have come by.
            let put = RecordPut {
                indexed: n % 4 == 0,
                ..old.clone()
            };
            let name = key(&format!("p/{n:03}"));
            write.step(&name, WriteCondition::Whatever, WriteAction::Put(put))
        });
        store.atomic_write(write).await.unwrap();
    }
    let later = fleeting("new", 3_600_000);
    store.put(&key("p/live"), later).await.unwrap();
    fill(store, &["p/000x", "p/z"]).await;
    let unswept = RecordPut {
        indexed: false,
        ..old
    };
    store.put(&key("canary"), unswept).await.unwrap();
    let canary = key("canary");
    eventually("they expire", || async {
        store.get(&canary).await.is_err()
    })
    .await;
    assert_eq!(count(store, "p").await, 3);
    store.put(&key("p/000"), text("again")).await.unwrap();
    assert_eq!(count(store, "p").await, 4);
}

pub async fn a_count_is_of_its_sequence(bench: &BenchStore) {
    let store = &bench.store;
    for n in 1..=5 {
        let written = store.put(&key(&format!("c/{n}")), text("1")).await.unwrap();
        let (token, count) = store.count(KeySpan::below(&key("c"))).await.unwrap();
        assert_eq!((token, count), (written.token, n));
    }
}
