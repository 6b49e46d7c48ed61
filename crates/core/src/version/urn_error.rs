//! Why a text is not an id of the kind that was expected.

use super::urn::PREFIX;
use super::{Excerpt, NameFlaw, VersionError};
use coeval_codes::Coded;

/// Why a text is not an id of the kind that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum UrnError {
    /// Another kind of id, or no id at all.
    #[error("{text} does not begin with `{PREFIX}{kind}:`")]
    #[code(
        URN_INVALID,
        advice = form_advice(kind)
    )]
    Kind {
        /// What was sent.
        text: Excerpt,
        /// What was expected.
        kind: &'static str,
    },
    /// Too many or too few parts.
    #[error("after `{kind}` there are three parts separated by `:`, not {found}: {text}")]
    #[code(
        URN_INVALID,
        advice = form_advice(kind)
    )]
    Parts {
        /// What was sent.
        text: Excerpt,
        /// What was expected.
        kind: &'static str,
        /// How many there are.
        found: usize,
    },
    /// Not the name of a vendor.
    #[error("{text} is not a vendor: {flaw}")]
    #[code(NAME_INVALID, advice = "Use letters, digits, `_` and `-` only.")]
    Vendor {
        /// What was sent.
        text: Excerpt,
        /// What is wrong with it.
        flaw: NameFlaw,
    },
    /// Not an nss.
    #[error("{text} is not an nss: {flaw}")]
    #[code(NAME_INVALID, advice = "Use letters, digits, `_` and `-` only.")]
    Nss {
        /// What was sent.
        text: Excerpt,
        /// What is wrong with it.
        flaw: NameFlaw,
    },
    /// The version in it.
    #[error(transparent)]
    #[code(transparent)]
    Version(#[from] VersionError),
    /// The last part of an entity's id.
    #[error("{text} is not a uuid")]
    #[code(
        URN_INVALID,
        advice = "Copy the id as it was answered; it ends with 32 hexadecimal digits in five groups."
    )]
    Uuid {
        /// What was sent.
        text: Excerpt,
    },
}

fn form_advice(kind: &str) -> String {
    let last = match kind {
        "entity" => "<uuid>",
        _ => "<version>",
    };
    format!("Write {PREFIX}{kind}:<vendor>:<nss>:{last}.")
}
