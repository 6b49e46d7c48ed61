//! Why an entry can't be made, found or changed.

use crate::entry_domain::{Domain, MOST_ENTRIES};
use coeval_codes::{Code, Coded};
use coeval_core::version::Uuid;

/// Why an entry can't be made, found or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// There is none, or not for this caller.
    #[error("the resource has no metadata entry {id}")]
    Unknown {
        /// Which.
        id: Uuid,
    },
    /// Domain, namespace and key are taken.
    #[error("the resource has a metadata entry {key} in that domain and namespace already")]
    Exists {
        /// The key.
        key: String,
    },
    /// It can't be kept so.
    #[error("the metadata entry is not valid: {what}")]
    Invalid {
        /// What is wrong.
        what: String,
    },
    /// The limit is reached.
    #[error("the resource has {MOST_ENTRIES} metadata entries already")]
    TooMany,
    /// It would be protected from whoever makes it.
    #[error("an entry in one's own domain, {}, can't be read-only", domain.name())]
    ReadOnlyInOwnDomain {
        /// The caller's.
        domain: Domain,
    },
    /// Tenants don't note for the provider.
    #[error("only the provider makes entries in the domain PROVIDER")]
    DomainAboveOwn,
    /// It is protected.
    #[error("the metadata entry is read-only for tenants")]
    ReadOnly,
}

impl Coded for EntryError {
    fn code(&self) -> Code {
        match self {
            Self::Unknown { .. } => coeval_codes::ENTRY_UNKNOWN,
            Self::Exists { .. } => coeval_codes::ENTRY_EXISTS,
            Self::Invalid { .. } => coeval_codes::ENTRY_INVALID,
            Self::TooMany => coeval_codes::ENTRIES_TOO_MANY,
            Self::ReadOnlyInOwnDomain { .. } => coeval_codes::ENTRY_FLAG_INVALID,
            Self::DomainAboveOwn | Self::ReadOnly => coeval_codes::ENTRY_PROVIDERS,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::Unknown { .. } => "List the resource's entries and use an id from there.",
            Self::Exists { .. } => "Update that entry, or choose another key or namespace.",
            Self::Invalid { .. } => "Correct the entry and send it again.",
            Self::TooMany => "Delete entries that nobody needs, or put them into the content.",
            Self::ReadOnlyInOwnDomain { .. } => {
                "Leave readOnly out, or, as the provider, note it in the domain TENANT."
            }
            Self::DomainAboveOwn => "Use the domain TENANT.",
            Self::ReadOnly => "Ask the provider, or make an entry of your own.",
        };
        text.to_owned()
    }
}
