//! All roles and bundles, as they were when the identity record had a revision: what the rights of
//! every user are made of.

use coeval_access::{
    AccessBundle, AccessRole, BundleAudience, Rights, RoleOf, RoleRights, effective_rights,
};
use coeval_catalog::identity::content::{self, BundleContent, RoleContent, RoleHolds, Spoken};
use coeval_catalog::identity::seen::Seen;
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_storage::Revision;
use std::collections::BTreeMap;

/// A resource with its content read.
#[derive(Clone, Debug)]
pub struct Held<T> {
    pub id: Uuid,
    pub revision: Revision,
    pub header: Header,
    pub content: T,
}

impl<T: serde::de::DeserializeOwned> Held<T> {
    pub fn of(spoken: Spoken) -> Result<Self, EngineError> {
        Ok(Self {
            id: spoken.id,
            revision: spoken.revision,
            content: content::read(&spoken)?,
            header: spoken.header,
        })
    }
}

/// All roles and bundles.
#[derive(Debug)]
pub struct Directory {
    pub seen: Seen,
    /// By id.
    pub roles: BTreeMap<String, (Held<RoleContent>, AccessRole)>,
    pub bundles: Vec<(Held<BundleContent>, AccessBundle)>,
}

impl Directory {
    /// A role that users of the organization can have, by name or id. The organization's own comes
    /// before a global one of the same name.
    pub(crate) fn role_for(&self, org: &str, what: &str) -> Option<&Held<RoleContent>> {
        if let Some((held, role)) = self.roles.get(what) {
            let usable = match &role.of {
                RoleOf::Everyone => true,
                RoleOf::Org(of) => of == org,
            };
            return usable.then_some(held);
        }
        let named = |of: Option<&str>| {
            // Names are unique only within an organization, so the organization is part of the
            // question.
            let mut all = self.roles.values().map(|(held, _)| held);
            all.find(|held| held.content.rolename == what && held.content.org.as_deref() == of)
        };
        named(Some(org)).or_else(|| named(None))
    }

    /// The rights of a user of an organization with these roles.
    pub fn rights(&self, provider: bool, org: &str, roles: &[String]) -> Rights {
        let roles = roles.iter().filter_map(|id| self.roles.get(id));
        let bundles = self.bundles.iter().map(|(_, bundle)| bundle);
        effective_rights(provider, org, roles.map(|(_, role)| role), bundles)
    }

    /// A bundle by name or id.
    pub fn bundle(&self, what: &str) -> Option<&Held<BundleContent>> {
        let id = OwnKind::Bundle.id(what);
        let mut all = self.bundles.iter().map(|(held, _)| held);
        all.find(|held| Some(held.id) == id || held.header.name == what)
    }
}

pub(crate) fn role(held: Held<RoleContent>) -> (String, (Held<RoleContent>, AccessRole)) {
    let id = OwnKind::Role.urn(held.id);
    let content = &held.content;
    let access = AccessRole {
        id: id.clone(),
        of: match &content.org {
            None => RoleOf::Everyone,
            Some(org) => RoleOf::Org(org.clone()),
        },
        holds: match content.holds {
            RoleHolds::Everything => RoleRights::Everything,
            RoleHolds::WhatIsPublished => RoleRights::WhatIsPublished,
            RoleHolds::These => RoleRights::These(rights(&content.rights)),
        },
    };
    (id, (held, access))
}

pub(crate) fn bundle(held: Held<BundleContent>) -> (Held<BundleContent>, AccessBundle) {
    let content = &held.content;
    let access = AccessBundle {
        name: held.header.name.clone(),
        rights: rights(&content.rights),
        published: published(content),
    };
    (held, access)
}

pub fn published(content: &BundleContent) -> BundleAudience {
    if content.published_to_all {
        BundleAudience::ToAll
    } else {
        BundleAudience::To(content.published_to.iter().cloned().collect())
    }
}

pub fn rights(names: &[String]) -> Rights {
    Rights::from_names(names.iter().map(String::as_str))
}
