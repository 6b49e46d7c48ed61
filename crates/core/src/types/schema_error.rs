//! Why a schema can't be used.

use super::limits;
use coeval_codes::{Code, Coded};

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFlaw {
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
    pub flaw: SchemaFlaw,
}

impl SchemaError {
    pub(crate) fn at(pointer: impl Into<String>, flaw: SchemaFlaw) -> Self {
        let pointer = pointer.into();
        Self { pointer, flaw }
    }
}

impl Coded for SchemaError {
    fn code(&self) -> Code {
        match self.flaw {
            SchemaFlaw::Invalid(_) => coeval_codes::SCHEMA_INVALID,
            SchemaFlaw::Dialect(_) => coeval_codes::SCHEMA_DIALECT_UNKNOWN,
            SchemaFlaw::RemoteRef(_) => coeval_codes::SCHEMA_REF_REMOTE,
            SchemaFlaw::DanglingRef(_) => coeval_codes::SCHEMA_REF_DANGLING,
            SchemaFlaw::TooLarge { .. } => coeval_codes::SCHEMA_TOO_LARGE,
            SchemaFlaw::TooDeep => coeval_codes::SCHEMA_TOO_DEEP,
            SchemaFlaw::TooManyRefs => coeval_codes::SCHEMA_TOO_MANY_REFS,
            SchemaFlaw::TooComplex(_) => coeval_codes::SCHEMA_TOO_COMPLEX,
            SchemaFlaw::Endless => coeval_codes::SCHEMA_ENDLESS,
            SchemaFlaw::PatternUnsupported(_) => coeval_codes::PATTERN_UNSUPPORTED,
            SchemaFlaw::PatternInvalid(_) => coeval_codes::PATTERN_INVALID,
            SchemaFlaw::PatternCost(_) => coeval_codes::PATTERN_TOO_COSTLY,
            SchemaFlaw::Restriction(_) => coeval_codes::RESTRICTION_INVALID,
            SchemaFlaw::ListKey { .. } => coeval_codes::LIST_KEY_INVALID,
        }
    }

    fn advice(&self) -> String {
        match self.flaw {
            SchemaFlaw::Invalid(_) => "Correct the keyword that the pointer names.",
            SchemaFlaw::Dialect(_) => {
                "Use draft 4, 6, 7, 2019-09 or 2020-12, or leave $schema out for draft 7."
            }
            SchemaFlaw::RemoteRef(_) => {
                "Copy what it refers to into definitions, and refer to it as #/definitions/…."
            }
            SchemaFlaw::DanglingRef(_) => "Correct the reference, or add what it should lead to.",
            SchemaFlaw::TooLarge { .. } => {
                "Shorten descriptions, or share repeated parts by local references."
            }
            SchemaFlaw::TooDeep => "Move inner parts to definitions and refer to them.",
            SchemaFlaw::TooManyRefs => "Write small schemas in place instead of referring to them.",
            SchemaFlaw::TooComplex(_) => "Use fewer allOf, anyOf and oneOf inside each other.",
            SchemaFlaw::Endless => "Put the reference under a property or an item.",
            SchemaFlaw::PatternUnsupported(_) => {
                "Say it with alternatives, or with several patterns under allOf and not."
            }
            SchemaFlaw::PatternInvalid(_) => "Correct it; it is read as ECMA-262 says.",
            SchemaFlaw::PatternCost(_) => {
                "Use smaller counts in {…}, or maxLength beside a simpler pattern."
            }
            SchemaFlaw::Restriction(_) => {
                "Use public, protected or private, and secure alone or beside one of them."
            }
            SchemaFlaw::ListKey { .. } => {
                "Declare it beside items, and name a scalar that the items declare, or several."
            }
        }
        .to_owned()
    }
}
