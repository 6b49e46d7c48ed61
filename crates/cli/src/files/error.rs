//! Why files can't be used.

use coeval_codes::{Code, Coded};
use coeval_core::types::DocumentError;
use std::fmt;
use std::io;
use std::path::Path;

/// Why one document or file can't be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileProblem {
    #[error("{0}")]
    File(io::Error),
    #[error("more than {0} files")]
    TooManyFiles(usize),
    #[error("no file in it ends with .yaml, .yml or .json")]
    EmptyFolder,
    #[error("stdin can be read once")]
    StdinTwice,
    #[error("more than {0} bytes")]
    TooLarge(usize),
    #[error(transparent)]
    Document(Box<DocumentError>),
    #[error("there is no resource in it")]
    Nothing,
    #[error("more than {0} documents")]
    TooMany(usize),
    #[error("{0}")]
    Field(String),
    #[error("{name} is a type, not a resource")]
    Type { name: String },
    #[error("{name} is in {first} already")]
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
#[derive(Debug)]
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

impl Coded for FilesError {
    fn code(&self) -> Code {
        match &self.first.why {
            FileProblem::File(_) => coeval_codes::FILE,
            FileProblem::Document(error) => error.code(),
            FileProblem::Type { .. } => coeval_codes::RESOURCE_FILE_OF_TYPE,
            _ => coeval_codes::RESOURCE_FILE_INVALID,
        }
    }

    fn advice(&self) -> String {
        let own = match &self.first.why {
            FileProblem::File(_) => "Check the path and the permissions.",
            FileProblem::Document(error) => return format!("{} Nothing was sent.", error.advice()),
            FileProblem::Type { .. } => "Register it with `coeval type register`.",
            FileProblem::Twice { .. } => "Keep one of the two.",
            FileProblem::EmptyFolder => {
                "Name the files, or look into its folders too with --recursive."
            }
            FileProblem::TooMany(_) | FileProblem::TooManyFiles(_) | FileProblem::TooLarge(_) => {
                "Give them in several runs."
            }
            FileProblem::StdinTwice => "Give - once.",
            FileProblem::Nothing | FileProblem::Field(_) => {
                "A resource file has kind, version, metadata with a name, and spec; correct it."
            }
        };
        format!("{own} Nothing was sent.")
    }
}
