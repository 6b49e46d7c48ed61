//! The event table, and the ring that is filled from it.
//!
//! Other servers commit too, so only the table knows the order: the ring is filled from it by one
//! at a time, never by the writer.

use crate::database::{SessionPool, one, query};
use crate::meta::{MetaRow, get, meta_columns, signed, unsigned};
use coeval_storage::event::decode_group;
use coeval_storage::feed::{EventFeed, EventLog, RingSize};
use coeval_storage::{EventGroup, HistoryBounds, Incarnation, LogPage, StorageError};
use std::sync::{Arc, Mutex, PoisonError};

/// A page of events, in one snapshot with the bounds. As `total` counts all bytes since the
/// beginning, what a page holds is a difference, known before any body is fetched.
const PAGE: &str = concat!(
    "SELECT ",
    meta_columns!(),
    ", e.seq, e.body FROM meta m LEFT JOIN LATERAL (
       SELECT seq, body FROM (
         SELECT seq, total, body, first_value(total) OVER (ORDER BY seq) AS base
           FROM (SELECT seq, total, body FROM events WHERE seq > $1
                  ORDER BY seq LIMIT 1000) next
       ) sized WHERE total - base <= 4194304
     ) e ON true ORDER BY e.seq"
);

/// What was read of the table.
struct RawPage {
    meta: MetaRow,
    groups: Vec<Arc<EventGroup>>,
    complete_to: u64,
    /// The first event that can't be read; nothing after it is in the page.
    damaged: Option<u64>,
}

/// The event table and the ring.
pub(crate) struct EventHistory {
    pub(crate) database: Arc<SessionPool>,
    feed: Mutex<Arc<EventFeed>>,
    size: RingSize,
    /// The history that the ring shows.
    shown: Mutex<Incarnation>,
    /// Held by whoever fills the ring.
    turn: tokio::sync::Mutex<()>,
}

impl EventHistory {
    pub(crate) fn new(database: Arc<SessionPool>, bounds: &HistoryBounds, size: RingSize) -> Self {
        Self {
            database,
            feed: Mutex::new(Arc::new(EventFeed::new(bounds, size))),
            size,
            shown: Mutex::new(bounds.incarnation),
            turn: tokio::sync::Mutex::new(()),
        }
    }

    /// The ring of the present.
    pub(crate) fn feed(&self) -> Arc<EventFeed> {
        Arc::clone(&self.feed.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn shown(&self) -> Incarnation {
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Fills the ring with all that was committed.
    pub(crate) async fn catch_up(&self) -> Result<(), StorageError> {
        // One at a time: of two pages that are published crosswise, the feed would skip the earlier
        // one.
        let _turn = self.turn.lock().await;
        loop {
            let feed = self.feed();
            let at = feed.head();
            let page = self.read_page(at).await?;
            let bounds = page.meta.bounds;
            if at > bounds.head {
                self.rewound(&feed, &bounds)?;
                return Ok(());
            }
            // Compacted beyond what the ring has: its watchers can't go on without a gap.
            if bounds.incarnation != self.shown() || bounds.floor > at {
                feed.restart(&bounds);
                *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = bounds.incarnation;
                return Ok(());
            }
            feed.publish(page.groups);
            if let Some(sequence) = page.damaged {
                tracing::error!(
                    sequence,
                    "an event can't be read: watches end before it and are told so"
                );
                // Live watchers must resume, and meet the error in the log.
                feed.restart(&HistoryBounds {
                    head: sequence,
                    ..bounds
                });
                continue;
            }
            feed.advance(page.complete_to);
            if page.complete_to >= bounds.head {
                return Ok(());
            }
        }
    }

    /// The history is shorter than it was: somebody restored the database without a word.
    /// Watchers that are beyond its head would wait for ever, so they lose their ring.
    fn rewound(&self, feed: &EventFeed, bounds: &HistoryBounds) -> Result<(), StorageError> {
        tracing::error!(
            "the database went back in time: it was restored without `coeval store adopt`"
        );
        // An incarnation that no history has, so that every watcher ends, also one that the
        // restored history would let resume.
        feed.restart(&HistoryBounds {
            incarnation: Incarnation::draw()?,
            ..*bounds
        });
        let anew = Arc::new(EventFeed::new(bounds, self.size));
        *self.feed.lock().unwrap_or_else(PoisonError::into_inner) = anew;
        *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = bounds.incarnation;
        Ok(())
    }

    async fn read_page(&self, after: u64) -> Result<RawPage, StorageError> {
        let after = signed(after);
        let rows = self.database.with_retry(|client| async move {
            let rows = query(&client, PAGE, &[&after]).await?;
            Ok(rows)
        });
        let rows = rows.await?;
        let meta = MetaRow::of(one(&rows)?)?;
        let mut groups = Vec::new();
        let (mut last, mut damaged) = (None, None);
        for row in &rows {
            let Some(sequence) = get::<Option<i64>>(row, "seq")?.map(unsigned) else {
                continue;
            };
            let body: Vec<u8> = get(row, "body")?;
            let Some(group) = decode_group(sequence, &body.into()) else {
                damaged = Some(sequence);
                break;
            };
            groups.push(Arc::new(group));
            last = Some(sequence);
        }
        // Every sequence up to the head has its row, so an empty page is at the head.
        let complete_to = match (last, damaged) {
            (Some(last), _) => last,
            (None, Some(damaged)) => damaged.saturating_sub(1),
            (None, None) => meta.bounds.head,
        };
        Ok(RawPage {
            meta,
            groups,
            complete_to,
            damaged,
        })
    }
}

#[async_trait::async_trait]
impl EventLog for EventHistory {
    async fn bounds(&self) -> Result<HistoryBounds, StorageError> {
        let bounds = self.database.meta().await?.bounds;
        let same_history = || bounds.incarnation == self.shown();
        if same_history() && bounds.head == self.feed().head() {
            return Ok(bounds);
        }
        // The ring follows first. If it showed another history, the new watch would be told so at
        // once; if it were behind, it could not tell that watch of a head that goes back.
        self.catch_up().await?;
        if same_history() && bounds.head <= self.feed().head() {
            return Ok(bounds);
        }
        Ok(self.database.meta().await?.bounds)
    }

    async fn page(&self, after: u64) -> Result<LogPage, StorageError> {
        let page = self.read_page(after).await?;
        page.meta.check_fence(&self.database.handle)?;
        // What can be read before a damaged event is delivered first.
        if let (Some(sequence), true) = (page.damaged, page.groups.is_empty()) {
            return Err(StorageError::failed(format!(
                "the event {sequence} is damaged"
            )));
        }
        Ok(LogPage {
            bounds: page.meta.bounds,
            groups: page.groups,
            complete_to: page.complete_to,
        })
    }
}
