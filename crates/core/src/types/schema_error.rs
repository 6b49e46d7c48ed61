//! Why a schema can't be used.

use super::limits;
use coeval_codes::Coded;

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum SchemaFlaw {
    /// Not a JSON Schema.
    #[error("not a valid JSON Schema: {0}")]
    #[code(SCHEMA_INVALID, advice = "Correct the keyword that the pointer names.")]
    Invalid(String),
    /// A `$schema` that nobody here knows.
    #[error("the dialect {0:?} is not known")]
    #[code(
        SCHEMA_DIALECT_UNKNOWN,
        advice = "Use draft 4, 6, 7, 2019-09 or 2020-12, or leave $schema out for draft 7."
    )]
    Dialect(String),
    /// It would have to be fetched.
    #[error("the reference {0:?} leads out of this schema")]
    #[code(
        SCHEMA_REF_REMOTE,
        advice = "Copy what it refers to into definitions, and refer to it as #/definitions/…."
    )]
    RemoteRef(String),
    /// Nothing is there.
    #[error("the reference {0:?} leads to nothing")]
    #[code(
        SCHEMA_REF_DANGLING,
        advice = "Correct the reference, or add what it should lead to."
    )]
    DanglingRef(String),
    /// Too many bytes.
    #[error("the schema has {bytes} bytes, {max} at most")]
    #[code(
        SCHEMA_TOO_LARGE,
        advice = "Shorten descriptions, or share repeated parts by local references."
    )]
    TooLarge {
        /// So many.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Too many levels.
    #[error("the schema has more than {max} levels", max = limits::SCHEMA_DEPTH)]
    #[code(
        SCHEMA_TOO_DEEP,
        advice = "Move inner parts to definitions and refer to them."
    )]
    TooDeep,
    /// Too many references.
    #[error("the schema has more than {max} references", max = limits::SCHEMA_REFS)]
    #[code(
        SCHEMA_TOO_MANY_REFS,
        advice = "Write small schemas in place instead of referring to them."
    )]
    TooManyRefs,
    /// Too many schemas, or too many that apply at once.
    #[error("the schema is too complex: {0}")]
    #[code(
        SCHEMA_TOO_COMPLEX,
        advice = "Use fewer allOf, anyOf and oneOf inside each other."
    )]
    TooComplex(&'static str),
    /// A schema that applies itself to the same value.
    #[error("the schema refers to itself without a step into the value")]
    #[code(
        SCHEMA_ENDLESS,
        advice = "Put the reference under a property or an item."
    )]
    Endless,
    /// Look-around or a back-reference.
    #[error("the pattern {0:?} needs look-around or a back-reference")]
    #[code(
        PATTERN_UNSUPPORTED,
        advice = "Say it with alternatives, or with several patterns under allOf and not."
    )]
    PatternUnsupported(String),
    /// Not a pattern.
    #[error("the pattern {0:?} is not a regular expression")]
    #[code(PATTERN_INVALID, advice = "Correct it; it is read as ECMA-262 says.")]
    PatternInvalid(String),
    /// Too large once its repetitions are written out.
    #[error("the pattern {0:?} is too costly")]
    #[code(
        PATTERN_TOO_COSTLY,
        advice = "Use smaller counts in {{…}}, or maxLength beside a simpler pattern."
    )]
    PatternCost(String),
    /// Not a class of restriction.
    #[error("x-vcloud-restricted is {0}")]
    #[code(
        RESTRICTION_INVALID,
        advice = "Use public, protected or private, and secure alone or beside one of them."
    )]
    Restriction(String),
    /// Not the key of a list.
    #[error("{word} is no key: {why}")]
    #[code(
        LIST_KEY_INVALID,
        advice = "Declare it beside items, and name a scalar that the items declare, or several."
    )]
    ListKey {
        /// The keyword.
        word: &'static str,
        /// Why not, as a clause.
        why: String,
    },
}

/// A flaw and its place in the schema.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("{}: {flaw}", if .pointer.is_empty() { "the schema" } else { .pointer })]
#[code(from = flaw)]
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
