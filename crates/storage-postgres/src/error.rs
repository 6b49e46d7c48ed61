//! What the database says, in the words of the contract.

use coeval_storage::StorageError;
use std::error::Error as _;
use tokio_postgres::Error;
use tokio_postgres::error::{Severity, SqlState};

/// An error of the driver or of the database.
pub(crate) fn typed(error: &Error) -> StorageError {
    match error.as_db_error() {
        Some(db) => by_state(db.code(), db.message()),
        None => match error.source() {
            // The driver's own text ("error connecting to server") does not say why.
            Some(source) => StorageError::unavailable(format!("{error}: {source}")),
            None => StorageError::unavailable(error),
        },
    }
}

/// Whether the session is gone, so that nobody knows how far it came.
pub(crate) fn is_lost(error: &Error) -> bool {
    // Without an answer of the database it was the connection that failed; FATAL and PANIC end the
    // session as well.
    error.as_db_error().is_none_or(|db| {
        matches!(
            db.parsed_severity(),
            Some(Severity::Fatal | Severity::Panic)
        )
    })
}

fn by_state(state: &SqlState, message: &str) -> StorageError {
    let code = state.code();
    let reason = format!("{message} (SQLSTATE {code})");
    match code {
        "53100" => StorageError::Full { reason },
        // Out of memory or locks, a lock not given in time, a statement cancelled.
        "53200" | "55P03" | "57014" => StorageError::Busy { reason },
        // A standby, after a switch of roles; too many connections.
        "25006" | "53300" => StorageError::Unavailable { reason },
        _ if ["08", "28", "3D", "57"].contains(&code.get(..2).unwrap_or_default()) => {
            StorageError::Unavailable { reason }
        }
        // Idle for too long in a transaction: the session was ended.
        "25P03" => StorageError::Unavailable { reason },
        _ => StorageError::Failed { reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_state_has_its_kind() {
        for (state, kind) in [
            ("53100", "full"),
            ("53300", "unavailable"),
            ("57P01", "unavailable"),
            ("57P03", "unavailable"),
            ("08006", "unavailable"),
            ("28P01", "unavailable"),
            ("25006", "unavailable"),
            ("55P03", "busy"),
            ("57014", "busy"),
            ("42P01", "failed"),
            ("23505", "failed"),
        ] {
            let error = by_state(&SqlState::from_code(state), "said");
            assert_eq!(error.kind(), kind, "{state}");
        }
    }
}
