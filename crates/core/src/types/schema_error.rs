//! Why a schema can't be used.

use super::limits;
use coeval_codes::{Code, Coded};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// Not a JSON Schema.
    #[error("not a valid JSON Schema: {0}")]
    Invalid(String),
    /// A `$schema` that nobody here knows.
    #[error("the dialect {0:?} is not known")]
    Dialect(String),
    /// It would have to be fetched.
    #[error("the reference {0:?} leads out of this schema")]
    RemoteRef(String),
    /// Nothing is there.
    #[error("the reference {0:?} leads to nothing")]
    DanglingRef(String),
    /// Too many bytes.
    #[error("the schema has {bytes} bytes, {max} at most")]
    TooLarge {
        /// So many.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Too many levels.
    #[error("the schema has more than {max} levels", max = limits::SCHEMA_DEPTH)]
    TooDeep,
    /// Too many references.
    #[error("the schema has more than {max} references", max = limits::SCHEMA_REFS)]
    TooManyRefs,
    /// Too many schemas, or too many that apply at once.
    #[error("the schema is too complex: {0}")]
    TooComplex(&'static str),
    /// A schema that applies itself to the same value.
    #[error("the schema refers to itself without a step into the value")]
    Endless,
    /// Look-around or a back-reference.
    #[error("the pattern {0:?} needs look-around or a back-reference")]
    PatternUnsupported(String),
    /// Not a pattern.
    #[error("the pattern {0:?} is not a regular expression")]
    PatternInvalid(String),
    /// Too large once its repetitions are written out.
    #[error("the pattern {0:?} is too costly")]
    PatternCost(String),
    /// Not a class of restriction.
    #[error("x-vcloud-restricted is {0}")]
    Restriction(String),
    /// Not the key of a list.
    #[error("{word} is no key: {why}")]
    ListKey {
        /// The keyword.
        word: &'static str,
        /// Why not, as a clause.
        why: String,
    },
}

/// A flaw and its place in the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {flaw}", if .pointer.is_empty() { "the schema" } else { .pointer })]
pub struct SchemaError {
    /// Where, as a JSON pointer into the schema.
    pub pointer: String,
    /// What.
    pub flaw: Flaw,
}

impl SchemaError {
    pub(crate) fn at(pointer: impl Into<String>, flaw: Flaw) -> Self {
        let pointer = pointer.into();
        Self { pointer, flaw }
    }
}

impl Coded for SchemaError {
    fn code(&self) -> Code {
        match self.flaw {
            Flaw::Invalid(_) => coeval_codes::SCHEMA_INVALID,
            Flaw::Dialect(_) => coeval_codes::SCHEMA_DIALECT_UNKNOWN,
            Flaw::RemoteRef(_) => coeval_codes::SCHEMA_REF_REMOTE,
            Flaw::DanglingRef(_) => coeval_codes::SCHEMA_REF_DANGLING,
            Flaw::TooLarge { .. } => coeval_codes::SCHEMA_TOO_LARGE,
            Flaw::TooDeep => coeval_codes::SCHEMA_TOO_DEEP,
            Flaw::TooManyRefs => coeval_codes::SCHEMA_TOO_MANY_REFS,
            Flaw::TooComplex(_) => coeval_codes::SCHEMA_TOO_COMPLEX,
            Flaw::Endless => coeval_codes::SCHEMA_ENDLESS,
            Flaw::PatternUnsupported(_) => coeval_codes::PATTERN_UNSUPPORTED,
            Flaw::PatternInvalid(_) => coeval_codes::PATTERN_INVALID,
            Flaw::PatternCost(_) => coeval_codes::PATTERN_TOO_COSTLY,
            Flaw::Restriction(_) => coeval_codes::RESTRICTION_INVALID,
            Flaw::ListKey { .. } => coeval_codes::LIST_KEY_INVALID,
        }
    }

    fn advice(&self) -> String {
        match self.flaw {
            Flaw::Invalid(_) => "Correct the keyword that the pointer names.",
            Flaw::Dialect(_) => {
                "Use draft 4, 6, 7, 2019-09 or 2020-12, or leave $schema out for draft 7."
            }
            Flaw::RemoteRef(_) => {
                "Copy what it refers to into definitions, and refer to it as #/definitions/…."
            }
            Flaw::DanglingRef(_) => "Correct the reference, or add what it should lead to.",
            Flaw::TooLarge { .. } => {
                "Shorten descriptions, or share repeated parts by local references."
            }
            Flaw::TooDeep => "Move inner parts to definitions and refer to them.",
            Flaw::TooManyRefs => "Write small schemas in place instead of referring to them.",
            Flaw::TooComplex(_) => "Use fewer allOf, anyOf and oneOf inside each other.",
            Flaw::Endless => "Put the reference under a property or an item.",
            Flaw::PatternUnsupported(_) => {
                "Say it with alternatives, or with several patterns under allOf and not."
            }
            Flaw::PatternInvalid(_) => "Correct it; it is read as ECMA-262 says.",
            Flaw::PatternCost(_) => {
                "Use smaller counts in {…}, or maxLength beside a simpler pattern."
            }
            Flaw::Restriction(_) => {
                "Use public, protected or private, and secure alone or beside one of them."
            }
            Flaw::ListKey { .. } => {
                "Declare it beside items, and name a scalar that the items declare, or several."
            }
        }
        .to_owned()
    }
}
