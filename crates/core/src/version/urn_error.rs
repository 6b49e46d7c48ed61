//! Why a text is not an id of the kind that was expected.

use super::urn::PREFIX;
use super::{Excerpt, NameFlaw, VersionError};
use coeval_codes::{Code, Coded};

/// Why a text is not an id of the kind that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrnError {
    /// Another kind of id, or no id at all.
    #[error("{text} does not begin with `{PREFIX}{kind}:`")]
    Kind {
        /// What was sent.
        text: Excerpt,
        /// What was expected.
        kind: &'static str,
    },
    /// Too many or too few parts.
    #[error("after `{kind}` there are three parts separated by `:`, not {found}: {text}")]
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
    Vendor {
        /// What was sent.
        text: Excerpt,
        /// What is wrong with it.
        flaw: NameFlaw,
    },
    /// Not an nss.
    #[error("{text} is not an nss: {flaw}")]
    Nss {
        /// What was sent.
        text: Excerpt,
        /// What is wrong with it.
        flaw: NameFlaw,
    },
    /// The version in it.
    #[error(transparent)]
    Version(#[from] VersionError),
    /// The last part of an entity's id.
    #[error("{text} is not a uuid")]
    Uuid {
        /// What was sent.
        text: Excerpt,
    },
}

impl Coded for UrnError {
    fn code(&self) -> Code {
        match self {
            Self::Kind { .. } | Self::Parts { .. } | Self::Uuid { .. } => coeval_codes::URN_INVALID,
            Self::Vendor { .. } | Self::Nss { .. } => coeval_codes::NAME_INVALID,
            Self::Version(error) => error.code(),
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::Kind { kind, .. } | Self::Parts { kind, .. } => {
                let last = match *kind {
                    // An entity's id ends with its uuid, all others with a version.
                    "entity" => "<uuid>",
                    _ => "<version>",
                };
                format!("Write {PREFIX}{kind}:<vendor>:<nss>:{last}.")
            }
            Self::Vendor { .. } | Self::Nss { .. } => {
                "Use letters, digits, `_` and `-` only.".to_owned()
            }
            Self::Version(error) => error.advice(),
            Self::Uuid { .. } => {
                "Copy the id as it was answered; it ends with 32 hexadecimal digits in five groups."
                    .to_owned()
            }
        }
    }
}
