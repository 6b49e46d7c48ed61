//! All roles and bundles, as they were when the identity record had a revision: what the rights of
//! every user are made of.

use super::content::{self, BundleContent, RoleContent, RoleHolds};
use super::own::{Seen, Spoken};
use crate::attempts::Attempts;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::Header;
use crate::keys;
use crate::kinds::OwnKind;
use coeval_access::{
    AccessBundle, AccessRole, BundleAudience, Rights, RoleOf, RoleRights, effective_rights,
};
use coeval_core::version::Uuid;
use coeval_storage::{Key, Revision, StorageError};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

/// The record that every change of identity rewrites.
pub(crate) fn identity_key() -> Result<Key, StorageError> {
    keys::own("identity")
}

/// How many resources are read at a time.
const PAGE: usize = 1_000;

/// A resource with its content read.
#[derive(Clone, Debug)]
pub(crate) struct Held<T> {
    pub(crate) id: Uuid,
    pub(crate) revision: Revision,
    pub(crate) header: Header,
    pub(crate) content: T,
}

impl<T: serde::de::DeserializeOwned> Held<T> {
    pub(crate) fn of(spoken: Spoken) -> Result<Self, EngineError> {
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
pub(crate) struct Directory {
    pub(crate) seen: Seen,
    /// By id.
    pub(crate) roles: BTreeMap<String, (Held<RoleContent>, AccessRole)>,
    pub(crate) bundles: Vec<(Held<BundleContent>, AccessBundle)>,
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
            let mut all = self.roles.values().map(|(held, _)| held);
            all.find(|held| held.content.rolename == what && held.content.org.as_deref() == of)
        };
        named(Some(org)).or_else(|| named(None))
    }

    /// The rights of a user of an organization with these roles.
    pub(crate) fn rights(&self, provider: bool, org: &str, roles: &[String]) -> Rights {
        let roles = roles.iter().filter_map(|id| self.roles.get(id));
        let bundles = self.bundles.iter().map(|(_, bundle)| bundle);
        effective_rights(provider, org, roles.map(|(_, role)| role), bundles)
    }

    /// A bundle by name or id.
    pub(crate) fn bundle(&self, what: &str) -> Option<&Held<BundleContent>> {
        let id = OwnKind::Bundle.id(what);
        let mut all = self.bundles.iter().map(|(held, _)| held);
        all.find(|held| Some(held.id) == id || held.header.name == what)
    }
}

fn role(held: Held<RoleContent>) -> (String, (Held<RoleContent>, AccessRole)) {
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

fn bundle(held: Held<BundleContent>) -> (Held<BundleContent>, AccessBundle) {
    let content = &held.content;
    let access = AccessBundle {
        name: held.header.name.clone(),
        rights: rights(&content.rights),
        published: published(content),
    };
    (held, access)
}

pub(crate) fn published(content: &BundleContent) -> BundleAudience {
    if content.published_to_all {
        BundleAudience::ToAll
    } else {
        BundleAudience::To(content.published_to.iter().cloned().collect())
    }
}

pub(crate) fn rights(names: &[String]) -> Rights {
    Rights::from_names(names.iter().map(String::as_str))
}

impl Engine {
    /// All roles and bundles as they are now.
    pub(crate) async fn directory(&self) -> Result<Arc<Directory>, EngineError> {
        let seen = self.seen().await?;
        self.directory_at(seen).await
    }

    /// As they were then, or are by now.
    pub(crate) async fn directory_at(&self, seen: Seen) -> Result<Arc<Directory>, EngineError> {
        {
            let remembered = self.identity.directory.read();
            let remembered = remembered.unwrap_or_else(PoisonError::into_inner);
            if let Some(directory) = &*remembered
                && directory.seen == seen
            {
                return Ok(Arc::clone(directory));
            }
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let (first, roles) = self.all_of(OwnKind::Role).await?;
            let (last, bundles) = self.all_of(OwnKind::Bundle).await?;
            if first != last {
                continue;
            }
            let directory = Arc::new(Directory {
                seen: first,
                roles: readable(roles).map(role).collect(),
                bundles: readable(bundles).map(bundle).collect(),
            });
            let remembered = self.identity.directory.write();
            let mut remembered = remembered.unwrap_or_else(PoisonError::into_inner);
            *remembered = Some(Arc::clone(&directory));
            return Ok(directory);
        }
    }

    /// All resources of a kind, and the identity record that they belong to.
    pub(crate) async fn all_of(&self, kind: OwnKind) -> Result<(Seen, Vec<Spoken>), EngineError> {
        let mut attempts = Attempts::new();
        'again: loop {
            attempts.begin()?;
            let mut first = None;
            let mut after = None;
            let mut found = Vec::new();
            loop {
                let page = self.own_page(kind, after, PAGE).await?;
                if *first.get_or_insert(page.seen) != page.seen {
                    continue 'again;
                }
                found.extend(page.found);
                after = page.next;
                if after.is_none() {
                    return Ok((page.seen, found));
                }
            }
        }
    }
}

/// What can't be read gives no rights, and hides nothing else.
fn readable<T: serde::de::DeserializeOwned>(all: Vec<Spoken>) -> impl Iterator<Item = Held<T>> {
    all.into_iter().filter_map(|spoken| {
        let id = spoken.id;
        Held::of(spoken)
            .inspect_err(|error| tracing::error!(%id, %error, "gives no rights"))
            .ok()
    })
}
