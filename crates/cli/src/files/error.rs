//! FileProblem files can't be used.

use coeval_codes::Coded;
use coeval_core::types::DocumentError;
use std::fmt;
use std::io;
use std::path::Path;

/// FileProblem one document or file can't be used.
#[derive(Debug, thiserror::Error, Coded)]
pub(crate) enum FileProblem {
    #[error("{0}")]
    #[code(FILE, advice = "Check the path and the permissions.")]
    File(io::Error),
    #[error("more than {0} files")]
    #[code(RESOURCE_FILE_INVALID, advice = "Give them in several runs.")]
    TooManyFiles(usize),
    #[error("no file in it ends with .yaml, .yml or .json")]
    #[code(
        RESOURCE_FILE_INVALID,
        advice = "Name the files, or look into its folders too with --recursive."
    )]
    EmptyFolder,
    #[error("stdin can be read once")]
    #[code(RESOURCE_FILE_INVALID, advice = "Give - once.")]
    StdinTwice,
    #[error("more than {0} bytes")]
    #[code(RESOURCE_FILE_INVALID, advice = "Give them in several runs.")]
    TooLarge(usize),
    #[error(transparent)]
    #[code(transparent)]
    Document(Box<DocumentError>),
    #[error("there is no resource in it")]
    #[code(
        RESOURCE_FILE_INVALID,
        advice = "A resource file has kind, version, metadata with a name, and spec; correct it."
    )]
    Nothing,
    #[error("more than {0} documents")]
    #[code(RESOURCE_FILE_INVALID, advice = "Give them in several runs.")]
    TooMany(usize),
    #[error("{0}")]
    #[code(
        RESOURCE_FILE_INVALID,
        advice = "A resource file has kind, version, metadata with a name, and spec; correct it."
    )]
    Field(String),
    #[error("{name} is a type, not a resource")]
    #[code(
        RESOURCE_FILE_OF_TYPE,
        advice = "Register it with `coeval type register`."
    )]
    Type { name: String },
    #[error("{name} is in {first} already")]
    #[code(RESOURCE_FILE_INVALID, advice = "Keep one of the two.")]
    Twice { name: String, first: String },
}

/// One thing that is wrong, and where.
#[derive(Debug)]
pub(crate) struct LocatedProblem {
    place: String,
    why: FileProblem,
}

impl LocatedProblem {
    pub(crate) const fn new(place: String, why: FileProblem) -> Self {
        Self { place, why }
    }

    pub(crate) fn of_file(path: &Path, why: FileProblem) -> Self {
        Self::new(path.display().to_string(), why)
    }
}

impl fmt::Display for LocatedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

/// All that is wrong with some files, at least one thing.
#[derive(Debug, Coded)]
#[code(from = first.why, advice = format!("{} Nothing was sent.", first.why.advice()))]
pub(crate) struct FilesError {
    first: LocatedProblem,
    others: Vec<LocatedProblem>,
}

impl FilesError {
    pub(crate) fn of(problems: Vec<LocatedProblem>) -> Option<Self> {
        let mut problems = problems.into_iter();
        Some(Self {
            first: problems.next()?,
            others: problems.collect(),
        })
    }
}

/// A line for each problem.
impl fmt::Display for FilesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.first)?;
        for other in &self.others {
            write!(f, "\n{other}")?;
        }
        Ok(())
    }
}

impl std::error::Error for FilesError {}
