//! Watches: one ring of recent events for all watchers of a process, and the event log behind it.
//!
//! # Flow
//!
//! 1. Every commit appends its events to the store's log, as one [`EventGroup`]. Whoever commits, or tails the
//!    log of a store that several servers share, publishes the group to the process's [`EventFeed`].
//! 2. A watcher is a cursor and has no queue. It takes what comes after its cursor from the ring, or
//!    from the log while it catches up, and keeps only what its span contains.
//! 3. If there is nothing, it sleeps until the feed wakes it. Now and then it gets a bookmark, so that it
//!    can resume from a recent place though nothing concerned it.
//!
//! # What it promises
//!
//! - *No gap and no event twice*, in the order of commits, all events of an atomic write together.
//! - *The writer never waits* for a watcher, and a slow watcher takes no memory: neither the number of
//!   watchers nor their speed changes what the ring holds ([`RingSize`]).
//! - *Whoever can't be served is told*, never left in silence: [`StorageError::FellBehind`] with the
//!   token to resume from, where the ring has passed a live watcher; [`StorageError::Compacted`] where
//!   the log does not reach back so far, or the store has another history.
//!
//! A live watcher that fell behind is not moved to the log by itself: its consumer is slower than the
//! writers and would read the log for ever. It is told, and decides.
//!
//! # What it relies on
//!
//! - Groups are published in the order of their sequences, and after they are durable.
//! - The log has a group before the ring does. So a watcher that finds its place overwritten in the ring
//!   finds it in the log.
//! - [`EventFeed::restart`] is called when the history changes (a restore), or when a tailer lost its place.
//!
//! # Example
//!
//! ```
//! # use coeval_storage::feed::{WatchDelivery, EventLog, EventFeed, RingSize, WatchRequest, watch};
//! # use coeval_storage::{HistoryBounds, KeyChange, KeyEvent, EventGroup, Incarnation, Key, LogPage, KeySpan, StorageError};
//! # use futures::StreamExt;
//! # use std::sync::Arc;
//! # struct Log(HistoryBounds);
//! # #[async_trait::async_trait]
//! # impl EventLog for Log {
//! #     async fn bounds(&self) -> Result<HistoryBounds, StorageError> { Ok(self.0) }
//! #     async fn page(&self, _: u64) -> Result<LogPage, StorageError> { Err(StorageError::Closed) }
//! # }
//! # let bounds = HistoryBounds { incarnation: Incarnation::from_bytes([1; 16]), floor: 0, head: 7 };
//! # let group = |sequence, key| {
//! #     let (key, change) = (Key::try_from(key).unwrap(), KeyChange::Deleted { revision: None });
//! #     Arc::new(EventGroup::new(sequence, vec![KeyEvent { key, change }]))
//! # };
//! # let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
//! # runtime.block_on(async {
//! let feed = Arc::new(EventFeed::new(&bounds, RingSize::default()));
//! let request = WatchRequest { span: KeySpan::below(&Key::try_from("app").unwrap()), from: None };
//! let mut deliveries = watch(&feed, Arc::new(Log(bounds)), request).await.unwrap();
//! assert!(matches!(deliveries.next().await, Some(Ok(WatchDelivery::Live(_)))));
//!
//! feed.publish([group(8, "user/alice"), group(9, "app/web")]);
//! let Some(Ok(WatchDelivery::Events(token, _))) = deliveries.next().await else { panic!() };
//! assert_eq!(token.sequence, 9, "the other one concerns nobody here");
//! # });
//! ```

use crate::error::StorageError;
use crate::event::{EventGroup, HistoryBounds, LogPage};
use crate::key::KeySpan;
use crate::revision::{Incarnation, Token};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What a watch yields. After an error nothing follows.
pub type DeliveryStream = BoxStream<'static, Result<WatchDelivery, StorageError>>;

/// One thing that a watcher gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WatchDelivery {
    /// Always first: the feed is live, and delivers what comes after this.
    Live(Token),
    /// The events of one atomic write that concern the watcher, and where they stand.
    Events(Token, Arc<EventGroup>),
    /// Nothing for this watcher up to here: resume from this, it is newer.
    Bookmark(Token),
}

/// What to watch.
#[derive(Clone, Debug)]
pub struct WatchRequest {
    /// Which keys.
    pub span: KeySpan,
    /// After which point; now, if none.
    pub from: Option<Token>,
}

/// How much the ring holds.
#[derive(Clone, Copy, Debug)]
pub struct RingSize {
    /// Bytes of groups.
    pub bytes: usize,
    /// Number of groups.
    pub groups: usize,
}

impl Default for RingSize {
    fn default() -> Self {
        Self {
            bytes: 16 * 1024 * 1024,
            groups: 16 * 1024,
        }
    }
}

/// The log behind the ring.
#[async_trait::async_trait]
pub trait EventLog: Send + Sync + 'static {
    /// The history's bounds, as new as the store can tell.
    async fn bounds(&self) -> Result<HistoryBounds, StorageError>;

    /// The groups after `sequence`, as many as fit a page, in one snapshot with the bounds.
    async fn page(&self, after: u64) -> Result<LogPage, StorageError>;
}

#[derive(Debug)]
struct EventRing {
    incarnation: Incarnation,
    /// Every group after this and up to `head` is in `groups`.
    start: u64,
    head: u64,
    groups: VecDeque<Arc<EventGroup>>,
    bytes: usize,
    size: RingSize,
    closed: bool,
}

/// The recent events of a store, shared by all watchers of a process.
#[derive(Debug)]
pub struct EventFeed {
    ring: RwLock<EventRing>,
    wake: watch::Sender<u64>,
}

impl EventFeed {
    /// An empty ring that begins after the history's head.
    #[must_use]
    pub fn new(bounds: &HistoryBounds, size: RingSize) -> Self {
        // Nothing that was before the ring is in it: a watcher from further back reads the log.
        Self {
            ring: RwLock::new(EventRing {
                incarnation: bounds.incarnation,
                start: bounds.head,
                head: bounds.head,
                groups: VecDeque::new(),
                bytes: 0,
                size,
                closed: false,
            }),
            wake: watch::Sender::new(0),
        }
    }

    /// Adds committed groups, in order; what the ring can't hold falls out at its old end.
    /// Groups that it has already are passed over.
    ///
    /// ```
    /// # use coeval_storage::feed::{EventFeed, RingSize};
    /// # use coeval_storage::{HistoryBounds, EventGroup, Incarnation};
    /// # use std::sync::Arc;
    /// # let bounds = HistoryBounds { incarnation: Incarnation::from_bytes([1; 16]), floor: 0, head: 7 };
    /// let feed = EventFeed::new(&bounds, RingSize { groups: 2, bytes: 1_000_000 });
    /// feed.publish([8, 9, 9, 10].map(|sequence| Arc::new(EventGroup::new(sequence, Vec::new()))));
    /// assert_eq!((feed.head(), feed.held().0), (10, 2));
    /// ```
    pub fn publish(&self, groups: impl IntoIterator<Item = Arc<EventGroup>>) {
        self.change(|ring| {
            for group in groups {
                // A writer publishes its own commit, and a tailer may bring the same once more.
                if group.sequence > ring.head {
                    ring.push(group);
                }
            }
        });
    }

    /// Says that everything up to `sequence` was published, though the last of it may concern
    /// nobody (sequences that another user of the same store took).
    pub fn advance(&self, sequence: u64) {
        // Never backwards: a late answer may bring a sequence that a newer one has passed.
        self.change(|ring| ring.head = ring.head.max(sequence));
    }

    /// Begins anew in another history (or after a gap that the tailer could not close): every
    /// watcher of the old one is told.
    pub fn restart(&self, bounds: &HistoryBounds) {
        // No list of watchers is needed: each finds another incarnation at its next `take`.
        self.change(|ring| {
            ring.incarnation = bounds.incarnation;
            ring.start = bounds.head;
            ring.head = bounds.head;
            ring.groups.clear();
            ring.bytes = 0;
        });
    }

    /// Ends every watch.
    pub fn close(&self) {
        self.change(|ring| ring.closed = true);
    }

    /// The last sequence that was published.
    #[must_use]
    pub fn head(&self) -> u64 {
        self.ring
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .head
    }

    /// Groups and bytes held now.
    #[must_use]
    pub fn held(&self) -> (usize, usize) {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        (ring.groups.len(), ring.bytes)
    }

    fn change(&self, change: impl FnOnce(&mut EventRing)) {
        change(&mut self.ring.write().unwrap_or_else(PoisonError::into_inner));
        // After the lock was released: whoever wakes up takes it at once.
        self.wake
            .send_modify(|wakes| *wakes = wakes.wrapping_add(1));
    }

    fn take(&self, incarnation: Incarnation, after: u64, live: bool) -> RingAnswer {
        let ring = self.ring.read().unwrap_or_else(PoisonError::into_inner);
        if ring.closed {
            return RingAnswer::Closed;
        }
        // Checked before the place: sequences of two histories can't be compared.
        if ring.incarnation != incarnation {
            return RingAnswer::OtherHistory;
        }
        // One that never reached the ring is still catching up, and that is what the log is for.
        if after < ring.start {
            return if live {
                RingAnswer::FellBehind
            } else {
                RingAnswer::FromLog
            };
        }
        // Sequences have gaps where others use the same store, so the place can't be computed.
        let first = ring.groups.partition_point(|group| group.sequence <= after);
        // A bounded piece: cloning thousands of groups under the lock would hold up the writer.
        let groups: Vec<_> = ring.groups.range(first..).take(TAKE).cloned().collect();
        let whole = first + groups.len() == ring.groups.len();
        // If nothing is left in the ring, the head counts: sequences that others took have no
        // group.
        let up_to = match groups.last() {
            Some(last) if !whole => last.sequence,
            _ => ring.head.max(after),
        };
        RingAnswer::Groups { groups, up_to }
    }
}

/// Groups taken from the ring at once.
const TAKE: usize = 256;

enum RingAnswer {
    Groups {
        groups: Vec<Arc<EventGroup>>,
        up_to: u64,
    },
    FromLog,
    FellBehind,
    OtherHistory,
    Closed,
}

impl EventRing {
    fn push(&mut self, group: Arc<EventGroup>) {
        self.head = group.sequence;
        self.bytes += group.size;
        self.groups.push_back(group);
        // Both bounds: many tiny groups cost more in bookkeeping than in bytes.
        while self.bytes > self.size.bytes || self.groups.len() > self.size.groups {
            let Some(oldest) = self.groups.pop_front() else {
                break;
            };
            self.bytes -= oldest.size;
            self.start = oldest.sequence;
        }
    }
}

/// After so many groups that did not concern a watcher it gets a bookmark.
const BOOKMARK_AFTER: u64 = 1_000;
/// And after so long, if the head has moved.
const BOOKMARK_EVERY: Duration = Duration::from_secs(10);

struct FeedCursor {
    feed: Arc<EventFeed>,
    log: Arc<dyn EventLog>,
    wakes: watch::Receiver<u64>,
    span: KeySpan,
    incarnation: Incarnation,
    /// Everything up to here was delivered or concerns others.
    cursor: u64,
    /// What the consumer knows of the cursor.
    told: u64,
    told_at: Instant,
    /// Whether it has ever reached the ring.
    live: bool,
    begun: bool,
    ready: VecDeque<Arc<EventGroup>>,
}

/// Begins a watch.
///
/// # Errors
/// [`StorageError::Compacted`] if the history after `request.from` is not there.
pub async fn watch(
    feed: &Arc<EventFeed>,
    log: Arc<dyn EventLog>,
    request: WatchRequest,
) -> Result<DeliveryStream, StorageError> {
    // Subscribed before the bounds are read, so that nothing falls in between.
    let wakes = feed.wake.subscribe();
    let bounds = log.bounds().await?;
    let from = request.from.unwrap_or_else(|| bounds.token());
    if !bounds.can_resume(from) {
        return Err(StorageError::Compacted);
    }
    let watcher = FeedCursor {
        feed: Arc::clone(feed),
        log,
        wakes,
        span: request.span,
        incarnation: bounds.incarnation,
        cursor: from.sequence,
        told: from.sequence,
        told_at: Instant::now(),
        live: false,
        begun: false,
        ready: VecDeque::new(),
    };
    // After an error the watcher is dropped: its consumer decides whether, and from where, to
    // resume.
    Ok(stream::unfold(Some(watcher), |watcher| async {
        let mut watcher = watcher?;
        match watcher.next().await {
            Ok(delivery) => Some((Ok(delivery), Some(watcher))),
            Err(error) => Some((Err(error), None)),
        }
    })
    .boxed())
}

impl FeedCursor {
    async fn next(&mut self) -> Result<WatchDelivery, StorageError> {
        if !self.begun {
            // Before anything is looked at: the consumer may now read the state, and misses nothing
            // after it.
            self.begun = true;
            return Ok(WatchDelivery::Live(self.token(self.cursor)));
        }
        loop {
            if let Some(group) = self.ready.pop_front() {
                self.told = group.sequence;
                self.told_at = Instant::now();
                return Ok(WatchDelivery::Events(self.token(group.sequence), group));
            }
            // Without it, a watcher of a quiet span would have to resume from a place that was compacted.
            if self.cursor > self.told + BOOKMARK_AFTER {
                return Ok(self.bookmark());
            }
            // Before looking, so that what is published while we look wakes us afterwards.
            self.wakes.mark_unchanged();
            let before = self.cursor;
            match self.feed.take(self.incarnation, self.cursor, self.live) {
                RingAnswer::Groups { groups, up_to } => {
                    self.live = true;
                    self.accept(groups, up_to);
                }
                RingAnswer::FromLog => self.read_log().await?,
                RingAnswer::FellBehind => {
                    return Err(StorageError::FellBehind {
                        resume: self.token(self.cursor),
                    });
                }
                RingAnswer::OtherHistory => return Err(StorageError::Compacted),
                RingAnswer::Closed => return Err(StorageError::Closed),
            }
            if self.ready.is_empty() && self.cursor == before && self.wait().await {
                return Ok(self.bookmark());
            }
        }
    }

    /// Waits for news; true if a bookmark is due instead.
    async fn wait(&mut self) -> bool {
        if self.cursor == self.told {
            // The sender lives in the feed that this watcher holds: no error is possible.
            let _ = self.wakes.changed().await;
            return false;
        }
        // Counted from what the consumer knows, not from now: events of others would postpone it
        // for ever.
        let due = BOOKMARK_EVERY.saturating_sub(self.told_at.elapsed());
        tokio::time::timeout(due, self.wakes.changed())
            .await
            .is_err()
    }

    async fn read_log(&mut self) -> Result<(), StorageError> {
        let page = self.log.page(self.cursor).await?;
        // Compaction or a restore may have come between two pages.
        if !page.bounds.can_resume(self.token(self.cursor)) {
            return Err(StorageError::Compacted);
        }
        self.accept(page.groups, page.complete_to);
        Ok(())
    }

    fn accept(&mut self, groups: Vec<Arc<EventGroup>>, up_to: u64) {
        for group in groups {
            if let Some(group) = self.concerning(group) {
                self.ready.push_back(group);
            }
        }
        // Also past what concerns others, or the same groups would be looked at again.
        self.cursor = self.cursor.max(up_to);
    }

    /// The events of a group that this watcher asked for.
    fn concerning(&self, group: Arc<EventGroup>) -> Option<Arc<EventGroup>> {
        let wanted = group
            .events
            .iter()
            .filter(|event| self.span.contains(&event.key))
            .count();
        // The common case shares the group, with all that was found out about it (`Memo`).
        if wanted == group.events.len() {
            return (wanted > 0).then_some(group);
        }
        (wanted > 0).then(|| {
            let events = group.events.iter();
            let events = events.filter(|event| self.span.contains(&event.key));
            Arc::new(EventGroup::new(group.sequence, events.cloned().collect()))
        })
    }

    fn bookmark(&mut self) -> WatchDelivery {
        self.told = self.cursor;
        self.told_at = Instant::now();
        WatchDelivery::Bookmark(self.token(self.cursor))
    }

    fn token(&self, sequence: u64) -> Token {
        Token {
            incarnation: self.incarnation,
            sequence,
        }
    }
}
