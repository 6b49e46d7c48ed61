//! A read transaction, and what is live in it.

use coeval_storage::record::Head;
use coeval_storage::{Bounds, Limits, Millis};
use rusqlite::Connection;

/// One snapshot, at one moment.
#[derive(Debug)]
pub(crate) struct Transaction<'c> {
    pub(crate) connection: &'c Connection,
    pub(crate) bounds: Bounds,
    pub(crate) now: Millis,
    pub(crate) limits: Limits,
}

/// Whether a record has not expired. Bytes that are no record never do: damage is shown, not hidden.
pub(crate) fn is_live(raw: &[u8], now: Millis) -> bool {
    !Head::read(raw).is_some_and(|head| head.has_expired(now))
}
