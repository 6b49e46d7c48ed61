//! What SQLite says, in our words.

use coeval_storage::StorageError;
use rusqlite::ErrorCode;

/// The typed error for what SQLite said.
pub(crate) fn typed(error: rusqlite::Error) -> StorageError {
    let reason = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StorageError::Full { reason },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StorageError::Busy { reason },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            StorageError::Unavailable { reason }
        }
        _ => StorageError::Failed { reason },
    }
}

/// Whether a failed COMMIT may have left its frames in the log all the same.
pub(crate) fn leaves_commit_open(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        // The frames were written and the sync failed: after a crash they may count or not.
        Some(ErrorCode::SystemIoFailure | ErrorCode::OperationInterrupted)
    )
}
