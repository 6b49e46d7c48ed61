//! Ranges: bounded pages, both ways.

use crate::bench::{BenchStore, body, eventually, fleeting, key, names, pages, record, text};
use crate::feeds::next_group;
use crate::refused;
use coeval_storage::StorageError::NotFound;
use coeval_storage::{AtomicWrite, Key, KeyChange, KeySpan, ReadRange, RecordPut, Store};
use std::collections::HashMap;

pub(super) async fn fill(store: &dyn Store, keys: &[&str]) {
    for name in keys {
        store.put(&key(name), text(name)).await.unwrap();
    }
}

/// `count` keys below `prefix`, in order, written many at once.
pub(super) async fn fill_many(store: &dyn Store, prefix: &str, count: usize) -> Vec<String> {
    let all: Vec<String> = (0..count).map(|i| format!("{prefix}/{i:05}")).collect();
    for some in all.chunks(90) {
        let write = some.iter().fold(AtomicWrite::new(), |write, name| {
            write.put(&key(name), name.clone().into_bytes())
        });
        store.atomic_write(write).await.unwrap();
    }
    all
}

async fn listed(store: &dyn Store, range: ReadRange) -> Vec<String> {
    names(&pages(store, range, 1_000).await)
}

pub async fn a_prefix_range_is_in_byte_order_without_siblings(bench: &BenchStore) {
    let store = &bench.store;
    fill(
        store,
        &[
            "foo", "foobar", "foobar/x", "foo0", "foo.x", "fo", "foo/b", "foo/a", "foo/B",
            "foo/a/c",
        ],
    )
    .await;
    let high = Key::new(b"foo/\xff".to_vec()).unwrap();
    let low = Key::new(b"foo/\x00".to_vec()).unwrap();
    store.put(&high, text("high")).await.unwrap();
    store.put(&low, text("low")).await.unwrap();
    let (_, page) = store.range(ReadRange::below(&key("foo"))).await.unwrap();
    assert!(!page.more);
    let expected = [
        "foo/\\x00",
        "foo/B",
        "foo/a",
        "foo/a/c",
        "foo/b",
        "foo/\\xff",
    ];
    assert_eq!(names(&page.entries), expected);
    assert_eq!(body(record(&page.entries[1])), "foo/B");
}

pub async fn both_ends_of_a_range_are_included(bench: &BenchStore) {
    let store = &bench.store;
    fill(store, &["r/a", "r/b", "r/b/x", "r/c", "r/c/x", "r/d"]).await;
    let between = |a: &str, b: &str| ReadRange::of(KeySpan::between(&key(a), &key(b)));
    assert_eq!(
        listed(store, between("r/b", "r/c")).await,
        ["r/b", "r/b/x", "r/c"]
    );
    assert_eq!(listed(store, between("r/b", "r/b")).await, ["r/b"]);
    assert_eq!(
        listed(store, between("r/aa", "r/bb")).await,
        ["r/b", "r/b/x"]
    );
    let none: [&str; 0] = [];
    assert_eq!(listed(store, between("r/c", "r/b")).await, none);
    assert_eq!(listed(store, between("r/x", "r/z")).await, none);
    let reversed = between("r/b", "r/c").descending();
    assert_eq!(listed(store, reversed).await, ["r/c", "r/b/x", "r/b"]);
}

pub async fn pages_that_continue_after_the_last_have_no_gap_and_no_repeat(bench: &BenchStore) {
    let all = fill_many(&bench.store, "p", 23).await;
    for at_once in [1, 2, 5, 22, 23, 24, 1_000] {
        let found = pages(&bench.store, ReadRange::below(&key("p")), at_once).await;
        assert_eq!(names(&found), all, "{at_once} at once");
    }
    let (_, page) = bench
        .store
        .range(ReadRange::below(&key("p")).limit(5))
        .await
        .unwrap();
    assert_eq!((page.entries.len(), page.more), (5, true));
    let (_, page) = bench
        .store
        .range(ReadRange::below(&key("p")).limit(23))
        .await
        .unwrap();
    assert_eq!((page.entries.len(), page.more), (23, false));
}

pub async fn descending_is_the_exact_reverse(bench: &BenchStore) {
    let all = fill_many(&bench.store, "p", 23).await;
    let reversed: Vec<_> = all.into_iter().rev().collect();
    for at_once in [1, 2, 5, 22, 23, 24] {
        let range = ReadRange::below(&key("p")).descending();
        let found = pages(&bench.store, range, at_once).await;
        assert_eq!(names(&found), reversed, "{at_once} at once");
    }
    let last = ReadRange::below(&key("p")).descending().limit(1);
    let (_, page) = bench.store.range(last).await.unwrap();
    assert_eq!(names(&page.entries), [&*reversed[0]]);
    assert!(page.more);
}

pub async fn one_thousand_five_hundred_and_one_items_both_ways(bench: &BenchStore) {
    let mut all = fill_many(&bench.store, "many", 1_501).await;
    fill(&bench.store, &["man", "many0", "manz/1"]).await;
    let range = ReadRange::below(&key("many"));
    let (_, first) = bench.store.range(range.clone()).await.unwrap();
    assert!(
        first.more && first.entries.len() <= 1_000,
        "an unbounded page"
    );
    for at_once in [usize::MAX, 700] {
        let found = pages(&bench.store, range.clone(), at_once).await;
        assert_eq!(names(&found), all);
        let bodies: Vec<_> = found.iter().map(|entry| body(record(entry))).collect();
        assert_eq!(bodies, all);
    }
    all.reverse();
    let found = pages(&bench.store, range.descending(), usize::MAX).await;
    assert_eq!(names(&found), all);
}

pub async fn twenty_large_values_in_one_range(bench: &BenchStore) {
    let value = |n: u8| vec![n; 64 * 1024];
    for n in 0..20 {
        let put = RecordPut::of(value(n));
        bench
            .store
            .put(&key(&format!("large/{n:02}")), put)
            .await
            .unwrap();
    }
    let found = pages(&bench.store, ReadRange::below(&key("large")), usize::MAX).await;
    assert_eq!(found.len(), 20);
    for (n, entry) in (0..).zip(&found) {
        assert_eq!(record(entry).content.body, value(n));
    }
    let large = pages(
        &bench.store,
        ReadRange::below(&key("large")).descending(),
        usize::MAX,
    )
    .await;
    assert!(large.iter().eq(found.iter().rev()));
}

pub async fn more_bytes_than_a_page_holds_are_paged(bench: &BenchStore) {
    for n in 0..16_u8 {
        let put = RecordPut::of(vec![n; 380 * 1024]);
        bench
            .store
            .put(&key(&format!("large/{n:02}")), put)
            .await
            .unwrap();
    }
    let (_, page) = bench
        .store
        .range(ReadRange::below(&key("large")))
        .await
        .unwrap();
    assert!(page.more && page.entries.len() < 16 && !page.entries.is_empty());
    for range in [
        ReadRange::below(&key("large")),
        ReadRange::below(&key("large")).descending(),
    ] {
        assert_eq!(pages(&bench.store, range, usize::MAX).await.len(), 16);
    }
}

pub async fn an_item_deleted_at_a_page_border_skips_no_neighbour(bench: &BenchStore) {
    for descending in [false, true] {
        let mut all = fill_many(&bench.store, "p", 10).await;
        let mut range = ReadRange::below(&key("p"));
        if descending {
            range = range.descending();
            all.reverse();
        }
        let (_, page) = bench.store.range(range.clone().limit(4)).await.unwrap();
        let border = page.entries.last().unwrap().key.clone();
        bench.store.delete(&border).await.unwrap();
        let rest = pages(&bench.store, range.after(&border), 4).await;
        assert_eq!(names(&rest), all[4..]);
        // And the first of the next page.
        bench.store.delete(&key(&all[4])).await.unwrap();
        let rest = pages(&bench.store, range.after(&border), 4).await;
        assert_eq!(names(&rest), all[5..]);
    }
}

pub async fn expired_items_take_no_place_in_a_page(bench: &BenchStore) {
    let store = &bench.store;
    for n in 0..10 {
        // Not in the sweep's index: they stay where they are, and must still not be seen.
        let mut put = fleeting("old", 300);
        put.indexed = false;
        store.put(&key(&format!("p/{n:02}")), put).await.unwrap();
    }
    fill(store, &["p/05x", "p/20"]).await;
    let last = key("p/09");
    eventually("they expire", || async { store.get(&last).await.is_err() }).await;
    for (range, expected) in [
        (ReadRange::below(&key("p")), ["p/05x", "p/20"]),
        (ReadRange::below(&key("p")).descending(), ["p/20", "p/05x"]),
    ] {
        let (_, page) = store.range(range.clone().limit(2)).await.unwrap();
        assert_eq!(names(&page.entries), expected);
        let one_by_one = pages(store, range, 1).await;
        assert_eq!(names(&one_by_one), expected);
    }
}

pub async fn a_deleted_range_leaves_its_neighbours_alone(bench: &BenchStore) {
    let store = &bench.store;
    let mut all = fill_many(store, "gone", 1_000).await;
    let neighbours = ["gon", "gon/x", "gone", "gone.x", "gone0", "gonf/x"];
    let mut revisions = HashMap::new();
    for name in neighbours {
        let written = store.put(&key(name), text(name)).await.unwrap();
        revisions.insert(name, written.revision);
    }
    let (_, mut watch) = bench.watch("gone", None).await;
    let deleted = store
        .delete_range(KeySpan::below(&key("gone")))
        .await
        .unwrap();
    assert_eq!(deleted, 1_000);
    let mut seen = Vec::new();
    while seen.len() < 1_000 {
        for event in &next_group(&mut watch).await.1.events {
            assert!(
                matches!(event.change, KeyChange::Deleted { .. }),
                "{event:?}"
            );
            seen.push(event.key.to_string());
        }
    }
    seen.sort();
    all.sort();
    assert_eq!(seen, all);
    for name in neighbours {
        let record = store.get(&key(name)).await.unwrap();
        assert_eq!(record.revision, revisions[name]);
    }
    let (_, page) = store.range(ReadRange::below(&key("gone"))).await.unwrap();
    assert!(page.entries.is_empty() && !page.more);
    refused!(store.get(&key("gone/00500")).await, NotFound { .. });
    assert_eq!(
        store
            .delete_range(KeySpan::below(&key("gone")))
            .await
            .unwrap(),
        0
    );
}
