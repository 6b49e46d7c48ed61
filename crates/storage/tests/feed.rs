//! The feed: what a watcher reads, what it misses, what it costs.

// A test that fails may panic.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use coeval_storage::feed::{EventFeed, EventLog, RingSize, WatchDelivery, WatchRequest, watch};
use coeval_storage::{
    DeliveryStream, EventGroup, HistoryBounds, Incarnation, Key, KeyChange, KeyEvent, KeySpan,
    LogPage, StorageError, Token,
};
use futures::{FutureExt, StreamExt};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const PAGE: usize = 50;
const HISTORY: Incarnation = Incarnation::from_bytes([1; 16]);

/// An event log in memory that counts what is read from it.
struct Log {
    groups: Mutex<Vec<Arc<EventGroup>>>,
    floor: u64,
    read: AtomicUsize,
}

#[async_trait::async_trait]
impl EventLog for Log {
    async fn bounds(&self) -> Result<HistoryBounds, StorageError> {
        let groups = self.groups.lock().unwrap();
        Ok(HistoryBounds {
            incarnation: HISTORY,
            floor: self.floor,
            head: groups.last().map_or(0, |group| group.sequence),
        })
    }

    async fn page(&self, after: u64) -> Result<LogPage, StorageError> {
        let bounds = self.bounds().await?;
        let groups = self.groups.lock().unwrap();
        let first = groups.partition_point(|group| group.sequence <= after);
        let page: Vec<_> = groups[first..].iter().take(PAGE).cloned().collect();
        self.read.fetch_add(page.len(), Ordering::Relaxed);
        let complete_to = match page.last() {
            Some(last) if page.len() == PAGE => last.sequence,
            _ => bounds.head,
        };
        Ok(LogPage {
            bounds,
            groups: page,
            complete_to,
        })
    }
}

fn group(sequence: u64, key: &str) -> Arc<EventGroup> {
    let event = KeyEvent {
        key: Key::try_from(key).unwrap(),
        change: KeyChange::Deleted { revision: None },
    };
    Arc::new(EventGroup::new(sequence, vec![event]))
}

fn log(count: u64) -> Arc<Log> {
    Arc::new(Log {
        groups: Mutex::new((1..=count).map(|n| group(n, "a/x")).collect()),
        floor: 0,
        read: AtomicUsize::new(0),
    })
}

async fn feed(log: &Arc<Log>, groups: usize) -> Arc<EventFeed> {
    let size = RingSize {
        groups,
        ..RingSize::default()
    };
    Arc::new(EventFeed::new(&log.bounds().await.unwrap(), size))
}

fn commit(log: &Log, feed: &EventFeed, sequence: u64, key: &str) {
    let group = group(sequence, key);
    log.groups.lock().unwrap().push(Arc::clone(&group));
    feed.publish([group]);
}

async fn from(feed: &Arc<EventFeed>, log: &Arc<Log>, sequence: u64) -> DeliveryStream {
    let request = WatchRequest {
        span: KeySpan::below(&Key::try_from("a").unwrap()),
        from: Some(token(sequence)),
    };
    let mut watch = watch(feed, Arc::clone(log) as _, request).await.unwrap();
    let first = watch.next().await.unwrap().unwrap();
    assert_eq!(first, WatchDelivery::Live(token(sequence)));
    watch
}

fn token(sequence: u64) -> Token {
    Token {
        incarnation: HISTORY,
        sequence,
    }
}

async fn sequences(watch: &mut DeliveryStream, count: usize) -> Vec<u64> {
    let mut found = Vec::new();
    while found.len() < count {
        if let WatchDelivery::Events(token, _) = watch.next().await.unwrap().unwrap() {
            found.push(token.sequence);
        }
    }
    found
}

#[tokio::test]
async fn a_resume_reads_only_what_it_missed() {
    let log = log(100_000);
    let feed = feed(&log, 16).await;
    let mut watch = from(&feed, &log, 99_900).await;
    let missed = Vec::from_iter(99_901..=100_000);
    assert_eq!(sequences(&mut watch, 100).await, missed);
    assert!(watch.next().now_or_never().is_none(), "more than there is");
    assert_eq!(log.read.load(Ordering::Relaxed), 100);
}

#[tokio::test]
async fn a_watcher_that_catches_up_goes_on_live_without_gap_or_repeat() {
    let log = log(120);
    let feed = feed(&log, 1_000).await;
    let mut watch = from(&feed, &log, 0).await;
    assert_eq!(sequences(&mut watch, 60).await, Vec::from_iter(1..=60));
    for n in 121..=300 {
        commit(&log, &feed, n, "a/x");
    }
    assert_eq!(sequences(&mut watch, 240).await, Vec::from_iter(61..=300));
    let read = log.read.load(Ordering::Relaxed);
    commit(&log, &feed, 301, "a/x");
    assert_eq!(sequences(&mut watch, 1).await, [301]);
    let read_since = log.read.load(Ordering::Relaxed) - read;
    assert_eq!(read_since, 0, "a live watcher read the log");
}

#[tokio::test]
async fn a_slow_live_watcher_is_told_and_resumes_where_it_was() {
    let log = log(1);
    let feed = feed(&log, 10).await;
    let mut watch = from(&feed, &log, 1).await;
    commit(&log, &feed, 2, "a/x");
    assert_eq!(sequences(&mut watch, 1).await, [2]);
    for n in 3..=40 {
        commit(&log, &feed, n, "a/x");
    }
    let error = watch.next().await.unwrap().unwrap_err();
    assert_eq!(error, StorageError::FellBehind { resume: token(2) });
    assert!(watch.next().await.is_none());
    let mut again = from(&feed, &log, 2).await;
    assert_eq!(sequences(&mut again, 38).await, Vec::from_iter(3..=40));
    assert_eq!(feed.held().0, 10);
}

#[tokio::test]
async fn a_quiet_watcher_gets_bookmarks() {
    let log = log(1);
    let feed = feed(&log, 10_000).await;
    let mut watch = from(&feed, &log, 1).await;
    for n in 2..=1_500 {
        commit(&log, &feed, n, "b/x");
    }
    let delivery = watch.next().await.unwrap().unwrap();
    assert!(matches!(delivery, WatchDelivery::Bookmark(at) if at.sequence > 1_000));
}

#[tokio::test]
async fn another_history_ends_every_watch_and_close_too() {
    let log = log(5);
    let feed = feed(&log, 10).await;
    let mut ended = from(&feed, &log, 5).await;
    let other = HistoryBounds {
        incarnation: Incarnation::from_bytes([2; 16]),
        floor: 0,
        head: 0,
    };
    feed.restart(&other);
    let end = ended.next().await.unwrap();
    assert_eq!(end.unwrap_err(), StorageError::Compacted);

    let feed = self::feed(&log, 10).await;
    let mut closed = from(&feed, &log, 5).await;
    let waiting = tokio::spawn(async move { closed.next().await });
    tokio::task::yield_now().await;
    feed.close();
    let end = waiting.await.unwrap().unwrap();
    assert_eq!(end.unwrap_err(), StorageError::Closed);
}

#[tokio::test]
async fn what_the_history_does_not_have_is_compacted_at_once() {
    let log = Arc::new(Log {
        groups: Mutex::new((11..=20).map(|n| group(n, "a/x")).collect()),
        floor: 10,
        read: AtomicUsize::new(0),
    });
    let feed = feed(&log, 10).await;
    let foreign = Token {
        incarnation: Incarnation::from_bytes([9; 16]),
        sequence: 15,
    };
    for from in [token(9), token(21), foreign] {
        let request = WatchRequest {
            span: KeySpan::everything(),
            from: Some(from),
        };
        let result = watch(&feed, Arc::clone(&log) as _, request).await;
        assert_eq!(result.err(), Some(StorageError::Compacted), "{from:?}");
    }
}
