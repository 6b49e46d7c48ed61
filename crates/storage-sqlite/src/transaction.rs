//! A read transaction, and what is live in it.

use coeval_storage::record::RecordHead;
use coeval_storage::{HistoryBounds, StoreLimits, UnixMillis};
use rusqlite::Connection;

/// One snapshot, at one moment.
#[derive(Debug)]
pub(crate) struct ReadTransaction<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) bounds: HistoryBounds,
    pub(crate) now: UnixMillis,
    pub(crate) limits: StoreLimits,
}

/// Whether a record has not expired. Bytes that are no record never do: damage is shown, not hidden.
pub(crate) fn is_live(raw: &[u8], now: UnixMillis) -> bool {
    !RecordHead::read(raw).is_some_and(|head| head.has_expired(now))
}
