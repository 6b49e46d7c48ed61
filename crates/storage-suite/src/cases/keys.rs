//! Ranges of keys without what is stored under them.

use crate::bench::{BenchStore, eventually, fleeting, in_millis, key, names, pages, record, text};
use crate::cases::ranges::{fill, fill_many};
use coeval_storage::{
    AtomicWrite, ReadRange, ReadRequest, RecordContent, RecordPut, Store, StoreLimits,
};

pub async fn keys_alone_are_those_of_the_whole_range_both_ways(bench: &BenchStore) {
    let store = &bench.store;
    let mut all = fill_many(store, "many", 1_501).await;
    fill(store, &["man", "many0", "manz/1"]).await;
    let range = ReadRange::below(&key("many"));
    for descending in [false, true] {
        let (range, whole) = if descending {
            all.reverse();
            let range = range.clone().descending();
            (range.clone(), pages(store, range, 700).await)
        } else {
            (range.clone(), pages(store, range.clone(), 700).await)
        };
        assert_eq!(names(&whole), all);
        for at_once in [usize::MAX, 1_501, 1_500, 700, 333] {
            let found = pages(store, range.clone().keys_only(), at_once).await;
            assert_eq!(names(&found), all, "{at_once} at once");
            let revisions = |entry| record(entry).revision;
            assert!(found.iter().map(revisions).eq(whole.iter().map(revisions)));
        }
        let (_, page) = store
            .range(range.clone().keys_only().limit(5))
            .await
            .unwrap();
        assert_eq!((names(&page.entries), page.more), (all[..5].to_vec(), true));
        let (_, page) = store.range(range.keys_only()).await.unwrap();
        assert_eq!((page.entries.len(), page.more), (1_501, false));
    }
}

pub async fn keys_alone_tell_revision_and_expiry_and_leave_out_the_content(bench: &BenchStore) {
    let store = &bench.store;
    let expires = in_millis(3_600_000);
    let large = RecordPut {
        content: RecordContent {
            flags: 3,
            fields: vec![(7, vec![1; 20_000].into())],
            body: vec![2; 300_000].into(),
            packed: false,
        },
        ..text("").expiring(Some(expires))
    };
    store.put(&key("k/a"), large.clone()).await.unwrap();
    let belonging = RecordPut {
        indexed: false,
        ..large
    };
    store.put(&key("k/b"), belonging).await.unwrap();
    store.put(&key("k/c"), text("")).await.unwrap();
    let range = ReadRange::below(&key("k"));
    let (_, whole) = store.range(range.clone()).await.unwrap();
    let (_, alone) = store.range(range.keys_only()).await.unwrap();
    assert_eq!(alone.entries.len(), 3);
    for (whole, alone) in whole.entries.iter().zip(&alone.entries) {
        let mut expected = record(whole).clone();
        // The flags are told: conditions are judged by them.
        expected.content = RecordContent {
            flags: expected.content.flags,
            ..RecordContent::default()
        };
        assert_eq!((&alone.key, record(alone)), (&whole.key, &expected));
    }
    assert_eq!(record(&alone.entries[0]).expires, Some(expires));
}

pub async fn a_page_of_keys_holds_ten_thousand(bench: &BenchStore) {
    let store = &bench.store;
    let most = StoreLimits::default().page_keys;
    let all = fill_many(store, "k", most + 1).await;
    let range = ReadRange::below(&key("k")).keys_only();
    let (_, page) = store.range(range.clone()).await.unwrap();
    assert_eq!((page.entries.len(), page.more), (most, true));
    let last = page.entries.last().unwrap();
    let (_, rest) = store.range(range.after(&last.key)).await.unwrap();
    assert_eq!(
        (names(&rest.entries), rest.more),
        (all[most..].to_vec(), false)
    );
}

/// The bound of bytes holds for keys as well.
pub async fn long_keys_fill_a_page_of_keys(bench: &BenchStore) {
    let store = &bench.store;
    let limits = StoreLimits::default();
    let fit = limits.page_bytes / 1_000;
    let name = |n: usize| key(&format!("long/{n:06}{}", "x".repeat(989)));
    let all: Vec<_> = (0..fit + 200).map(name).collect();
    for some in all.chunks(40) {
        let write = some
            .iter()
            .fold(AtomicWrite::new(), |write, name| write.put(name, &b"v"[..]));
        store.atomic_write(write).await.unwrap();
    }
    let range = ReadRange::below(&key("long")).keys_only();
    let (_, page) = store.range(range.clone()).await.unwrap();
    // Within a little: a store may count what it puts in front of keys.
    let count = page.entries.len();
    assert!(
        page.more && count > fit * 9 / 10 && count <= fit + 1,
        "{count} of {fit}"
    );
    let found = pages(store, range, usize::MAX).await;
    assert!(found.iter().map(|entry| &entry.key).eq(&all));
}

pub async fn expired_items_take_no_place_among_keys(bench: &BenchStore) {
    let store = &bench.store;
    for n in 0..10 {
        let mut put = fleeting("old", 300);
        put.indexed = n % 2 == 0;
        store.put(&key(&format!("p/{n:02}")), put).await.unwrap();
    }
    fill(store, &["p/05x", "p/20"]).await;
    let last = key("p/09");
    eventually("they expire", || async { store.get(&last).await.is_err() }).await;
    let range = ReadRange::below(&key("p")).keys_only();
    for (range, expected) in [
        (range.clone(), ["p/05x", "p/20"]),
        (range.descending(), ["p/20", "p/05x"]),
    ] {
        let (_, page) = store.range(range.clone().limit(2)).await.unwrap();
        assert_eq!(
            (names(&page.entries).as_slice(), page.more),
            (&expected.map(String::from)[..], false)
        );
        assert_eq!(names(&pages(store, range, 1).await), expected);
    }
}

pub async fn a_read_may_mix_keys_and_whole_ranges(bench: &BenchStore) {
    let store = &bench.store;
    fill(store, &["a/1", "a/2", "b/1"]).await;
    let request = ReadRequest::keys([key("a/1")])
        .and_range(ReadRange::below(&key("a")).keys_only())
        .and_range(ReadRange::below(&key("a")))
        .and_range(ReadRange::below(&key("b")).keys_only().descending());
    let snapshot = store.read(request).await.unwrap();
    let sizes = |page: usize| -> Vec<_> {
        let entries = snapshot.pages[page].entries.iter();
        entries
            .map(|entry| record(entry).content.body.len())
            .collect()
    };
    assert_eq!(
        (sizes(0), sizes(1), sizes(2)),
        (vec![0, 0], vec![3, 3], vec![0])
    );
    assert_eq!(
        record(snapshot.keys[0].as_ref().unwrap()).content.body,
        "a/1"
    );
}
