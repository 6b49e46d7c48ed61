//! What is stored about the thing that an action is on.

use crate::{AccessLevel, Acl, ResourceHome};
use coeval_core::version::{TypeName, Version};

/// What a type version is to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionFacts {
    /// Which one.
    pub version: Version,
    /// What its ACL grants to the caller.
    pub level: Option<AccessLevel>,
    /// Up to where that level stands in for a right of the type (`maxImplicitRight`).
    pub max_implicit: Option<AccessLevel>,
}

impl VersionFacts {
    /// A version whose ACL stands in for no right.
    #[must_use]
    pub const fn new(version: Version, level: Option<AccessLevel>) -> Self {
        let max_implicit = None;
        Self {
            version,
            level,
            max_implicit,
        }
    }

    /// What is granted at either of two versions that one resource is at.
    #[must_use]
    pub fn or(self, other: &Self) -> Self {
        Self {
            level: self.level.max(other.level),
            // What is implied at each, not the caps: the level of one must not meet the cap of the
            // other.
            max_implicit: self.implied().max(other.implied()),
            ..self
        }
    }

    /// The level whose matching right the caller has without holding it.
    pub(crate) fn implied(&self) -> Option<AccessLevel> {
        // `None` is the lowest: without a level or without a cap nothing is implied.
        self.level.min(self.max_implicit)
    }
}

/// A resource's ACL, as far as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AclFacts<'a> {
    /// Not read yet. The decision says if it matters.
    NotLoaded,
    /// As stored.
    Loaded(&'a Acl),
}

/// A stored resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceFacts<'a> {
    /// Its type.
    pub of: TypeName<'a>,
    /// The type version that it is stored at.
    pub version: VersionFacts,
    /// Whose it is.
    pub home: ResourceHome<'a>,
    /// The user who owns it, if any does. An owner has full control whatever the ACL says.
    pub owner: Option<&'a str>,
    /// What it grants.
    pub acl: AclFacts<'a>,
}
