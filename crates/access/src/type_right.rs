//! The five rights that each type generates, the same for all its versions.

use crate::AccessLevel;
use coeval_core::version::{TypeName, UrnName};

/// One of the five rights of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TypeRight {
    /// Read what an ACL lets one read.
    View,
    /// Change what an ACL lets one change.
    Modify,
    /// Control what an ACL lets one control.
    FullAccess,
    /// Read everything in the organization.
    AdministratorView,
    /// Control everything in the organization.
    AdministratorFull,
}

impl TypeRight {
    /// In the order in which the RDE API lists them.
    pub const ALL: [Self; 5] = [
        Self::View,
        Self::Modify,
        Self::FullAccess,
        Self::AdministratorView,
        Self::AdministratorFull,
    ];

    /// What follows the type in the name. Case matters, also that of the last one.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::View => "View",
            Self::Modify => "Modify",
            Self::FullAccess => "Full Access",
            Self::AdministratorView => "Administrator View",
            Self::AdministratorFull => "Administrator Full access",
        }
    }

    /// `acme:app: View`.
    #[must_use]
    pub fn name(self, of: TypeName<'_>) -> String {
        format!("{of}: {}", self.suffix())
    }

    /// Reads such a name. Neither a vendor nor an nss has a colon, so there is one way to read it.
    #[must_use]
    pub fn parse(name: &str) -> Option<(TypeName<'_>, Self)> {
        let (of, suffix) = name.split_once(": ")?;
        let (vendor, nss) = of.split_once(':')?;
        let vendor = UrnName::parse(vendor).ok()?;
        let nss = UrnName::parse(nss).ok()?;
        let right = Self::ALL
            .into_iter()
            .find(|right| right.suffix() == suffix)?;
        Some((TypeName { vendor, nss }, right))
    }

    /// The right without an administrator's reach that goes with a level.
    #[must_use]
    pub const fn matching(level: AccessLevel) -> Self {
        match level {
            AccessLevel::ReadOnly => Self::View,
            AccessLevel::ReadWrite => Self::Modify,
            AccessLevel::FullControl => Self::FullAccess,
        }
    }

    const fn closed(self) -> u8 {
        // The bits of all that it implies, itself included, in the order of the variants.
        match self {
            Self::View => 0b0_0001,
            Self::Modify => 0b0_0011,
            Self::FullAccess => 0b0_0111,
            Self::AdministratorView => 0b0_1001,
            Self::AdministratorFull => 0b1_1111,
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of the rights of one type, closed under what they imply: full access is also modify, and
/// modify is also view; an administrator's right includes that of everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TypeRights(u8);

impl TypeRights {
    /// None of the five.
    pub const NONE: Self = Self(0);
    /// All five.
    pub const ALL: Self = Self(0b1_1111);

    /// Is it among them?
    #[must_use]
    pub const fn has(self, right: TypeRight) -> bool {
        self.0 & right.bit() != 0
    }

    /// With one more, and what it implies.
    #[must_use]
    pub const fn with(self, right: TypeRight) -> Self {
        Self(self.0 | right.closed())
    }

    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// None at all?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// One after another.
    pub fn iter(self) -> impl Iterator<Item = TypeRight> {
        TypeRight::ALL
            .into_iter()
            .filter(move |right| self.has(*right))
    }

    /// The highest level that these rights let an ACL give.
    #[must_use]
    pub const fn level(self) -> Option<AccessLevel> {
        match self {
            _ if self.has(TypeRight::FullAccess) => Some(AccessLevel::FullControl),
            _ if self.has(TypeRight::Modify) => Some(AccessLevel::ReadWrite),
            _ if self.has(TypeRight::View) => Some(AccessLevel::ReadOnly),
            _ => None,
        }
    }

    /// The level that these rights give by themselves, without an ACL.
    #[must_use]
    pub const fn administrators_level(self) -> Option<AccessLevel> {
        match self {
            _ if self.has(TypeRight::AdministratorFull) => Some(AccessLevel::FullControl),
            _ if self.has(TypeRight::AdministratorView) => Some(AccessLevel::ReadOnly),
            _ => None,
        }
    }
}

/// The names of the five rights of a type, created with its first version and removed with its last.
#[must_use]
pub fn rights_of_type(of: TypeName<'_>) -> [String; 5] {
    TypeRight::ALL.map(|right| right.name(of))
}

/// The name of the bundle of these rights: `acme:app Entitlement`.
#[must_use]
pub fn bundle_name(of: TypeName<'_>) -> String {
    format!("{of} Entitlement")
}

#[cfg(test)]
mod tests;
