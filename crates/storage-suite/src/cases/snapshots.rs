//! Snapshots: any number of keys and ranges at one sequence.

use crate::bench::{BenchStore, body, key, record, text};
use crate::feeds::{next, next_group};
use crate::refused;
use coeval_storage::StorageError::{Compacted, FellBehind, TooLarge};
use coeval_storage::{
    AtomicWrite, DynStore, Incarnation, KeyChange, ReadRange, ReadRequest, Revision, Store, Token,
    WatchDelivery,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Writes `s/a` and `s/b` together, again and again, until told to stop.
async fn write_both(store: DynStore, stop: Arc<AtomicBool>) -> HashMap<u64, Revision> {
    let mut written = HashMap::new();
    let mut round = 0;
    while !stop.load(Ordering::Acquire) {
        round += 1;
        let value = format!("{round}").into_bytes();
        let write = AtomicWrite::new()
            .put(&key("s/a"), value.clone())
            .put(&key("s/b"), value);
        let done = store.atomic_write(write).await.unwrap();
        written.insert(done.token.sequence, done.revision);
    }
    written
}

pub async fn a_read_of_two_keys_never_shows_one_old_and_one_new(bench: &BenchStore) {
    let stop = Arc::new(AtomicBool::new(false));
    let other = bench.handle().await;
    let writers: Vec<_> = [Arc::clone(&bench.store), bench.handle().await]
        .map(|store| tokio::spawn(write_both(store, Arc::clone(&stop))))
        .into();
    let mut seen = Vec::new();
    for round in 0..crate::scaled(300) {
        let store = if round % 2 == 0 { &bench.store } else { &other };
        let request = ReadRequest::keys([key("s/a"), key("s/b")])
            .and_range(ReadRange::below(&key("s")))
            .and_range(ReadRange::below(&key("s")).descending().limit(1));
        let snapshot = store.read(request).await.unwrap();
        let in_keys = snapshot.keys.iter().flatten();
        let in_pages = snapshot.pages.iter().flat_map(|page| &page.entries);
        let all: Vec<_> = in_keys.chain(in_pages).map(record).collect();
        let Some(first) = all.first() else {
            continue; // Nothing was written yet.
        };
        assert_eq!(all.len(), 5, "a snapshot of halves");
        assert!(
            all.iter().all(|other| other == first),
            "a torn snapshot: {all:?}"
        );
        seen.push((snapshot.token.sequence, first.revision));
    }
    stop.store(true, Ordering::Release);
    let mut written = Vec::new();
    for writer in writers {
        written.extend(writer.await.unwrap());
    }
    written.sort_unstable();
    for (sequence, revision) in seen {
        let shown = written.partition_point(|(at, _)| *at <= sequence);
        assert_eq!(written[shown - 1].1, revision, "not what {sequence} shows");
    }
}

pub async fn a_read_at_least_at_a_sequence_shows_it(bench: &BenchStore) {
    let other = bench.handle().await;
    for round in 0..50 {
        let value = format!("{round}");
        let written = bench.store.put(&key("a"), text(&value)).await.unwrap();
        let request = ReadRequest::keys([key("a")]).at_least(written.token);
        let relaxed = ReadRequest {
            freshness: coeval_storage::ReadFreshness::Relaxed,
            ..request.clone()
        };
        for request in [request, relaxed] {
            let snapshot = other.read(request).await.unwrap();
            assert!(snapshot.token.sequence >= written.token.sequence);
            assert_eq!(snapshot.token.incarnation, written.token.incarnation);
            let entry = snapshot.keys[0].as_ref().unwrap();
            assert_eq!(body(record(entry)), value);
        }
    }
}

pub async fn a_read_at_least_at_a_sequence_of_no_history_is_compacted(bench: &BenchStore) {
    let written = bench.store.put(&key("a"), text("1")).await.unwrap();
    let beyond = Token {
        sequence: written.token.sequence + 1_000_000_000,
        ..written.token
    };
    let elsewhere = Token {
        incarnation: Incarnation::draw().unwrap(),
        ..written.token
    };
    for token in [beyond, elsewhere] {
        let request = ReadRequest::keys([key("a")]).at_least(token);
        refused!(bench.store.read(request).await, Compacted);
    }
}

pub async fn a_listing_and_a_watch_from_it_miss_nothing_and_repeat_nothing(bench: &BenchStore) {
    let stop = Arc::new(AtomicBool::new(false));
    let mut writers = Vec::new();
    for writer in 0..4 {
        let (store, stop) = (bench.handle().await, Arc::clone(&stop));
        writers.push(tokio::spawn(async move {
            let mine = key(&format!("l/{writer}"));
            let mut count = 0_u64;
            while !stop.load(Ordering::Acquire) {
                count += 1;
                store.put(&mine, text(&count.to_string())).await.unwrap();
            }
            count
        }));
    }
    let count = |body: String| body.parse::<u64>().unwrap();
    for _ in 0..5 {
        let (token, page) = bench
            .store
            .range(ReadRange::below(&key("l")))
            .await
            .unwrap();
        let (live, mut watch) = bench.watch("l", Some(token)).await;
        assert_eq!(live, token);
        let listed = page.entries.iter();
        let mut state: HashMap<_, _> = listed
            .map(|entry| (entry.key.clone(), count(body(record(entry)))))
            .collect();
        let mut last = token.sequence;
        for _ in 0..50 {
            let (at, group) = loop {
                match next(&mut watch).await {
                    Ok(WatchDelivery::Events(at, group)) => break (at, group),
                    Ok(WatchDelivery::Bookmark(_)) => {}
                    // Slower than four writers: it is told, and goes on where it was.
                    Err(FellBehind { resume }) => {
                        watch = bench.watch("l", Some(resume)).await.1;
                    }
                    other => panic!("instead of events: {other:?}"),
                }
            };
            assert!(at.sequence > last, "{} after {last}", at.sequence);
            last = at.sequence;
            for event in &group.events {
                let KeyChange::Put(stored) = &event.change else {
                    panic!("{event:?}");
                };
                let now = count(body(stored.record().unwrap()));
                let before = state.insert(event.key.clone(), now).unwrap_or(0);
                assert_eq!(now, before + 1, "a gap or a repeat of {}", event.key);
            }
        }
    }
    stop.store(true, Ordering::Release);
    for writer in writers {
        assert!(writer.await.unwrap() > 0);
    }
}

pub async fn the_first_page_of_a_listing_is_where_its_watch_starts(bench: &BenchStore) {
    let names: Vec<_> = (0..10).map(|n| key(&format!("l/{n}"))).collect();
    for name in &names {
        bench.store.put(name, text("old")).await.unwrap();
    }
    let range = ReadRange::below(&key("l")).limit(5);
    let (first, page) = bench.store.range(range.clone()).await.unwrap();
    // Behind the first page and before the second: only the watch can tell of these.
    bench.store.put(&names[1], text("new")).await.unwrap();
    bench.store.delete(&names[2]).await.unwrap();
    bench.store.delete(&names[7]).await.unwrap();
    let last = &page.entries[4].key;
    let (second, rest) = bench.store.range(range.after(last)).await.unwrap();
    assert!(second.sequence > first.sequence);
    let mut state: HashMap<_, _> = [page.entries, rest.entries]
        .concat()
        .iter()
        .map(|entry| (entry.key.clone(), body(record(entry))))
        .collect();
    let (_, mut watch) = bench.watch("l", Some(first)).await;
    for _ in 0..3 {
        for event in &next_group(&mut watch).await.1.events {
            match &event.change {
                KeyChange::Put(stored) => {
                    state.insert(event.key.clone(), body(stored.record().unwrap()));
                }
                KeyChange::Deleted { .. } => {
                    state.remove(&event.key);
                }
            }
        }
    }
    let (_, now) = bench
        .store
        .range(ReadRange::below(&key("l")))
        .await
        .unwrap();
    let now: HashMap<_, _> = now
        .entries
        .iter()
        .map(|entry| (entry.key.clone(), body(record(entry))))
        .collect();
    assert_eq!(state, now);
}

pub async fn a_read_answers_each_part_in_the_order_asked(bench: &BenchStore) {
    for name in ["x/1", "x/2", "y/1"] {
        bench.store.put(&key(name), text(name)).await.unwrap();
    }
    let asked = ["y/1", "none", "x/2", "x/1", "y/1"];
    let request = ReadRequest::keys(asked.map(key))
        .and_range(ReadRange::below(&key("none")))
        .and_range(ReadRange::below(&key("x")).limit(1))
        .and_range(ReadRange::below(&key("y")));
    let snapshot = bench.store.read(request).await.unwrap();
    let found: Vec<_> = snapshot
        .keys
        .iter()
        .map(|entry| entry.as_ref().map(|entry| entry.key.to_string()))
        .collect();
    let expected = [Some("y/1"), None, Some("x/2"), Some("x/1"), Some("y/1")];
    assert_eq!(found, expected.map(|name| name.map(str::to_owned)));
    let shape: Vec<_> = snapshot
        .pages
        .iter()
        .map(|page| (page.entries.len(), page.more))
        .collect();
    assert_eq!(shape, [(0, false), (1, true), (1, false)]);

    let most = ReadRequest::keys((0..96).map(|n| key(&format!("x/{n}"))));
    assert_eq!(bench.store.read(most.clone()).await.unwrap().keys.len(), 96);
    let over = most.and_range(ReadRange::below(&key("x")));
    refused!(bench.store.read(over).await, TooLarge { .. });
}
