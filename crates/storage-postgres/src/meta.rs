//! The one row that says which history this is, and how far it has come.

use crate::error::typed;
use coeval_storage::{HistoryBounds, Incarnation, StorageError, Token};
use tokio_postgres::Row;

/// The columns that [`MetaRow::of`] reads, from `meta m`.
macro_rules! meta_columns {
    () => {
        "m.head, m.floor, m.total, m.incarnation, m.loader, \
         current_setting('coeval.identity') AS identity"
    };
}
/// The present moment of a read in milliseconds: the same in all statements of a transaction.
macro_rules! now {
    () => {
        "floor(extract(epoch FROM now()) * 1000)::bigint"
    };
}
pub(crate) use {meta_columns, now};

/// What names one handle to the others.
pub(crate) type HandleId = [u8; 16];

/// The row, as one snapshot shows it.
#[derive(Clone, Debug)]
pub(crate) struct MetaRow {
    /// With the incarnation as it leaves the store.
    pub(crate) bounds: HistoryBounds,
    /// Bytes of all events that ever were.
    pub(crate) total: i64,
    /// As drawn, without the database's identity.
    pub(crate) drawn: Vec<u8>,
    /// The handle that restores the store, and alone may use it.
    pub(crate) loader: Option<Vec<u8>>,
}

impl MetaRow {
    pub(crate) fn of(row: &Row) -> Result<Self, StorageError> {
        let drawn: Vec<u8> = get(row, "incarnation")?;
        let identity: &str = get(row, "identity")?;
        let incarnation = drawn.first_chunk::<16>().ok_or_else(|| {
            StorageError::failed("the store's incarnation does not have 16 bytes")
        })?;
        Ok(Self {
            bounds: HistoryBounds {
                incarnation: Incarnation::from_bytes(*incarnation).placed(identity.as_bytes()),
                floor: unsigned(get(row, "floor")?),
                head: unsigned(get(row, "head")?),
            },
            total: get(row, "total")?,
            loader: get(row, "loader")?,
            drawn,
        })
    }

    /// Refuses everybody but the one who restores, while that goes on.
    pub(crate) fn check_fence(&self, handle: &HandleId) -> Result<(), StorageError> {
        match &self.loader {
            Some(loader) if loader != handle => Err(StorageError::Restoring),
            _ => Ok(()),
        }
    }

    /// Whether this snapshot shows at least `token`. All snapshots are of the present, so what it
    /// does not show is of another history.
    pub(crate) fn check_shows(&self, token: Token) -> Result<(), StorageError> {
        if token.incarnation == self.bounds.incarnation && token.sequence <= self.bounds.head {
            Ok(())
        } else {
            Err(StorageError::Compacted)
        }
    }
}

/// A column of a row.
pub(crate) fn get<'a, T: tokio_postgres::types::FromSql<'a>>(
    row: &'a Row,
    column: &str,
) -> Result<T, StorageError> {
    row.try_get(column)
        .map_err(|e| StorageError::failed(format!("column {column}: {}", typed(&e))))
}

/// A sequence as the database holds it.
pub(crate) fn signed(sequence: u64) -> i64 {
    i64::try_from(sequence).unwrap_or(i64::MAX)
}

/// A sequence as the contract has it.
pub(crate) fn unsigned(sequence: i64) -> u64 {
    u64::try_from(sequence).unwrap_or_default()
}
