//! Why a type file can't be used: every problem with its line.

use super::limits;
use super::position::Position;
use super::schema_error::SchemaError;
use coeval_codes::Coded;
use std::fmt;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum FileError {
    /// Neither YAML nor JSON.
    #[error("the file can't be read: {0}")]
    #[code(
        TYPE_FILE_SYNTAX,
        advice = "Correct the line; mostly it is the indentation, a quote or a comma."
    )]
    Syntax(String),
    /// Too many bytes.
    #[error("the file has {0} bytes, {max} at most", max = limits::FILE_BYTES)]
    #[code(
        TYPE_FILE_TOO_LARGE,
        advice = "Shorten descriptions, or share parts of the schema by local references."
    )]
    TooLarge(usize),
    /// Too many levels.
    #[error("the file has more than {max} levels", max = limits::FILE_DEPTH)]
    #[code(
        TYPE_FILE_TOO_DEEP,
        advice = "Move inner parts of the schema to definitions."
    )]
    TooDeep,
    /// Too many values, aliases written out.
    #[error("the file has more than {max} values, aliases written out", max = limits::FILE_NODES)]
    #[code(
        TYPE_FILE_TOO_MANY_NODES,
        advice = "Use local references in the schema instead of YAML aliases."
    )]
    TooManyNodes,
    /// YAML that JSON can't say.
    #[error("{0} has no meaning in JSON")]
    #[code(
        TYPE_FILE_YAML,
        advice = "Write it as JSON would, with quotes around what is a text."
    )]
    Yaml(String),
    /// The same key again.
    #[error("the key {0:?} is there twice")]
    #[code(TYPE_KEY_TWICE, advice = "Remove one of the two.")]
    KeyTwice(String),
    /// Not a key of this place.
    #[error("the key {key:?} is not known here{}", hint(.nearest))]
    #[code(
        TYPE_KEY_UNKNOWN,
        advice = "Correct or remove it; docs/types.md lists all keys."
    )]
    KeyUnknown {
        /// What was found.
        key: String,
        /// What was perhaps meant.
        nearest: Option<&'static str>,
    },
    /// It is needed.
    #[error("the key {0:?} is missing")]
    #[code(
        TYPE_KEY_MISSING,
        advice = "Add it; docs/types.md shows every key by example."
    )]
    KeyMissing(&'static str),
    /// Not what the key takes.
    #[error("{0}")]
    #[code(
        TYPE_VALUE_INVALID,
        advice = "Correct the value; docs/types.md shows every key by example."
    )]
    Value(String),
    /// A number that would be changed; how it begins.
    #[error("the number {0} can't be held exactly in 64 bits")]
    #[code(
        TYPE_VALUE_INVALID,
        advice = "Write it as a text, or with the digits that 64 bits can hold."
    )]
    Number(String),
    /// `metadata.name` and `spec` differ.
    #[error("the name is {found:?}, and the spec says {expected:?}")]
    #[code(
        TYPE_NAME_MISMATCH,
        advice = "Make metadata.name vendor:nss:version of the spec."
    )]
    Name {
        /// What `metadata.name` is.
        found: String,
        /// What it must be.
        expected: String,
    },
    /// Not a path to a field of the schema.
    #[error("the path {path:?} can't be used: {reason}")]
    #[code(
        TYPE_PATH_INVALID,
        advice = "Name a field that the schema declares, as a JSON pointer; * stands for every item."
    )]
    Path {
        /// Which.
        path: String,
        /// Why.
        reason: &'static str,
    },
    /// Too many of them.
    #[error("{0} indexes, {max} at most", max = limits::INDEXES)]
    #[code(
        TYPE_INDEXES_TOO_MANY,
        advice = "Keep the indexes that filters use most."
    )]
    TooManyIndexes(usize),
    /// The schema.
    #[error("{0}")]
    #[code(transparent)]
    Schema(SchemaError),
    /// A step of the conversion.
    #[error("a step of the conversion is wrong: {0}")]
    #[code(
        CONVERSION_STEP,
        advice = "Correct the step; docs/conversions.md shows each by example."
    )]
    Step(String),
}

fn hint(nearest: &Option<&'static str>) -> String {
    nearest.map_or_else(String::new, |key| format!("; did you mean {key:?}?"))
}

/// A problem and its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("{position}: {found}")]
#[code(from = found)]
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

/// All problems of a type file, at least one, in the order of their lines.
#[derive(Clone, Debug, PartialEq, Eq, Coded)]
#[code(from = first)]
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
