//! What can go wrong between stores and files.

use coeval_codes::Coded;
use coeval_storage::StorageError;
use std::path::{Path, PathBuf};

/// Refusals and failures of the operators' commands.
#[derive(Debug, thiserror::Error, Coded)]
pub enum StoresError {
    /// The store's own.
    #[error(transparent)]
    #[code(transparent)]
    Storage(#[from] StorageError),
    /// Records would be mixed or lost.
    #[error("the target store is not empty")]
    #[code(
        NOT_EMPTY,
        advice = "Choose an empty store. With --replace a restore or import removes everything first; with --merge an import adds to what is there."
    )]
    NotEmpty,
    /// Not what `export` wrote.
    #[error("line {line} can't be imported: {reason}")]
    #[code(
        IMPORT_INVALID,
        advice = "Import the file as `coeval store export` wrote it, whole. The store is fenced until an import succeeds."
    )]
    ImportInvalid {
        /// Which, from 1.
        line: u64,
        /// Why.
        reason: String,
    },
    /// Not what `backup` wrote.
    #[error("{} is not a usable backup: {reason}", .path.display())]
    #[code(
        BACKUP_INVALID,
        advice = "Use a file that `coeval store backup` finished."
    )]
    BackupInvalid {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The system's own.
    #[error("{}: {reason}", .path.display())]
    #[code(FILE, advice = "Check the path, the permissions and the free space.")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

impl StoresError {
    pub(crate) fn file(path: &Path, reason: impl std::fmt::Display) -> Self {
        Self::File {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
