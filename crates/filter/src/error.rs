//! Why a filter or an order is refused.

use crate::limits;
use coeval_codes::Coded;
use std::fmt;

/// A limit of filters, and how much it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterLimit {
    /// Comparisons, connectives and items of lists.
    Nodes,
    /// Levels.
    Depth,
    /// Bytes of an operand.
    OperandBytes,
    /// Wildcards of a pattern.
    Wildcards,
    /// Bytes of a field's name or path.
    FieldBytes,
    /// Fields of an order.
    OrderFields,
}

impl fmt::Display for FilterLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (most, of) = match self {
            Self::Nodes => (limits::NODES, "parts"),
            Self::Depth => (limits::DEPTH, "levels"),
            Self::OperandBytes => (limits::OPERAND_BYTES, "bytes in one operand"),
            Self::Wildcards => (limits::WILDCARDS, "wildcards in one pattern"),
            Self::FieldBytes => (limits::FIELD_BYTES, "bytes in a field's path"),
            Self::OrderFields => (limits::ORDER_FIELDS, "fields in an order"),
        };
        write!(f, "{most} {of}")
    }
}

/// A filter or an order that is not evaluated, and where the trouble is if the front end said it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum FilterError {
    /// More than is evaluated.
    #[error("there may be {limit} at most{}", ErrorPosition(*at))]
    #[code(
        FILTER_TOO_LARGE,
        advice = "Ask in several smaller queries, or use a list instead of many alternatives: the limit is {limit}."
    )]
    TooMuch {
        /// Of what.
        limit: FilterLimit,
        /// Where, as the front end counts.
        at: Option<usize>,
    },
    /// A field that does not exist, or a path that is none.
    #[error("{name:?} names no field: {why}{}", ErrorPosition(*at))]
    #[code(
        FILTER_FIELD_INVALID,
        advice = "Name a field of the header, a label (labels.env) or a path into the content (spec.size, entity.size at the RDE API); names with dots are escaped."
    )]
    NoField {
        /// What was given, cut short.
        name: String,
        /// Why, as a clause.
        why: &'static str,
        /// Where, as the front end counts.
        at: Option<usize>,
    },
    /// An operand that the comparison or the field can't have.
    #[error("{operand:?} can't be compared so: {why}{}", ErrorPosition(*at))]
    #[code(
        FILTER_OPERAND_INVALID,
        advice = "Change the value or the comparison: {why}."
    )]
    Operand {
        /// What was given, cut short.
        operand: String,
        /// Why, as a clause.
        why: &'static str,
        /// Where, as the front end counts.
        at: Option<usize>,
    },
}

struct ErrorPosition(Option<usize>);

impl fmt::Display for ErrorPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(at) => write!(f, " (at position {at})"),
            None => Ok(()),
        }
    }
}

impl FilterError {
    pub(crate) const fn too_much(limit: FilterLimit) -> Self {
        Self::TooMuch { limit, at: None }
    }

    #[must_use]
    pub fn no_field(name: &str, why: &'static str) -> Self {
        let name = excerpt(name);
        Self::NoField {
            name,
            why,
            at: None,
        }
    }

    pub(crate) fn operand(operand: &str, why: &'static str) -> Self {
        Self::Operand {
            operand: excerpt(operand),
            why,
            at: None,
        }
    }

    /// The same with a place, unless it has one already.
    #[must_use]
    pub fn placed(mut self, place: Option<usize>) -> Self {
        match &mut self {
            Self::TooMuch { at, .. } | Self::NoField { at, .. } | Self::Operand { at, .. } => {
                *at = at.or(place);
            }
        }
        self
    }

    /// Where the trouble is, as the front end counts.
    #[must_use]
    pub const fn at(&self) -> Option<usize> {
        match self {
            Self::TooMuch { at, .. } | Self::NoField { at, .. } | Self::Operand { at, .. } => *at,
        }
    }
}

fn excerpt(text: &str) -> String {
    const MOST: usize = 60;
    let mut cut: String = text.chars().take(MOST).collect();
    if cut.len() < text.len() {
        cut.push('…');
    }
    cut
}
