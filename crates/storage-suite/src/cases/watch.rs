//! Watches.

use crate::bench::{BenchStore, key, text};
use crate::feeds::{groups, next_group, watch, watch_refusal, watch_span};
use coeval_storage::StorageError::Compacted;
use coeval_storage::{AtomicWrite, Incarnation, KeyChange, KeySpan, RecordPut, Store, Token};
use std::collections::HashMap;
use std::sync::Arc;

pub async fn the_first_delivery_says_from_where_the_feed_is_live(bench: &BenchStore) {
    let before = bench.store.put(&key("w/a"), text("1")).await.unwrap();
    let (live, mut feed) = bench.watch("w", None).await;
    assert!(live.sequence >= before.token.sequence);
    assert_eq!(live.incarnation, before.token.incarnation);
    let after = bench.store.put(&key("w/a"), text("2")).await.unwrap();
    assert!(live.sequence < after.token.sequence);
    assert_eq!(next_group(&mut feed).await.0, after.token);
    let (live, mut feed) = bench.watch("w", Some(before.token)).await;
    assert_eq!(live, before.token);
    assert_eq!(next_group(&mut feed).await.0, after.token);
}

pub async fn events_carry_key_sequence_revision_and_value(bench: &BenchStore) {
    let store = &bench.store;
    let (_, mut feed) = bench.watch("w", None).await;
    let mut put = text("the value");
    put.content.flags = 3;
    put.content.fields = vec![(4, "beside".into())];
    let created = store.create(&key("w/a"), put.clone()).await.unwrap();
    let deleted = store.delete(&key("w/a")).await.unwrap();
    let (at, group) = next_group(&mut feed).await;
    assert_eq!(at, created.token);
    let [event] = &group.events[..] else {
        panic!("{group:?}");
    };
    assert_eq!(event.key, key("w/a"));
    assert_eq!(event.revision(), Some(created.revision));
    let KeyChange::Put(stored) = &event.change else {
        panic!("{event:?}");
    };
    assert_eq!(stored.record().unwrap().content, put.content);
    let (at, group) = next_group(&mut feed).await;
    assert_eq!(at, deleted.token);
    let [event] = &group.events[..] else {
        panic!("{group:?}");
    };
    assert_eq!(event.key, key("w/a"));
    assert!(matches!(event.change, KeyChange::Deleted { .. }));
    assert!(event.revision().is_none_or(|was| was == created.revision));
}

pub async fn a_watch_sees_its_span_only(bench: &BenchStore) {
    let (_, mut feed) = bench.watch("w", None).await;
    // They begin like the prefix, or come near it, and are not below it.
    for name in ["w", "w.x", "w0", "wa/x", "v/x", "x/w/a"] {
        bench.store.put(&key(name), text("x")).await.unwrap();
    }
    let write = ["w0/x", "w/a", "x", "w/b"]
        .iter()
        .fold(AtomicWrite::new(), |write, name| {
            write.put(&key(name), &b"x"[..])
        });
    let written = bench.store.atomic_write(write).await.unwrap();
    let (at, group) = next_group(&mut feed).await;
    assert_eq!(at, written.token);
    let keys: Vec<_> = group
        .events
        .iter()
        .map(|event| event.key.to_string())
        .collect();
    assert_eq!(keys, ["w/a", "w/b"]);
}

pub async fn events_are_store_wide_in_commit_order(bench: &BenchStore) {
    let handles = [Arc::clone(&bench.store), bench.handle().await];
    let mut feeds = Vec::new();
    for handle in &handles {
        feeds.push(watch_span(handle, KeySpan::everything(), None).await.1);
    }
    let each = crate::scaled(40);
    let writers = (0..6).map(|writer| {
        let store = Arc::clone(&handles[writer % 2]);
        tokio::spawn(async move {
            let mut written = Vec::new();
            for n in 0..each {
                let name = key(&format!("{}/{n}", ["a", "m/x", "z"][writer % 3]));
                let done = match n % 4 {
                    3 => store
                        .delete(&name)
                        .await
                        .or(store.put(&name, text("y")).await),
                    _ => store.put(&name, text("x")).await,
                };
                written.push(done.unwrap().token.sequence);
            }
            assert!(
                written.is_sorted(),
                "an acknowledged write is after the one before"
            );
            written
        })
    });
    let mut written = Vec::new();
    for writer in writers.collect::<Vec<_>>() {
        written.extend(writer.await.unwrap());
    }
    written.sort_unstable();
    let last = *written.last().unwrap();
    for feed in &mut feeds {
        let seen: Vec<_> = groups(feed, last)
            .await
            .iter()
            .map(|g| g.sequence)
            .collect();
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
        for sequence in &written {
            assert!(
                seen.binary_search(sequence).is_ok(),
                "{sequence} is missing"
            );
        }
    }
}

pub async fn a_watch_resumes_with_exactly_what_comes_after(bench: &BenchStore) {
    let store = &bench.store;
    let (start, mut feed) = bench.watch("w", None).await;
    let mut last = start;
    for n in 0..30 {
        let name = key(&format!("w/{}", n % 7));
        last = match n % 5 {
            4 => store.atomic_write(AtomicWrite::new().delete(&name).put(&key("w/x"), &b"x"[..])),
            _ => store.atomic_write(AtomicWrite::new().put(&name, format!("{n}").into_bytes())),
        }
        .await
        .unwrap()
        .token;
    }
    let all = groups(&mut feed, last.sequence).await;
    assert_eq!(all.len(), 30);
    // Also at another handle: a token is good at every server.
    let other = bench.handle().await;
    for (n, group) in all.iter().enumerate().rev() {
        let from = Token {
            sequence: group.sequence,
            ..start
        };
        for handle in [store, &other] {
            let (live, mut feed) = watch(handle, "w", Some(from)).await;
            assert_eq!(live, from);
            if n + 1 < all.len() {
                assert_eq!(groups(&mut feed, last.sequence).await, all[n + 1..]);
            }
            let marker = handle.put(&key("w/marker"), text("1")).await.unwrap();
            let next = next_group(&mut feed).await.0.sequence;
            // Markers of earlier rounds may come first.
            assert!(next <= marker.token.sequence && next > last.sequence);
        }
    }
    let (_, mut feed) = bench.watch("w", Some(start)).await;
    assert_eq!(groups(&mut feed, last.sequence).await, all);
}

pub async fn a_watch_from_no_point_of_the_history_is_compacted(bench: &BenchStore) {
    let written = bench.store.put(&key("w/a"), text("1")).await.unwrap();
    let beyond = Token {
        sequence: written.token.sequence + 1_000_000_000,
        ..written.token
    };
    let elsewhere = Token {
        incarnation: Incarnation::draw().unwrap(),
        ..written.token
    };
    for token in [beyond, elsewhere] {
        assert_eq!(watch_refusal(&bench.store, "w", token).await, Compacted);
    }
}

pub async fn an_atomic_write_arrives_as_one_group(bench: &BenchStore) {
    let handles = [Arc::clone(&bench.store), bench.handle().await];
    let (_, mut feed) = bench.watch("w", None).await;
    let writers = (0..4).map(|writer| {
        let store = Arc::clone(&handles[writer % 2]);
        tokio::spawn(async move {
            let mut written = HashMap::new();
            for n in 0..10 {
                // Sizes differ, so that a group that is cut or joined shows.
                let size = 1 + (writer * 10 + n) * 2;
                let write = (0..size).fold(AtomicWrite::new(), |write, i| {
                    write.put(&key(&format!("w/{i}")), vec![0; 1_000])
                });
                let done = store.atomic_write(write).await.unwrap();
                written.insert(done.token.sequence, (size, done.revision));
            }
            written
        })
    });
    let mut written = HashMap::new();
    for writer in writers.collect::<Vec<_>>() {
        written.extend(writer.await.unwrap());
    }
    for _ in 0..40 {
        let (at, group) = next_group(&mut feed).await;
        let (size, revision) = written.remove(&at.sequence).expect("one of the writes");
        assert_eq!(group.events.len(), size);
        assert!(
            group
                .events
                .iter()
                .all(|event| event.revision() == Some(revision))
        );
        let keys: Vec<_> = group.events.iter().map(|event| event.key.clone()).collect();
        let expected: Vec<_> = (0..size).map(|i| key(&format!("w/{i}"))).collect();
        assert_eq!(keys, expected);
    }
}

pub async fn a_value_that_nobody_above_can_decode_is_delivered(bench: &BenchStore) {
    let (_, mut feed) = bench.watch("w", None).await;
    let values: [&[u8]; 4] = [b"{\"half\":", b"\xff\xfe\x00", b"", b"{}"];
    for value in values {
        let put = RecordPut::of(value.to_vec());
        bench.store.put(&key("w/a"), put).await.unwrap();
    }
    for value in values {
        let (_, group) = next_group(&mut feed).await;
        let KeyChange::Put(stored) = &group.events[0].change else {
            panic!("{group:?}");
        };
        assert_eq!(stored.record().unwrap().content.body, value);
    }
}

pub async fn the_event_log_is_what_watchers_saw(bench: &BenchStore) {
    let (start, mut feed) = bench.watch("w", None).await;
    let mut last = 0;
    for n in 0..crate::scaled(250) {
        let write = AtomicWrite::new()
            .put(&key(&format!("w/{}", n % 9)), vec![0; 2_000])
            .put(&key("w/x"), &b"x"[..]);
        last = bench
            .store
            .atomic_write(write)
            .await
            .unwrap()
            .token
            .sequence;
    }
    let seen = groups(&mut feed, last).await;
    let mut logged = Vec::new();
    let mut after = start.sequence;
    loop {
        let page = bench.store.events(after).await.unwrap();
        assert_eq!(page.bounds.incarnation, start.incarnation);
        assert!(page.complete_to <= page.bounds.head.max(after));
        logged.extend(page.groups);
        if page.complete_to >= last {
            break;
        }
        assert!(page.complete_to > after, "no progress after {after}");
        after = page.complete_to;
    }
    assert_eq!(logged, seen);
}
