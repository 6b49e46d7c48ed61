//! etcd's history: compaction by whomever, fragments, groups.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod own;

use coeval_storage::{
    AtomicWrite, EventGroup, EventRetention, KeyChange, RecordPut, Revision, StorageError, Store,
    Token,
};
use own::proxy::{Proxy, Wire};
use own::{Server, eventually, key, next, next_group, open, options, watch};
use std::sync::Arc;
use std::time::Duration;

fn names(group: &EventGroup) -> Vec<String> {
    let name = |event: &coeval_storage::KeyEvent| match &event.change {
        KeyChange::Put(_) => format!("+{}", event.key),
        KeyChange::Deleted { .. } => format!("-{}", event.key),
    };
    group.events.iter().map(name).collect()
}

async fn put(store: &impl Store, name: &str) -> Token {
    let put = RecordPut::of(b"v".to_vec());
    store.put(&key(name), put).await.unwrap().token
}

/// etcd 3.4 drops the deletes at its compacted revision, without a word.
#[tokio::test]
async fn a_delete_next_to_the_compacted_revision_is_delivered_or_said_to_be_gone() {
    let server = Server::start();
    let writer = server.handle().await;
    let first = put(&writer, "a").await;
    let deleted = writer.delete(&key("a")).await.unwrap().token;
    let last = put(&writer, "b").await;

    let resumed = async |from: Token| {
        // A fresh handle has nothing in its ring: this is etcd's history.
        let fresh = server.handle().await;
        let mut watch = watch(&fresh, Some(from)).await?;
        let mut seen = Vec::new();
        while seen.last().is_none_or(|name| name != "+b") {
            let group = next_group(&mut watch).await?;
            seen.extend(names(&group));
        }
        Ok::<_, StorageError>(seen)
    };
    server.ctl(&["compact", &first.sequence.to_string()]);
    assert_eq!(resumed(first).await.unwrap(), ["-a", "+b"]);
    // Clocks are announced between our writes: somebody may compact at their revisions too.
    for revision in first.sequence + 1..=deleted.sequence {
        server.ctl(&["compact", &revision.to_string()]);
        match resumed(first).await {
            Ok(seen) => assert!(revision < deleted.sequence && seen == ["-a", "+b"]),
            Err(error) => assert_eq!(
                (revision, error),
                (deleted.sequence, StorageError::Compacted)
            ),
        }
    }
    assert_eq!(resumed(deleted).await.unwrap(), ["+b"]);
    let log = writer.events(0).await.unwrap();
    assert_eq!(log.bounds.floor, deleted.sequence);
    assert_eq!(log.complete_to, last.sequence);
    assert_eq!(log.groups.len(), 1);
}

#[tokio::test]
async fn compaction_above_the_last_write_takes_nothing() {
    let mut server = Server::start();
    let store = server.handle().await;
    let last = put(&store, "a").await;
    let mut live = watch(&store, Some(last)).await.unwrap();
    // The clock's announcements move etcd's revision on.
    server.ctl(&["put", "somebody", "else"]);
    let head = server.ctl(&["put", "somebody", "else", "-w", "json"]);
    let digits = head.split("\"revision\":").nth(1).unwrap();
    let revision: String = digits.chars().take_while(char::is_ascii_digit).collect();
    server.ctl(&["compact", &revision]);
    assert!(revision.parse::<u64>().unwrap() > last.sequence);

    let status = store.status().await.unwrap();
    assert_eq!((status.floor, status.head), (last.sequence, last.sequence));
    assert!(watch(&store, None).await.is_ok());
    assert!(watch(&store, Some(last)).await.is_ok());
    let log = store.events(0).await.unwrap();
    assert!(log.groups.is_empty());
    assert_eq!(log.complete_to, last.sequence);

    // The one watch is begun anew, at a revision that is gone.
    server.etcd.restart_member(0);
    let next_one = loop {
        match store.put(&key("b"), RecordPut::of(b"v".to_vec())).await {
            Ok(written) => break written.token,
            Err(error) => assert!(!error.is_refusal(), "{error}"),
        }
    };
    assert_eq!(names(&next_group(&mut live).await.unwrap()), ["+b"]);
    assert!(next_one.sequence > last.sequence);
}

#[tokio::test]
async fn a_watcher_whose_events_somebody_compacted_is_told() {
    let server = Server::start();
    let proxy = Proxy::to(&server.etcd.endpoints()[0]).await;
    let url = format!("etcd://{}/test", proxy.address);
    let behind = open(options(
        &url,
        Arc::new(coeval_storage::SystemClock::default()),
    ))
    .await;
    let writer = server.handle().await;
    let mut live = watch(&behind, None).await.unwrap();
    put(&writer, "a").await;
    assert_eq!(names(&next_group(&mut live).await.unwrap()), ["+a"]);

    proxy.set(Wire::Cut);
    put(&writer, "b").await;
    let last = put(&writer, "c").await;
    server.ctl(&["compact", &last.sequence.to_string()]);
    proxy.set(Wire::Whole);

    let resume = match next(&mut live).await {
        Err(StorageError::FellBehind { resume }) => resume,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        watch(&behind, Some(resume)).await.err(),
        Some(StorageError::Compacted)
    );
    // And the feed goes on.
    let mut anew = watch(&behind, None).await.unwrap();
    put(&writer, "d").await;
    assert_eq!(names(&next_group(&mut anew).await.unwrap()), ["+d"]);
}

#[tokio::test]
async fn a_cut_wire_leaves_no_gap() {
    let server = Server::start();
    let proxy = Proxy::to(&server.etcd.endpoints()[0]).await;
    let url = format!("etcd://{}/test", proxy.address);
    let reader = open(options(
        &url,
        Arc::new(coeval_storage::SystemClock::default()),
    ))
    .await;
    let writer = server.handle().await;
    let mut live = watch(&reader, None).await.unwrap();
    for round in 0..5 {
        for n in 0..20 {
            put(&writer, &format!("{round}/{n}")).await;
            if n == 7 {
                proxy.set(Wire::Cut);
            }
        }
        proxy.set(Wire::Whole);
        for n in 0..20 {
            let group = next_group(&mut live).await.unwrap();
            assert_eq!(names(&group), [format!("+{round}/{n}")]);
        }
    }
}

/// More than etcd sends at once: 96 values before and after, 2.6 MiB.
#[tokio::test]
async fn a_large_group_arrives_whole_live_and_from_the_log() {
    let server = Server::start();
    let store = server.handle().await;
    let mut live = watch(&store, None).await.unwrap();
    let all = |fill: u8| {
        (0..96).fold(AtomicWrite::new(), |write, n| {
            write.put(&key(&format!("k/{n:02}")), vec![fill; 14_000])
        })
    };
    let mut tokens = Vec::new();
    for fill in 0..4 {
        tokens.push(store.atomic_write(all(fill)).await.unwrap());
    }
    let fresh = server.handle().await;
    let mut late = watch(&fresh, Some(tokens[0].token)).await.unwrap();
    for (fill, written) in tokens.iter().enumerate() {
        for watch in [&mut live, &mut late].into_iter().take(1 + fill.min(1)) {
            let group = next_group(watch).await.unwrap();
            assert_eq!(group.sequence, written.token.sequence);
            assert_eq!(group.events.len(), 96);
            for (n, event) in group.events.iter().enumerate() {
                assert_eq!(event.key, key(&format!("k/{n:02}")));
                assert_eq!(event.revision(), Some(written.revision));
            }
        }
    }
    // A page of the log is bounded, and continues where it ended.
    let mut after = 0;
    let mut sequences = Vec::new();
    while sequences.len() < tokens.len() {
        let page = store.events(after).await.unwrap();
        assert!(page.complete_to > after);
        after = page.complete_to;
        sequences.extend(page.groups.iter().map(|group| group.sequence));
    }
    let expected: Vec<_> = tokens.iter().map(|w| w.token.sequence).collect();
    assert_eq!(sequences, expected);
}

#[tokio::test]
async fn a_deleted_revision_is_told_as_long_as_etcd_knows_it() {
    let server = Server::start();
    let store = server.handle().await;
    let created = store.create(&key("a"), RecordPut::of(b"v".to_vec())).await;
    let created = created.unwrap();
    let deleted = store.delete(&key("a")).await.unwrap().token;
    put(&store, "b").await;
    let revision_of = async || {
        let page = store.events(deleted.sequence - 1).await.unwrap();
        let group = page.groups.first().unwrap();
        assert_eq!(group.sequence, deleted.sequence);
        group.events[0].revision()
    };
    assert_eq!(revision_of().await, Some(created.revision));
    server.ctl(&["compact", &(deleted.sequence - 1).to_string()]);
    // What was there before is kept at the compacted revision itself, or gone: never another.
    let told: Option<Revision> = revision_of().await;
    assert!(told.is_none_or(|told| told == created.revision));
}

#[tokio::test]
async fn compaction_is_done_by_one_server_and_keeps_the_newest_write() {
    let server = Server::start();
    let (one, other) = (server.handle().await, server.handle().await);
    let first = put(&one, "0").await;
    for n in 1..20 {
        put(&one, &n.to_string()).await;
    }
    let last = put(&one, "last").await;
    let everything = EventRetention {
        age: Duration::ZERO,
        bytes: 0,
    };
    let floor = one.compact(everything).await.unwrap();
    assert!(floor > first.sequence && floor < last.sequence);
    assert_eq!(other.compact(everything).await.unwrap(), floor);
    assert_eq!(other.status().await.unwrap().floor, floor);
    let refused = watch(&other, Some(first)).await.err();
    assert_eq!(refused, Some(StorageError::Compacted));
    let page = other.events(floor).await.unwrap();
    assert_eq!(names(page.groups.last().unwrap()), ["+last"]);

    // The other one may once the first is gone.
    let last = put(&one, "very last").await;
    one.close().await;
    let floor = other.compact(everything).await.unwrap();
    assert!(floor < last.sequence);
    assert_eq!(one.compact(everything).await, Err(StorageError::Closed));
    let kept = EventRetention::default();
    assert_eq!(other.compact(kept).await.unwrap(), floor);
}

#[tokio::test]
async fn announced_clocks_are_no_events_and_no_writes() {
    let server = Server::start();
    let (store, other) = (server.handle().await, server.handle().await);
    let last = put(&store, "a").await;
    let mut live = watch(&store, Some(last)).await.unwrap();
    let announced = async || server.ctl(&["get", "--prefix", "test/m/clock/", "-w", "fields"]);
    let before = announced().await;
    tokio::time::sleep(Duration::from_millis(4_500)).await;
    assert_ne!(announced().await, before);
    assert_eq!(server.count("m/clock/"), 2);
    assert_eq!(store.status().await.unwrap().head, last.sequence);
    let nothing = tokio::time::timeout(Duration::from_millis(100), next(&mut live)).await;
    assert!(nothing.is_err());

    other.close().await;
    assert_eq!(server.count("m/clock/"), 1);
    drop(store);
    eventually("a dropped handle takes its clock away", async || {
        server.count("m/clock/") == 0
    })
    .await;
}
