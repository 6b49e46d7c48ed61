//! Why a conversion can't be registered.

use crate::types::{Restriction, SchemaViolation};
use crate::version::Version;
use coeval_codes::Coded;
use serde_json::Value;
use std::fmt;

/// What is wrong with a conversion.
#[derive(Clone, Debug, PartialEq, Coded)]
pub enum ConversionError {
    /// A document of one version does not fit the other when it is shown there.
    #[code(
        CONVERSION_DOES_NOT_FIT,
        advice = "Add a step for what differs, give version {to} a default for what it requires, or let its schema accept what comes."
    )]
    DoesNotFit {
        /// The version that the document is of.
        from: Version,
        /// The version that it is shown at.
        to: Version,
        /// The document.
        example: Value,
        /// What it becomes.
        converted: Value,
        /// Why that does not fit.
        violations: Vec<SchemaViolation>,
    },
    /// More people would see a field than before.
    #[code(
        CONVERSION_WEAKENS,
        advice = format!("Mark {path_to} as {} too, or leave the field out with remove.", words(*marks_from))
    )]
    Weaker {
        /// The version that has the field.
        from: Version,
        /// The version that shows it.
        to: Version,
        /// Where it is.
        path_from: String,
        /// Where it is shown.
        path_to: String,
        /// How it is marked.
        marks_from: Restriction,
        /// How it is marked where it is shown.
        marks_to: Restriction,
    },
}

impl fmt::Display for ConversionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DoesNotFit {
                from,
                to,
                example,
                converted,
                violations,
            } => {
                write!(
                    f,
                    "{example} fits version {from}, and becomes {converted}, "
                )?;
                write!(f, "which does not fit version {to}")?;
                for (number, violation) in violations.iter().enumerate() {
                    let separator = if number == 0 { ": " } else { "; " };
                    write!(f, "{separator}{violation}")?;
                }
                Ok(())
            }
            Self::Weaker {
                from,
                to,
                path_from,
                path_to,
                marks_from,
                marks_to,
            } => {
                let (before, after) = (words(*marks_from), words(*marks_to));
                write!(
                    f,
                    "{path_from} is {before} in version {from}, and can be seen "
                )?;
                write!(f, "in version {to} at {path_to}, which is {after}")
            }
        }
    }
}

fn words(marks: Restriction) -> String {
    let word = marks.visibility;
    if marks.secure {
        format!("{word} and secure")
    } else {
        word.to_string()
    }
}

impl std::error::Error for ConversionError {}
