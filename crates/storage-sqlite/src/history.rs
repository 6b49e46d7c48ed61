//! The event table: bounds and pages.

use crate::error::typed;
use crate::transaction::ReadTransaction;
use bytes::Bytes;
use coeval_storage::event::decode_group;
use coeval_storage::{HistoryBounds, Incarnation, LogPage, StorageError};
use rusqlite::{Connection, params};
use std::sync::Arc;

const PAGE_GROUPS: usize = 1_000;
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// What the store says of itself in one snapshot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HistoryMeta {
    pub(crate) bounds: HistoryBounds,
    pub(crate) restoring: bool,
}

pub(crate) fn bounds(connection: &Connection) -> Result<HistoryMeta, StorageError> {
    // Compaction leaves the newest event, so it tells the head.
    let mut statement = connection
        .prepare_cached(
            "SELECT incarnation, floor, restoring, (SELECT max(seq) FROM events) FROM meta",
        )
        .map_err(typed)?;
    statement
        .query_row([], |row| {
            Ok(HistoryMeta {
                bounds: HistoryBounds {
                    incarnation: Incarnation::from_bytes(row.get(0)?),
                    floor: unsigned(row.get(1)?),
                    head: unsigned(row.get::<_, Option<i64>>(3)?.unwrap_or(0)),
                },
                restoring: row.get(2)?,
            })
        })
        .map_err(typed)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(crate) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn page(transaction: &ReadTransaction<'_>, after: u64) -> Result<LogPage, StorageError> {
    let bounds = transaction.bounds;
    let mut statement = transaction
        .connection
        .prepare_cached("SELECT seq, body FROM events WHERE seq > ? ORDER BY seq")
        .map_err(typed)?;
    let mut rows = statement.query(params![signed(after)]).map_err(typed)?;
    let mut groups = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next().map_err(typed)? {
        let sequence = unsigned(row.get(0).map_err(typed)?);
        let body: Vec<u8> = row.get(1).map_err(typed)?;
        bytes += body.len();
        let group = decode_group(sequence, &Bytes::from(body)).ok_or_else(|| {
            StorageError::failed(format!("the event at sequence {sequence} is damaged"))
        })?;
        groups.push(Arc::new(group));
        // The group that reaches the bound is still in the page, so one always fits.
        if groups.len() >= PAGE_GROUPS || bytes >= PAGE_BYTES {
            return Ok(LogPage {
                bounds,
                groups,
                complete_to: sequence,
            });
        }
    }
    Ok(LogPage {
        bounds,
        groups,
        // Everything is in it. A cursor beyond the head must not move backwards.
        complete_to: bounds.head.max(after),
    })
}
