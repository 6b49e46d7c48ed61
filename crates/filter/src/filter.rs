//! Filters as front ends build them.

use crate::field::FilterField;
use crate::operand::Operand;
use serde::{Deserialize, Serialize};

/// Which resources are wanted. A field that leads to several values passes a comparison if any of them does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Filter {
    /// All of them; of none: everything.
    And(Vec<Self>),
    /// Any of them; of none: nothing.
    Or(Vec<Self>),
    /// What does not match it.
    Not(Box<Self>),
    /// One comparison.
    Test(FieldTest),
}

/// One comparison.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldTest {
    /// What is compared.
    pub field: FilterField,
    /// How, and with what.
    pub compare: FieldComparison,
    /// Where it stands in what the caller wrote, for errors; it changes nothing else.
    #[serde(skip)]
    pub at: Option<usize>,
}

/// How a field is compared. A missing field passes `NotEqual` and nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FieldComparison {
    /// Some value equals it, or is of the pattern.
    Equal(Operand),
    /// No value does.
    NotEqual(Operand),
    /// Some value comes before it.
    Less(Operand),
    /// Some value comes before it or at it.
    LessOrEqual(Operand),
    /// Some value comes after it.
    Greater(Operand),
    /// Some value comes after it or at it.
    GreaterOrEqual(Operand),
    /// Some value equals one of these.
    In(Vec<Operand>),
    /// There is a value; null is one.
    Exists,
}

impl Filter {
    /// One comparison that nobody wrote down at a place.
    #[must_use]
    pub const fn test(field: FilterField, compare: FieldComparison) -> Self {
        Self::Test(FieldTest {
            field,
            compare,
            at: None,
        })
    }
}
