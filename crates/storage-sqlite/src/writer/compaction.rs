//! Compaction: the oldest events go, a few at a time, between the commits.

use super::{WriterCommand, WriterThread};
use crate::error::typed;
use crate::history::{self, signed, unsigned};
use coeval_storage::{EventRetention, StorageError};
use rusqlite::params;
use tokio::sync::mpsc;

/// Events that go in one transaction.
const AT_ONCE: i64 = 500;

impl WriterThread {
    /// Removes what `keep` does not want, and lets waiting writes through in between. A command
    /// of another kind that is met is left in `other`.
    pub(super) fn compact(
        &mut self,
        keep: EventRetention,
        queue: &mut mpsc::Receiver<WriterCommand>,
        other: &mut Option<WriterCommand>,
    ) -> Result<u64, StorageError> {
        if !self.may_write() {
            return Err(StorageError::Restoring);
        }
        while self.compact_some(keep)? {
            // Deletes fill the log as puts do.
            self.start.checkpoints.wake();
            // Waiting writes get in between, for removing a million events takes seconds. Only
            // while nothing is left over: there is room for one command, and none may overtake it.
            if other.is_none()
                && let Ok(first) = queue.try_recv()
            {
                let mut members = Vec::new();
                *other = self.collect_batch(first, queue, &mut members);
                self.commit(members);
            }
        }
        Ok(history::bounds(&self.start.connection)?.bounds.floor)
    }

    /// Removes up to [`AT_ONCE`] events; whether there may be more.
    fn compact_some(&mut self, keep: EventRetention) -> Result<bool, StorageError> {
        let Some(cut) = self.cut(keep)? else {
            return Ok(false);
        };
        // The floor in the same transaction: otherwise a watcher could resume into a gap.
        let transaction = self.start.connection.transaction().map_err(typed)?;
        let removed = transaction
            .execute("DELETE FROM events WHERE seq <= ?", params![signed(cut)])
            .map_err(typed)?;
        transaction
            .execute("UPDATE meta SET floor = ?", params![signed(cut)])
            .map_err(typed)?;
        transaction.commit().map_err(typed)?;
        Ok(removed as i64 == AT_ONCE)
    }

    /// The newest of the oldest events that may go. The newest event of all stays: it tells the
    /// head.
    fn cut(&self, keep: EventRetention) -> Result<Option<u64>, StorageError> {
        let age = i64::try_from(keep.age.as_millis()).unwrap_or(i64::MAX);
        let before = self.start.moments.now().0.saturating_sub(age);
        let mut statement = self
            .start
            .connection
            .prepare_cached("SELECT seq, at, total FROM events ORDER BY seq LIMIT ?")
            .map_err(typed)?;
        let mut rows = statement.query(params![AT_ONCE]).map_err(typed)?;
        let mut cut = None;
        while let Some(row) = rows.next().map_err(typed)? {
            let sequence = unsigned(row.get(0).map_err(typed)?);
            let at: i64 = row.get(1).map_err(typed)?;
            let behind = self
                .total
                .saturating_sub(unsigned(row.get(2).map_err(typed)?));
            // It stays if it is young and small enough: a burst could fill the disk long before it
            // is old.
            if sequence >= self.head || (at > before && behind < keep.bytes) {
                break;
            }
            cut = Some(sequence);
        }
        Ok(cut)
    }
}
