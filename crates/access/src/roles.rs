//! Where the rights of a caller come from: roles, and the bundles published to an organization.
//!
//! A tenant's rights are what its roles hold and what is published to its organization, both at
//! once. The provider's are what its roles hold.

use crate::{GeneralRight, Rights};
use std::collections::BTreeSet;

/// The provider's organization.
pub const SYSTEM_ORGANIZATION: &str = "System";
/// The provider's predefined role: every right.
pub const SYSTEM_ADMINISTRATOR: &str = "System Administrator";
/// The tenants' predefined role: every right that is published to the organization.
pub const ORGANIZATION_ADMINISTRATOR: &str = "Organization Administrator";

/// A role. What it holds is said by [`RoleRights`], never by its name: a tenant may call a role of its
/// own as it likes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRole {
    /// What users and ACLs refer to.
    pub id: String,
    /// Who can have it.
    pub of: RoleOf,
    /// The rights.
    pub holds: RoleRights,
}

/// Who can have a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleOf {
    /// Users of every organization.
    Everyone,
    /// Users of one organization.
    Org(String),
}

/// The rights of a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RoleRights {
    /// Every right; only the provider's users get it. The role `System Administrator`.
    Everything,
    /// Whatever is published to the organization. The role `Organization Administrator`.
    WhatIsPublished,
    /// These.
    These(Rights),
}

/// A named set of rights that can be published to organizations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessBundle {
    /// Its name.
    pub name: String,
    /// The rights.
    pub rights: Rights,
    /// To whom.
    pub published: BundleAudience,
}

/// To whom a bundle is published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BundleAudience {
    /// Every tenant, also those that are made later.
    ToAll,
    /// These.
    To(BTreeSet<String>),
}

impl BundleAudience {
    /// Is this organization among them?
    #[must_use]
    pub fn includes(&self, org: &str) -> bool {
        match self {
            Self::ToAll => true,
            Self::To(orgs) => orgs.contains(org),
        }
    }
}

/// The rights of a user of an organization who has these roles. A role of another organization
/// gives nothing.
pub fn effective_rights<'a>(
    provider: bool,
    org: &str,
    roles: impl IntoIterator<Item = &'a AccessRole>,
    bundles: impl IntoIterator<Item = &'a AccessBundle>,
) -> Rights {
    // Collected once: what is published is the same for each of the roles.
    let of_org = bundles
        .into_iter()
        .filter(|bundle| bundle.published.includes(org));
    let published = of_org.fold(Rights::none(), |all, bundle| all.union(&bundle.rights));
    // A role of another organization gives nothing, whatever its name.
    let usable = |role: &&AccessRole| match &role.of {
        RoleOf::Everyone => true,
        RoleOf::Org(id) => id == org,
    };
    // A tenant never has more than was published to it, and a provider needs no publication.
    let held = |role: &'a AccessRole| match (&role.holds, provider) {
        (RoleRights::Everything, true) => Rights::everything(),
        // Nobody is everything at a tenant; and at the provider nothing is published.
        (RoleRights::Everything, false) | (RoleRights::WhatIsPublished, true) => Rights::none(),
        (RoleRights::WhatIsPublished, false) => published.clone(),
        (RoleRights::These(rights), true) => rights.clone(),
        (RoleRights::These(rights), false) => rights.intersection(&published),
    };
    let all = roles.into_iter().filter(usable).map(held);
    let all = all.fold(Rights::none(), |all, more| all.union(&more));
    // Rights of the provider in a bundle that was published by mistake do nothing at a tenant.
    if provider { all } else { all.for_a_tenant() }
}

/// The general rights that suit tenants: the content of the bundle that every tenant gets.
#[must_use]
pub fn default_tenant_rights() -> Rights {
    let tenants = GeneralRight::ALL
        .iter()
        .filter(|right| !right.is_providers());
    Rights::from_names(tenants.map(|right| right.name()))
}

#[cfg(test)]
mod tests;
