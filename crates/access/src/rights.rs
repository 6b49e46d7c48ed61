//! The rights of a caller, a role or a bundle, read once from their names.

use crate::{GeneralRight, GeneralRights, TypeRight, TypeRights};
use coeval_core::version::{TypeName, UrnName};
use std::collections::{BTreeMap, BTreeSet};

/// A set of rights. Asking it allocates nothing.
///
/// A name that is read as neither a general nor a type's right is kept, listed by [`Rights::unknown`],
/// and grants nothing: it may have been given by a newer release.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    everything: bool,
    general: GeneralRights,
    types: BTreeMap<Box<str>, BTreeMap<Box<str>, TypeRights>>,
    unknown: BTreeSet<Box<str>>,
}

impl Rights {
    /// No right.
    #[must_use]
    pub fn none() -> Self {
        Self::default()
    }

    /// Every right that there is or will be.
    #[must_use]
    pub fn everything() -> Self {
        let everything = true;
        Self {
            everything,
            ..Self::default()
        }
    }

    /// From the names that a role or a bundle lists.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let mut rights = Self::none();
        for name in names {
            rights.add(name);
        }
        rights
    }

    fn add(&mut self, name: &str) {
        if let Some(right) = GeneralRight::by_name(name) {
            self.general = self.general.with(right);
        } else if let Some((of, right)) = TypeRight::parse(name) {
            self.add_of_type(of, TypeRights::NONE.with(right));
        } else {
            self.unknown.insert(name.into());
        }
    }

    fn add_of_type(&mut self, of: TypeName<'_>, rights: TypeRights) {
        let vendor = self.types.entry(of.vendor.as_str().into()).or_default();
        let held = vendor.entry(of.nss.as_str().into()).or_default();
        *held = held.union(rights);
    }

    /// The rights of one type.
    #[must_use]
    pub fn of_type(&self, of: TypeName<'_>) -> TypeRights {
        if self.everything {
            return TypeRights::ALL;
        }
        let of_vendor = self.types.get(of.vendor.as_str());
        let rights = of_vendor.and_then(|types| types.get(of.nss.as_str()));
        rights.copied().unwrap_or_default()
    }

    /// Is the general right among them?
    #[must_use]
    pub const fn has(&self, right: GeneralRight) -> bool {
        self.everything || self.general.has(right)
    }

    /// Every right that there is or will be?
    #[must_use]
    pub const fn is_everything(&self) -> bool {
        self.everything
    }

    /// The types of which there is a right, by name.
    pub fn types(&self) -> impl Iterator<Item = (TypeName<'_>, TypeRights)> {
        self.types.iter().flat_map(|(vendor, types)| {
            types.iter().filter_map(move |(nss, rights)| {
                // what was parsed once parses again
                let vendor = UrnName::parse(vendor).ok()?;
                let nss = UrnName::parse(nss).ok()?;
                Some((TypeName { vendor, nss }, *rights))
            })
        })
    }

    /// The names that mean nothing to this release.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.unknown.iter().map(|name| &**name)
    }

    /// Every name with those it implies: general ones, those of types, unknown ones. Of
    /// [`Rights::everything`] only the general ones can be named.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let general = GeneralRight::ALL.iter().filter(|right| self.has(**right));
        let general = general.map(|right| right.name().to_owned());
        let of_type = |(of, rights): (TypeName<'_>, TypeRights)| -> Vec<String> {
            rights.iter().map(|right| right.name(of)).collect()
        };
        let unknown = self.unknown().map(str::to_owned);
        general
            .chain(self.types().flat_map(of_type))
            .chain(unknown)
            .collect()
    }

    /// What is in either.
    #[must_use]
    pub fn union(mut self, other: &Self) -> Self {
        self.everything |= other.everything;
        self.general = self.general.union(other.general);
        for (of, rights) in other.types() {
            self.add_of_type(of, rights);
        }
        self.unknown.extend(other.unknown.iter().cloned());
        self
    }

    /// What is in both.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        // Everything is the identity of an intersection, and names no rights that could be
        // compared.
        match (self.everything, other.everything) {
            (true, _) => return other.clone(),
            (_, true) => return self.clone(),
            _ => {}
        }
        // Unknown names too: another release may know them.
        let mut both = Self {
            general: self.general.intersection(other.general),
            unknown: self.unknown.intersection(&other.unknown).cloned().collect(),
            ..Self::none()
        };
        for (of, rights) in self.types() {
            // A type without shared rights is left out, so that two equal sets are equal.
            let shared = rights.intersection(other.of_type(of));
            if !shared.is_empty() {
                both.add_of_type(of, shared);
            }
        }
        both
    }

    /// Without the rights that are the provider's alone.
    #[must_use]
    pub(crate) fn for_a_tenant(mut self) -> Self {
        let kept = self.general.iter().filter(|right| !right.is_providers());
        self.general = kept.collect();
        // Dropped as well: it would bring the provider's rights along.
        self.everything = false;
        self
    }
}

#[cfg(test)]
mod tests;
