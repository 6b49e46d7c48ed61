//! From the files of a release to the model.
//!
//! Every reader takes what a file holds and gives a part of a [`ReleaseSurface`], or says what is wrong
//! with the file and in which one. None of them trusts its input: references may lead nowhere or in
//! circles, and whatever is too deep is refused before it is followed.

mod catalog;
mod descriptors;
mod folder;
mod openapi;

pub use descriptors::read_descriptors;
pub use folder::{catalog_by_key, read_kept_releases, read_surface};
pub use openapi::read_openapi;

pub use catalog::{
    read_commands, read_errors, read_kind_version, read_levels, read_metrics, read_outputs,
};

use std::path::PathBuf;

/// Why a release can't be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file is missing, or can't be opened.
    #[error("can't read {}: {source}", file.display())]
    Unreadable {
        /// Which file.
        file: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It does not hold what its name says.
    #[error("{} is not valid: {problem}", file.display())]
    Invalid {
        /// Which file.
        file: PathBuf,
        /// What is wrong.
        problem: DocumentProblem,
    },
}

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DocumentProblem(pub(crate) String);

impl DocumentProblem {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}
