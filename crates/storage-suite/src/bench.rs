//! What a case works with, and how it is run.

use crate::feeds;
use crate::shim::WriteShim;
use crate::subject::StoreSubject;
use coeval_storage::layers::{FaultPlan, FaultyStore};
use coeval_storage::{
    DeliveryStream, DynStore, Key, ReadOrder, ReadRange, Record, RecordPut, Store, StoredEntry,
    Token, UnixMillis,
};
use futures::future::BoxFuture;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How single-key writes are said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteStyle {
    /// As they are.
    Direct,
    /// As atomic writes with one more condition.
    Shim,
}

/// How long anything may take that a case waits for.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A fresh store and a handle on it.
pub struct BenchStore {
    /// The store under test.
    pub subject: Box<dyn StoreSubject>,
    /// The first handle.
    pub store: DynStore,
    way: WriteStyle,
}

impl std::fmt::Debug for BenchStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {:?}", self.subject.kind(), self.way)
    }
}

/// Runs one case; fails with its name if it takes more than a minute.
///
/// # Panics
/// If the case fails.
pub async fn run(
    name: &'static str,
    way: WriteStyle,
    subject: Box<dyn StoreSubject>,
    case: impl for<'a> FnOnce(&'a BenchStore) -> BoxFuture<'a, ()>,
) {
    let bench = BenchStore::new(subject, way).await;
    // Longer cases have more time.
    let time = Duration::from_secs_f64(60.0 * crate::scale().max(1.0));
    if tokio::time::timeout(time, case(&bench)).await.is_err() {
        panic!("{name} ({bench:?}) took more than {time:?}");
    }
    bench.store.close().await;
    bench.subject.finish().await;
}

impl BenchStore {
    /// A bench for a fresh store.
    pub async fn new(subject: Box<dyn StoreSubject>, way: WriteStyle) -> Self {
        let store = subject.handle().await;
        let mut bench = Self {
            subject,
            store: Arc::clone(&store),
            way,
        };
        bench.store = bench.said(store).await;
        bench
    }

    async fn said(&self, store: DynStore) -> DynStore {
        match self.way {
            WriteStyle::Direct => store,
            WriteStyle::Shim => Arc::new(WriteShim::new(store).await.expect("the sentinel")),
        }
    }

    /// One more handle.
    pub async fn handle(&self) -> DynStore {
        self.said(self.subject.handle().await).await
    }

    /// One more handle, of a server whose clock is `offset` milliseconds ahead.
    pub async fn handle_with_clock(&self, offset: i64) -> DynStore {
        self.said(self.subject.handle_with_clock(offset).await)
            .await
    }

    /// One more handle, of a server whose store fails as the plan says.
    pub async fn faulty(&self, plan: Arc<dyn FaultPlan>) -> DynStore {
        let store = FaultyStore::new(self.subject.handle().await, plan);
        // The shim is around the faults, so that its own writes meet them too.
        self.said(Arc::new(store)).await
    }

    /// A token of the present.
    pub async fn now(&self) -> Token {
        let status = self.store.status().await.expect("the status");
        Token {
            incarnation: status.incarnation,
            sequence: status.head,
        }
    }

    /// Watches the keys below `prefix` from `from`, or from now; the `Live` delivery is taken.
    pub async fn watch(&self, prefix: &str, from: Option<Token>) -> (Token, DeliveryStream) {
        feeds::watch(&self.store, prefix, from).await
    }
}

/// A key.
#[must_use]
pub fn key(text: &str) -> Key {
    Key::try_from(text).expect("a key")
}

/// A put of a text.
#[must_use]
pub fn text(body: &str) -> RecordPut {
    RecordPut::of(body.as_bytes().to_vec())
}

/// A put of a text that vanishes in `millis`.
#[must_use]
pub fn fleeting(body: &str, millis: i64) -> RecordPut {
    text(body).expiring(Some(in_millis(millis)))
}

/// The machine's clock and `millis` more.
#[must_use]
pub fn in_millis(millis: i64) -> UnixMillis {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("1970");
    UnixMillis(i64::try_from(now.as_millis()).expect("a date")).plus(millis)
}

/// The body of a record as text.
#[must_use]
pub fn body(record: &Record) -> String {
    String::from_utf8_lossy(&record.content.body).into_owned()
}

/// The record of an entry.
///
/// # Panics
/// If it is damaged.
#[must_use]
pub fn record(entry: &StoredEntry) -> &Record {
    entry.stored.record().expect("a whole record")
}

/// The keys of entries, as text.
#[must_use]
pub fn names(entries: &[StoredEntry]) -> Vec<String> {
    entries.iter().map(|entry| entry.key.to_string()).collect()
}

/// Everything in a range, page by page, `at_once` items at a time.
///
/// # Panics
/// If the store fails, or a page breaks the rules of paging.
pub async fn pages(store: &dyn Store, range: ReadRange, at_once: usize) -> Vec<StoredEntry> {
    let mut all: Vec<StoredEntry> = Vec::new();
    let mut range = range.limit(at_once);
    loop {
        let (_, page) = store.range(range.clone()).await.expect("a page");
        assert!(page.entries.len() <= at_once, "a page beyond its limit");
        all.extend(page.entries);
        if !page.more {
            break;
        }
        let last = all.last().expect("a page that has more is not empty");
        range = range.after(&last.key);
    }
    // Over all pages at once, so that the borders between them are checked as well.
    let ordered = all.windows(2).all(|pair| match range.order {
        ReadOrder::Ascending => pair[0].key < pair[1].key,
        ReadOrder::Descending => pair[0].key > pair[1].key,
    });
    assert!(ordered, "out of order: {:?}", names(&all));
    all
}

/// Asks until the answer is yes.
///
/// # Panics
/// With `what`, if it never is.
pub async fn eventually<F: Future<Output = bool>>(what: &str, mut ask: impl FnMut() -> F) {
    let begun = Instant::now();
    while !ask().await {
        assert!(begun.elapsed() < PATIENCE, "never: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Fails unless the result is this refusal.
#[macro_export]
macro_rules! refused {
    ($result:expr, $refusal:pat $(if $guard:expr)?) => {{
        let result = $result;
        assert!(
            matches!(&result, Err($refusal) $(if $guard)?),
            "expected {}, got {result:?}",
            stringify!($refusal),
        );
    }};
}
