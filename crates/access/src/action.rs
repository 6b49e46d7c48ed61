//! What can be done, and the level that it takes.

use crate::{AccessLevel, GeneralRight, VersionFacts};
use std::fmt;

/// What can be done with a stored resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceAction {
    /// Get it, list it, watch it.
    Read,
    /// Change its content, name or metadata.
    Modify,
    /// Validate it and settle its state.
    Resolve,
    /// Delete it.
    Delete,
    /// Store it at another type version, which must be visible too. For a version that does not exist
    /// say that nothing is granted on it, so that the answer is the same.
    ChangeVersion(VersionFacts),
    /// Give it to another user.
    ChangeOwner,
    /// Override what protects it.
    Force,
    /// See who is granted what.
    ReadAcl,
    /// Grant this level, or take such a grant away.
    ChangeAcl(AccessLevel),
    /// Read its secrets in clear.
    ReadSecrets,
}

impl ResourceAction {
    /// The level that it takes.
    #[must_use]
    pub const fn needs(self) -> AccessLevel {
        match self {
            Self::Read | Self::ReadAcl => AccessLevel::ReadOnly,
            Self::Modify | Self::Resolve | Self::ChangeAcl(_) => AccessLevel::ReadWrite,
            Self::Delete
            | Self::ChangeVersion(_)
            | Self::ChangeOwner
            | Self::Force
            | Self::ReadSecrets => AccessLevel::FullControl,
        }
    }
}

/// The rest of the sentence "may ...".
impl fmt::Display for ResourceAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As the end of a sentence: the caller may, or may not, …
        match self {
            Self::Read => f.write_str("read it"),
            Self::Modify => f.write_str("modify it"),
            Self::Resolve => f.write_str("resolve it"),
            Self::Delete => f.write_str("delete it"),
            Self::ChangeVersion(to) => write!(f, "change its version to {}", to.version),
            Self::ChangeOwner => f.write_str("change its owner"),
            Self::Force => f.write_str("force a write of it"),
            Self::ReadAcl => f.write_str("read its ACL"),
            Self::ChangeAcl(level) => write!(f, "change a grant of {level} in its ACL"),
            Self::ReadSecrets => f.write_str("read its secrets"),
        }
    }
}

/// What can be done with a type version that exists. Defining one is
/// [`GeneralRight::CreateDefinitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeAction {
    /// Get it, list it.
    See,
    /// Create a resource of it.
    CreateResource,
    /// Write a resource of it without running its hooks.
    SkipHooks,
    /// Change its definition.
    Edit,
    /// Delete it.
    Delete,
    /// See who is granted what.
    ReadAcl,
    /// Grant, or take a grant away.
    ChangeAcl,
}

impl TypeAction {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::See,
        Self::CreateResource,
        Self::SkipHooks,
        Self::Edit,
        Self::Delete,
        Self::ReadAcl,
        Self::ChangeAcl,
    ];

    /// The level of the type version that it takes.
    #[must_use]
    pub const fn needs(self) -> AccessLevel {
        match self {
            Self::See => AccessLevel::ReadOnly,
            Self::CreateResource | Self::Edit => AccessLevel::ReadWrite,
            Self::SkipHooks | Self::Delete | Self::ReadAcl | Self::ChangeAcl => {
                AccessLevel::FullControl
            }
        }
    }

    /// Is it the provider's alone? An ACL of a type version names other tenants, so it is too.
    #[must_use]
    pub const fn is_providers(self) -> bool {
        matches!(
            self,
            Self::Edit | Self::Delete | Self::ReadAcl | Self::ChangeAcl
        )
    }

    /// The general right that it takes.
    #[must_use]
    pub const fn general_right(self) -> Option<GeneralRight> {
        match self {
            Self::Edit => Some(GeneralRight::EditDefinitions),
            Self::Delete => Some(GeneralRight::DeleteDefinitions),
            _ => None,
        }
    }
}
