//! Why a document is not converted.

use coeval_codes::{Code, Coded};
use coeval_core::convert::ConversionRefusal;
use coeval_core::types::{ContentError, DocumentError, TypeFileError};
use coeval_core::version::Version;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub(super) enum ConvertError {
    /// What the system says.
    #[error("{}: {reason}", named(path))]
    File { path: PathBuf, reason: String },
    #[error("{}", each_line(path, error))]
    Type {
        path: PathBuf,
        error: Box<TypeFileError>,
    },
    #[error("{}: {error}", named(path))]
    Document { path: PathBuf, error: DocumentError },
    /// Not written by this command.
    #[error("{}: {reason}", named(path))]
    Kept { path: PathBuf, reason: &'static str },
    #[error("the document does not fit version {version}: {}", violations(error))]
    Content {
        version: Version,
        error: ContentError,
    },
    #[error(transparent)]
    Refused(#[from] ConversionRefusal),
}

fn named(path: &Path) -> String {
    match path.to_str() {
        Some("-") => "stdin".to_owned(),
        _ => path.display().to_string(),
    }
}

fn each_line(path: &Path, error: &TypeFileError) -> String {
    let problems = error.problems();
    let lines: Vec<_> = problems
        .map(|problem| format!("{}: {problem}", named(path)))
        .collect();
    lines.join("\n")
}

fn violations(error: &ContentError) -> String {
    let all = error.violations().iter();
    all.map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl Coded for ConvertError {
    fn code(&self) -> Code {
        match self {
            Self::File { .. } => coeval_codes::FILE,
            Self::Type { error, .. } => error.code(),
            Self::Document { error, .. } => error.code(),
            Self::Kept { .. } => coeval_codes::KEPT_INVALID,
            Self::Content { error, .. } => error.code(),
            Self::Refused(refusal) => refusal.code(),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::File { .. } => "Check the path and the permissions.".to_owned(),
            Self::Type { error, .. } => error.advice(),
            Self::Document { error, .. } => error.advice(),
            Self::Kept { .. } => "Give a file that `coeval convert --kept` wrote.".to_owned(),
            Self::Content { .. } => {
                "Correct the fields that are named, or give --from the version that it is at."
                    .to_owned()
            }
            Self::Refused(refusal) => refusal.advice(),
        }
    }
}
