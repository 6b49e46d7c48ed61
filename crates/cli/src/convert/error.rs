//! Why a document is not converted.

use coeval_codes::Coded;
use coeval_core::convert::ConversionRefusal;
use coeval_core::types::{ContentError, DocumentError, TypeFileError};
use coeval_core::version::Version;
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error, Coded)]
pub(super) enum ConvertError {
    /// What the system says.
    #[error("{}: {reason}", named(path))]
    #[code(FILE, advice = "Check the path and the permissions.")]
    File { path: PathBuf, reason: String },
    #[error("{}", each_line(path, error))]
    #[code(from = error)]
    Type {
        path: PathBuf,
        error: Box<TypeFileError>,
    },
    #[error("{}: {error}", named(path))]
    #[code(from = error)]
    Document { path: PathBuf, error: DocumentError },
    /// Not written by this command.
    #[error("{}: {reason}", named(path))]
    #[code(
        KEPT_INVALID,
        advice = "Give a file that `coeval convert --kept` wrote."
    )]
    Kept { path: PathBuf, reason: &'static str },
    #[error("the document does not fit version {version}: {}", violations(error))]
    #[code(
        from = error,
        advice = "Correct the fields that are named, or give --from the version that it is at."
    )]
    Content {
        version: Version,
        error: ContentError,
    },
    #[error(transparent)]
    #[code(transparent)]
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
