//! Who an entry is for, and how many a resource may have.

use serde::{Deserialize, Serialize};

/// Who an entry is for. Everybody sees those of the domains up to the own one.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "UPPERCASE")]
pub enum Domain {
    /// For the organization, and the provider.
    #[default]
    Tenant,
    /// For the provider alone.
    Provider,
}

impl Domain {
    /// The word on the wire.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Tenant => "TENANT",
            Self::Provider => "PROVIDER",
        }
    }
}

/// The most entries of one resource, of all domains and namespaces.
pub const MOST_ENTRIES: usize = 50;
