//! The ACL that a new type version begins with.
//!
//! A version that is newer than all others inherits from the one before it. One that is older than
//! an existing version inherits nothing unless it says from which: it may be meant for few. What
//! was inherited is reported, so that nobody wonders why tenants don't see a version.

use crate::Acl;
use coeval_codes::Coded;
use coeval_core::version::Version;

/// What a definition says about it (`inheritedVersion`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclaredInheritance {
    /// Nothing.
    Absent,
    /// `"0"`: inherit nothing.
    Nothing,
    /// Inherit from this one.
    From(Version),
}

/// What a new version inherits, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InheritedAcl {
    /// From the version that the definition names.
    AsSaid(Version),
    /// From the version before it.
    FromPrevious(Version),
    /// Nothing: the definition says so.
    NothingAsSaid,
    /// Nothing: it is the first version of the type.
    NothingAsFirst,
    /// Nothing: this newer version exists already.
    NothingAsOlder {
        /// The newest.
        than: Version,
    },
}

impl InheritedAcl {
    /// The version whose ACL it gets.
    #[must_use]
    pub const fn version(self) -> Option<Version> {
        match self {
            Self::AsSaid(version) | Self::FromPrevious(version) => Some(version),
            Self::NothingAsSaid | Self::NothingAsFirst | Self::NothingAsOlder { .. } => None,
        }
    }
}

/// The definition wants to inherit from a version that does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("there is no version {0} of the type to inherit access from")]
#[code(
    INHERITED_VERSION_UNKNOWN,
    advice = "Name a version of the type that exists, `0` to inherit nothing, or leave it out to inherit from the version before."
)]
pub struct NothingToInheritFrom(Version);

/// Which version's ACL a new version gets. The new version may be among the existing ones.
pub fn inherits_from(
    existing: impl IntoIterator<Item = Version>,
    new: Version,
    said: DeclaredInheritance,
) -> Result<InheritedAcl, NothingToInheritFrom> {
    // Registered again, a version would inherit from itself.
    let mut others = existing.into_iter().filter(|version| *version != new);
    let inherits = match said {
        DeclaredInheritance::Nothing => InheritedAcl::NothingAsSaid,
        // Named by the definition: taken, whether it is higher or lower.
        DeclaredInheritance::From(version) if others.any(|other| other == version) => {
            InheritedAcl::AsSaid(version)
        }
        DeclaredInheritance::From(version) => return Err(NothingToInheritFrom(version)),
        // Without a word the newest one decides; a version that is older than that inherits
        // nothing.
        DeclaredInheritance::Absent => match others.max() {
            None => InheritedAcl::NothingAsFirst,
            Some(newest) if newest > new => InheritedAcl::NothingAsOlder { than: newest },
            Some(previous) => InheritedAcl::FromPrevious(previous),
        },
    };
    Ok(inherits)
}

/// The ACL of a new version: what it inherits, and full control for its creator.
#[must_use]
pub fn new_version_acl(inherited: Option<&Acl>, creator: &str) -> Acl {
    let mut acl = inherited.cloned().unwrap_or_default();
    acl.grant_to_owner(creator);
    acl
}

#[cfg(test)]
mod tests;
