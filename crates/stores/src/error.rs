//! What can go wrong between stores and files.

use coeval_codes::{Code, Coded};
use coeval_storage::StorageError;
use std::path::{Path, PathBuf};

/// Refusals and failures of the operators' commands.
#[derive(Debug, thiserror::Error)]
pub enum StoresError {
    /// The store's own.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Records would be mixed or lost.
    #[error("the target store is not empty")]
    NotEmpty,
    /// Not what `export` wrote.
    #[error("line {line} can't be imported: {reason}")]
    ImportInvalid {
        /// Which, from 1.
        line: u64,
        /// Why.
        reason: String,
    },
    /// Not what `backup` wrote.
    #[error("{} is not a usable backup: {reason}", .path.display())]
    BackupInvalid {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The system's own.
    #[error("{}: {reason}", .path.display())]
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

impl Coded for StoresError {
    fn code(&self) -> Code {
        match self {
            Self::Storage(error) => error.code(),
            Self::NotEmpty => coeval_codes::NOT_EMPTY,
            Self::ImportInvalid { .. } => coeval_codes::IMPORT_INVALID,
            Self::BackupInvalid { .. } => coeval_codes::BACKUP_INVALID,
            Self::File { .. } => coeval_codes::FILE,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Storage(error) => error.advice(),
            Self::NotEmpty => "Choose an empty store. With --replace a restore or import removes everything first; with --merge an import adds to what is there.".into(),
            Self::ImportInvalid { .. } => "Import the file as `coeval store export` wrote it, whole. The store is fenced until an import succeeds.".into(),
            Self::BackupInvalid { .. } => "Use a file that `coeval store backup` finished.".into(),
            Self::File { .. } => "Check the path, the permissions and the free space.".into(),
        }
    }
}
