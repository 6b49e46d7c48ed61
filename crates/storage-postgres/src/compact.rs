//! Removal of old events, a little at a time: the counter's row is locked only at the end of each
//! step, so writers hardly notice.

use crate::database::{SessionPool, one};
use crate::error::typed;
use crate::meta::{MetaRow, get, meta_columns, signed, unsigned};
use coeval_storage::{EventRetention, StorageError};
use deadpool_postgres::Object;

/// Rows that one step looks at.
const STEP: usize = 1_000;

const OLDEST: &str = concat!(
    "SELECT ",
    meta_columns!(),
    ", floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, e.seq, e.at, e.total AS reached
       FROM meta m LEFT JOIN (SELECT seq, at, total FROM events ORDER BY seq LIMIT 1000) e ON true
      ORDER BY e.seq"
);

/// An event, as far as its age and place matter.
#[derive(Clone, Copy, Debug)]
struct OldEvent {
    seq: i64,
    at: i64,
    total: i64,
}

/// What stays.
#[derive(Clone, Copy, Debug)]
struct CompactionBounds {
    /// Events from before this moment may go.
    before: i64,
    /// Events that have so many bytes after them may go.
    bytes: i64,
    /// The newest event and its total: it always stays.
    head: i64,
    total: i64,
}

/// The last of the oldest events that may go: none is removed before one that stays.
fn cut(oldest: &[OldEvent], keep: CompactionBounds) -> Option<i64> {
    let goes = |old: &&OldEvent| {
        old.seq < keep.head
            && (old.at < keep.before || keep.total.saturating_sub(old.total) >= keep.bytes)
    };
    oldest.iter().take_while(goes).last().map(|old| old.seq)
}

/// What a step did.
struct CompactionStep {
    floor: u64,
    more: bool,
}

impl SessionPool {
    /// Removes old events; returns the new floor.
    pub(crate) async fn compact(
        &self,
        keep: EventRetention,
        lock: i64,
    ) -> Result<u64, StorageError> {
        loop {
            let step = self.with_retry(|client| self.compact_step(client, keep, lock));
            let step = step.await?;
            if !step.more {
                return Ok(step.floor);
            }
        }
    }

    async fn compact_step(
        &self,
        mut client: Object,
        keep: EventRetention,
        lock: i64,
    ) -> Result<CompactionStep, StorageError> {
        let pg = |e: tokio_postgres::Error| typed(&e);
        let transaction = client.transaction().await.map_err(pg)?;
        // One server at a time; the others have nothing to do then.
        // The lock ends with the transaction, also if this server dies in it.
        let alone = transaction
            .query_one("SELECT pg_try_advisory_xact_lock($1) AS alone", &[&lock])
            .await
            .map_err(pg)?;
        let alone: bool = get(&alone, "alone")?;
        let rows = transaction.query(OLDEST, &[]).await.map_err(pg)?;
        let meta = MetaRow::of(one(&rows)?)?;
        meta.check_fence(&self.handle)?;
        let mut oldest = Vec::with_capacity(rows.len());
        for row in &rows {
            if let Some(seq) = get(row, "seq")? {
                let (at, total) = (get(row, "at")?, get(row, "reached")?);
                oldest.push(OldEvent { seq, at, total });
            }
        }
        let age = i64::try_from(keep.age.as_millis()).unwrap_or(i64::MAX);
        let keep = CompactionBounds {
            before: get::<i64>(one(&rows)?, "now")?.saturating_sub(age),
            bytes: signed(keep.bytes),
            head: signed(meta.bounds.head),
            total: meta.total,
        };
        let Some(cut) = cut(&oldest, keep).filter(|_| alone) else {
            return Ok(CompactionStep {
                floor: meta.bounds.floor,
                more: false,
            });
        };
        transaction
            .execute("DELETE FROM events WHERE seq <= $1", &[&cut])
            .await
            .map_err(pg)?;
        // Last, so that writers wait for the commit only.
        transaction
            .execute("UPDATE meta SET floor = greatest(floor, $1)", &[&cut])
            .await
            .map_err(pg)?;
        transaction.commit().await.map_err(pg)?;
        Ok(CompactionStep {
            floor: unsigned(cut).max(meta.bounds.floor),
            // A full step, all of which could go: there may be more of it.
            more: oldest.len() == STEP && oldest.last().is_some_and(|last| last.seq == cut),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn old(seq: i64, at: i64) -> OldEvent {
        OldEvent {
            seq,
            at,
            total: seq * 100,
        }
    }

    fn keep(before: i64, bytes: i64) -> CompactionBounds {
        CompactionBounds {
            before,
            bytes,
            head: 5,
            total: 500,
        }
    }

    #[test]
    fn what_is_old_goes_and_the_newest_stays() {
        let oldest = [old(1, 10), old(2, 20), old(3, 30), old(4, 40), old(5, 50)];
        assert_eq!(cut(&oldest, keep(10, 1_000)), None);
        assert_eq!(cut(&oldest, keep(25, 1_000)), Some(2));
        assert_eq!(cut(&oldest, keep(1_000, 1_000)), Some(4));
    }

    #[test]
    fn what_has_enough_after_it_goes() {
        let oldest = [old(1, 10), old(2, 20), old(3, 30), old(4, 40), old(5, 50)];
        assert_eq!(cut(&oldest, keep(0, 200)), Some(3));
        assert_eq!(cut(&oldest, keep(0, 0)), Some(4));
        assert_eq!(cut(&[], keep(0, 0)), None);
    }

    #[test]
    fn nothing_goes_before_something_that_stays() {
        // The clock was set back in between.
        let oldest = [old(1, 10), old(2, 90), old(3, 12), old(4, 13)];
        assert_eq!(cut(&oldest, keep(20, 1_000)), Some(1));
    }
}
