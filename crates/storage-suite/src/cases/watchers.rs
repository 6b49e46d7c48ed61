//! Slow, late, closed and cancelled watchers.

use crate::bench::{BenchStore, PATIENCE, key, text};
use crate::feeds::{groups, next, next_group, watch};
use crate::refused;
use coeval_storage::StorageError::{Closed, FellBehind};
use coeval_storage::{KeySpan, RecordPut, Store, WatchDelivery, WatchRequest};
use futures::StreamExt;
use std::sync::Arc;
use std::time::Duration;

pub async fn a_slow_watcher_is_told_that_it_fell_behind_and_may_resume(bench: &BenchStore) {
    let (start, mut slow) = bench.watch("w", None).await;
    // It has reached the present before it stops reading.
    let first = bench.store.put(&key("w/first"), text("1")).await.unwrap();
    assert_eq!(next_group(&mut slow).await.0, first.token);
    let written = write_past_the_ring(bench).await;
    let mut seen = Vec::new();
    let resume = loop {
        match next(&mut slow).await {
            Ok(WatchDelivery::Events(_, group)) => seen.push(group.sequence),
            Ok(WatchDelivery::Bookmark(_)) => {}
            Err(FellBehind { resume }) => break resume,
            other => panic!("{other:?}"),
        }
    };
    assert!(slow.next().await.is_none(), "nothing follows an error");
    assert_eq!(resume.incarnation, start.incarnation);
    let (live, mut feed) = bench.watch("w", Some(resume)).await;
    assert_eq!(live, resume);
    let rest = groups(&mut feed, *written.last().unwrap()).await;
    seen.extend(rest.iter().map(|group| group.sequence));
    assert_eq!(seen, written);
}

pub async fn a_watcher_that_begins_late_misses_nothing(bench: &BenchStore) {
    let span = KeySpan::below(&key("w"));
    let request = WatchRequest { span, from: None };
    let mut late = bench.store.watch(request).await.unwrap();
    let written = write_past_the_ring(bench).await;
    let Ok(WatchDelivery::Live(_)) = next(&mut late).await else {
        panic!("the first delivery is not `Live`");
    };
    let mut seen = Vec::new();
    while seen.last() != written.last() {
        match next(&mut late).await {
            Ok(WatchDelivery::Events(_, group)) => seen.push(group.sequence),
            Ok(WatchDelivery::Bookmark(_)) => {}
            Err(FellBehind { resume }) => late = bench.watch("w", Some(resume)).await.1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, written);
}

/// More writes than the ring holds, below `w`: their sequences, in order.
async fn write_past_the_ring(bench: &BenchStore) -> Vec<u64> {
    let count = bench.subject.ring_groups() * 2 + 50;
    let writes = (0..count).map(|n| async move {
        let put = RecordPut::of(vec![0; 100]);
        let name = key(&format!("w/{}", n % 50));
        bench.store.put(&name, put).await.unwrap().token.sequence
    });
    let writes = futures::stream::iter(writes).buffer_unordered(64);
    let mut written: Vec<_> = writes.collect().await;
    written.sort_unstable();
    written
}

pub async fn close_ends_every_watch_at_once(bench: &BenchStore) {
    let handle = bench.handle().await;
    let (_, idle) = watch(&handle, "w", None).await;
    let (_, mut unread) = watch(&handle, "w", None).await;
    let waiting = tokio::spawn(async move {
        let mut idle = idle;
        let end = next(&mut idle).await;
        (end, idle.next().await.is_none())
    });
    tokio::task::yield_now().await;
    handle.close().await;
    let (end, over) = tokio::time::timeout(Duration::from_secs(5), waiting)
        .await
        .expect("at once")
        .unwrap();
    refused!(end, Closed);
    assert!(over, "nothing follows an error");
    refused!(next(&mut unread).await, Closed);
    refused!(handle.get(&key("a")).await, Closed);
    refused!(handle.put(&key("a"), text("1")).await, Closed);
    let request = WatchRequest {
        span: KeySpan::below(&key("w")),
        from: None,
    };
    assert!(matches!(handle.watch(request).await, Err(Closed)));
    handle.close().await;
    if bench.subject.many_handles() {
        bench
            .store
            .put(&key("a"), text("others go on"))
            .await
            .unwrap();
    }
}

pub async fn a_cancelled_wait_loses_nothing(bench: &BenchStore) {
    let (_, mut feed) = bench.watch("w", None).await;
    let store = Arc::clone(&bench.store);
    let writer = tokio::spawn(async move {
        let mut written = Vec::new();
        for n in 0..100 {
            let name = key(&format!("w/{}", n % 3));
            let done = store.put(&name, text("x")).await.unwrap();
            written.push(done.token.sequence);
        }
        written
    });
    let mut seen = Vec::new();
    let begun = std::time::Instant::now();
    while seen.len() < 100 {
        assert!(begun.elapsed() < PATIENCE, "{} of 100", seen.len());
        let wait = Duration::from_micros(u64::from(begun.elapsed().subsec_micros()) % 700);
        match tokio::time::timeout(wait, feed.next()).await {
            Ok(Some(Ok(WatchDelivery::Events(_, group)))) => seen.push(group.sequence),
            Ok(Some(Ok(WatchDelivery::Bookmark(_)))) | Err(_) => {}
            Ok(other) => panic!("{other:?}"),
        }
    }
    assert_eq!(seen, writer.await.unwrap());
}

pub async fn a_dropped_watch_leaves_the_others_alone(bench: &BenchStore) {
    let (_, mut stays) = bench.watch("w", None).await;
    let mut dropped = Vec::new();
    for _ in 0..50 {
        dropped.push(bench.watch("w", None).await);
    }
    drop(dropped);
    let written = bench.store.put(&key("w/a"), text("1")).await.unwrap();
    assert_eq!(next_group(&mut stays).await.0, written.token);
}
