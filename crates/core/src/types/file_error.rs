//! Why a type file can't be used: every problem with its line.

use super::limits;
use super::position::Position;
use super::schema_error::SchemaError;
use coeval_codes::{Code, Coded};
use std::fmt;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Neither YAML nor JSON.
    #[error("the file can't be read: {0}")]
    Syntax(String),
    /// Too many bytes.
    #[error("the file has {0} bytes, {max} at most", max = limits::FILE_BYTES)]
    TooLarge(usize),
    /// Too many levels.
    #[error("the file has more than {max} levels", max = limits::FILE_DEPTH)]
    TooDeep,
    /// Too many values, aliases written out.
    #[error("the file has more than {max} values, aliases written out", max = limits::FILE_NODES)]
    TooManyNodes,
    /// YAML that JSON can't say.
    #[error("{0} has no meaning in JSON")]
    Yaml(String),
    /// The same key again.
    #[error("the key {0:?} is there twice")]
    KeyTwice(String),
    /// Not a key of this place.
    #[error("the key {key:?} is not known here{}", hint(.nearest))]
    KeyUnknown {
        /// What was found.
        key: String,
        /// What was perhaps meant.
        nearest: Option<&'static str>,
    },
    /// It is needed.
    #[error("the key {0:?} is missing")]
    KeyMissing(&'static str),
    /// Not what the key takes.
    #[error("{0}")]
    Value(String),
    /// A number that would be changed; how it begins.
    #[error("the number {0} can't be held exactly in 64 bits")]
    Number(String),
    /// `metadata.name` and `spec` differ.
    #[error("the name is {found:?}, and the spec says {expected:?}")]
    Name {
        /// What `metadata.name` is.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// Not a path to a field of the schema.
    #[error("the path {path:?} can't be used: {reason}")]
    Path {
        /// Which.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// Too many of them.
    #[error("{0} indexes, {max} at most", max = limits::INDEXES)]
    TooManyIndexes(usize),
    /// The schema.
    #[error("{0}")]
    Schema(SchemaError),
    /// A step of the conversion.
    #[error("a step of the conversion is wrong: {0}")]
    Step(String),
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |key| format!("; did you mean {key:?}?"))
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {found}")]
pub struct FileProblem {
    /// Where.
    pub position: Position,
    /// What.
    pub found: FileError,
}

impl FileProblem {
    pub(crate) const fn at(position: Position, found: FileError) -> Self {
        Self { position, found }
    }
}

impl Coded for FileProblem {
    fn code(&self) -> Code {
        match &self.found {
            FileError::Syntax(_) => coeval_codes::TYPE_FILE_SYNTAX,
            FileError::TooLarge(_) => coeval_codes::TYPE_FILE_TOO_LARGE,
            FileError::TooDeep => coeval_codes::TYPE_FILE_TOO_DEEP,
            FileError::TooManyNodes => coeval_codes::TYPE_FILE_TOO_MANY_NODES,
            FileError::Yaml(_) => coeval_codes::TYPE_FILE_YAML,
            FileError::KeyTwice(_) => coeval_codes::TYPE_KEY_TWICE,
            FileError::KeyUnknown { .. } => coeval_codes::TYPE_KEY_UNKNOWN,
            FileError::KeyMissing(_) => coeval_codes::TYPE_KEY_MISSING,
            FileError::Value(_) | FileError::Number(_) => coeval_codes::TYPE_VALUE_INVALID,
            FileError::Name { .. } => coeval_codes::TYPE_NAME_MISMATCH,
            FileError::Path { .. } => coeval_codes::TYPE_PATH_INVALID,
            FileError::TooManyIndexes(_) => coeval_codes::TYPE_INDEXES_TOO_MANY,
            FileError::Schema(error) => error.code(),
            FileError::Step(_) => coeval_codes::CONVERSION_STEP,
        }
    }

    fn advice(&self) -> String {
        match &self.found {
            FileError::Syntax(_) => {
                "Correct the line; mostly it is the indentation, a quote or a comma."
            }
            FileError::TooLarge(_) => {
                "Shorten descriptions, or share parts of the schema by local references."
            }
            FileError::TooDeep => "Move inner parts of the schema to definitions.",
            FileError::TooManyNodes => {
                "Use local references in the schema instead of YAML aliases."
            }
            FileError::Yaml(_) => "Write it as JSON would, with quotes around what is a text.",
            FileError::KeyTwice(_) => "Remove one of the two.",
            FileError::KeyUnknown { .. } => "Correct or remove it; docs/types.md lists all keys.",
            FileError::KeyMissing(_) => "Add it; docs/types.md shows every key by example.",
            FileError::Value(_) => "Correct the value; docs/types.md shows every key by example.",
            FileError::Number(_) => "Write it as a text, or with the digits that 64 bits can hold.",
            FileError::Name { .. } => "Make metadata.name vendor:nss:version of the spec.",
            FileError::Path { .. } => {
                "Name a field that the schema declares, as a JSON pointer; * stands for every item."
            }
            FileError::TooManyIndexes(_) => "Keep the indexes that filters use most.",
            FileError::Schema(error) => return error.advice(),
            FileError::Step(_) => "Correct the step; docs/conversions.md shows each by example.",
        }
        .to_owned()
    }
}

/// All problems of a type file, at least one, in the order of their lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeFileError {
    first: FileProblem,
    others: Vec<FileProblem>,
}

impl TypeFileError {
    /// Of problems in any order; `None` if there are none.
    pub(crate) fn of(mut problems: Vec<FileProblem>) -> Option<Self> {
        problems.sort_by_key(|problem| problem.position);
        let mut rest = problems.into_iter();
        let first = rest.next()?;
        let others = rest.collect();
        Some(Self { first, others })
    }

    pub(crate) const fn one(first: FileProblem) -> Self {
        let others = Vec::new();
        Self { first, others }
    }

    /// Each of them.
    pub fn problems(&self) -> impl Iterator<Item = &FileProblem> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl fmt::Display for TypeFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.first, f)?;
        self.others
            .iter()
            .try_for_each(|problem| write!(f, "\n{problem}"))
    }
}

impl std::error::Error for TypeFileError {}

impl Coded for TypeFileError {
    fn code(&self) -> Code {
        self.first.code()
    }

    fn advice(&self) -> String {
        self.first.advice()
    }
}
