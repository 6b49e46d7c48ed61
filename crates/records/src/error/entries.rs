//! Why an entry can't be made, found or changed.

use crate::entry_domain::{Domain, MOST_ENTRIES};
use coeval_codes::Coded;
use coeval_core::version::Uuid;

/// Why an entry can't be made, found or changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum EntryError {
    /// There is none, or not for this caller.
    #[error("the resource has no metadata entry {id}")]
    #[code(
        ENTRY_UNKNOWN,
        advice = "List the resource's entries and use an id from there."
    )]
    Unknown {
        /// Which.
        id: Uuid,
    },
    /// Domain, namespace and key are taken.
    #[error("the resource has a metadata entry {key} in that domain and namespace already")]
    #[code(
        ENTRY_EXISTS,
        advice = "Update that entry, or choose another key or namespace."
    )]
    Exists {
        /// The key.
        key: String,
    },
    /// It can't be kept so.
    #[error("the metadata entry is not valid: {what}")]
    #[code(ENTRY_INVALID, advice = "Correct the entry and send it again.")]
    Invalid {
        /// What is wrong.
        what: String,
    },
    /// The limit is reached.
    #[error("the resource has {MOST_ENTRIES} metadata entries already")]
    #[code(
        ENTRIES_TOO_MANY,
        advice = "Delete entries that nobody needs, or put them into the content."
    )]
    TooMany,
    /// It would be protected from whoever makes it.
    #[error("an entry in one's own domain, {}, can't be read-only", domain.name())]
    #[code(
        ENTRY_FLAG_INVALID,
        advice = "Leave readOnly out, or, as the provider, note it in the domain TENANT."
    )]
    ReadOnlyInOwnDomain {
        /// The caller's.
        domain: Domain,
    },
    /// Tenants don't note for the provider.
    #[error("only the provider makes entries in the domain PROVIDER")]
    #[code(ENTRY_PROVIDERS, advice = "Use the domain TENANT.")]
    DomainAboveOwn,
    /// It is protected.
    #[error("the metadata entry is read-only for tenants")]
    #[code(
        ENTRY_PROVIDERS,
        advice = "Ask the provider, or make an entry of your own."
    )]
    ReadOnly,
}
