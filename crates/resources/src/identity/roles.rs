//! Roles: lists of rights, of one organization or for all. The predefined ones never change.

use crate::caches::directory::{Held, rights};
use crate::identity::orgs::{hidden, predefined};
use crate::identity::own::NewOwn;
use crate::identity::users::not_above;
use crate::resources::Resources;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, RoleContent, RoleHolds};
use coeval_catalog::identity::names;
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::header::index_values::text_key;
use coeval_records::keys::index;
use coeval_records::records::draw_id;
use coeval_storage::Revision;

/// A role.
#[derive(Clone, Debug, PartialEq)]
pub struct Role {
    /// `urn:vcloud:role:<uuid>`
    pub id: String,
    /// Unique within its organization, or among the global ones.
    pub name: String,
    /// Whose it is; nothing: everybody's.
    pub org: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// The names of its rights; empty for the predefined ones, whose rights follow from what there
    /// is.
    pub rights: Vec<String>,
    /// It never changes.
    pub predefined: bool,
    /// Of its resource.
    pub revision: Revision,
}

impl From<Held<RoleContent>> for Role {
    fn from(held: Held<RoleContent>) -> Self {
        Self {
            id: OwnKind::Role.urn(held.id),
            name: held.content.rolename,
            org: held.content.org,
            description: held.header.description,
            rights: held.content.rights,
            predefined: held.content.predefined,
            revision: held.revision,
        }
    }
}

/// A role to be made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewRole {
    /// Its name.
    pub name: String,
    /// The organization, by name or id; nothing: for all.
    pub org: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// Names of rights.
    pub rights: Vec<String>,
}

/// What is to change; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RoleEdit {
    /// On condition of this revision.
    pub revision: Option<Revision>,
    /// Another name.
    pub name: Option<String>,
    /// Or none.
    pub description: Option<Option<String>>,
    /// All of them.
    pub rights: Option<Vec<String>>,
}

fn unknown(what: &str) -> EngineError {
    let what = what.chars().take(100).collect();
    IdentityError::RoleUnknown { what }.into()
}

impl Resources {
    pub fn allow_roles(&self, caller: &Caller, org: Option<&str>) -> Result<(), EngineError> {
        let right = match org {
            None => GeneralRight::ManageGlobalRoles,
            Some(_) => GeneralRight::ManageRoles,
        };
        self.allow_general(caller, right, org)
    }

    /// Makes a role.
    ///
    /// # Errors
    /// If the name is taken, a right is unknown, or the caller may not or has less.
    pub async fn create_role(&self, caller: &Caller, new: &NewRole) -> Result<Role, EngineError> {
        names::check("a role", &new.name)?;
        names::check_rights(&new.rights)?;
        let id = draw_id()?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let org = match &new.org {
                None => None,
                Some(org) => {
                    let right = GeneralRight::ManageRoles;
                    Some(self.get_visible_org(caller, org, right).await?)
                }
            };
            self.allow_roles(caller, org.as_deref())?;
            // A role with more than its maker has could be given to the maker.
            not_above(caller, &rights(&new.rights))?;
            let name = self.role_resource_name(org.as_deref(), &new.name).await?;
            let content = RoleContent {
                rolename: new.name.clone(),
                org,
                holds: RoleHolds::These,
                rights: new.rights.clone(),
                predefined: false,
            };
            let own = NewOwn {
                kind: OwnKind::Role,
                id,
                name,
                description: new.description.clone(),
                content: content::value(&content)?,
                caller,
            };
            if let Some(stored) = self.make_own(&own, seen, Vec::new()).await? {
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    async fn role_resource_name(
        &self,
        org: Option<&str>,
        name: &str,
    ) -> Result<String, EngineError> {
        match org {
            None => Ok(name.to_owned()),
            Some(org) => {
                // With its name in front, organizations can have roles of the same name.
                let org = self.org_record(org).await?;
                Ok(names::within(&org.stored.header.name, name))
            }
        }
    }

    /// A role that users of an organization can have, by name or id.
    ///
    /// # Errors
    /// If there is none that the caller may see.
    pub async fn get_role(
        &self,
        caller: &Caller,
        org: &str,
        what: &str,
    ) -> Result<Role, EngineError> {
        let org = self
            .get_visible_org(caller, org, GeneralRight::ViewRoles)
            .await?;
        let directory = self.directory().await?;
        let found = directory.role_for(&org, what).cloned();
        found.map(Role::from).ok_or_else(|| unknown(what))
    }

    /// The roles that users of an organization can have.
    ///
    /// # Errors
    /// If the caller may not see them.
    pub async fn list_roles(&self, caller: &Caller, org: &str) -> Result<Vec<Role>, EngineError> {
        let org = self
            .get_visible_org(caller, org, GeneralRight::ViewRoles)
            .await?;
        let directory = self.directory().await?;
        let all = directory.roles.values().map(|(held, _)| held);
        let usable = all.filter(|held| held.content.org.as_ref().is_none_or(|of| *of == org));
        Ok(usable.cloned().map(Role::from).collect())
    }

    /// Changes a role, by id.
    ///
    /// # Errors
    /// If it is predefined, the revision is another, or the caller may not or has less.
    pub async fn update_role(
        &self,
        caller: &Caller,
        id: &str,
        edit: &RoleEdit,
    ) -> Result<Role, EngineError> {
        if let Some(name) = &edit.name {
            names::check("a role", name)?;
        }
        names::check_rights(edit.rights.as_deref().unwrap_or_default())?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let (own, mut content) = self.role_to_change(caller, id, "changed").await?;
            if let Some(names) = &edit.rights {
                // What it holds already is not given by this change.
                let added = names.iter().filter(|name| !content.rights.contains(name));
                let added: Vec<String> = added.cloned().collect();
                not_above(caller, &rights(&added))?;
                content.rights.clone_from(names);
            }
            let mut renamed = None;
            if let Some(name) = &edit.name {
                renamed = Some(
                    self.role_resource_name(content.org.as_deref(), name)
                        .await?,
                );
                content.rolename.clone_from(name);
            }
            let value = content::value(&content)?;
            let changed = self.change_own(
                caller,
                own,
                value,
                |update| {
                    update.revision = edit.revision;
                    update.meta.name = renamed;
                    update.meta.description.clone_from(&edit.description);
                },
                seen,
                Vec::new(),
            );
            if let Some(stored) = changed.await? {
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    async fn role_to_change(
        &self,
        caller: &Caller,
        id: &str,
        action: &'static str,
    ) -> Result<(crate::identity::own::Own, RoleContent), EngineError> {
        // By id alone: the name of a role is unique only within its organization.
        let uuid = OwnKind::Role.id(id).ok_or_else(|| unknown(id))?;
        let own = self.own(OwnKind::Role, uuid).await?;
        let own = own.ok_or_else(|| unknown(id))?;
        let content: RoleContent = self.read_own(&own)?;
        self.allow_roles(caller, content.org.as_deref())
            .map_err(|error| hidden(error, || unknown(id)))?;
        if content.predefined {
            return Err(predefined(&content.rolename, action));
        }
        Ok((own, content))
    }

    /// Deletes a role that nobody has, by id.
    ///
    /// # Errors
    /// If somebody has it, it is predefined, or the caller may not.
    pub async fn delete_role(&self, caller: &Caller, id: &str) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let (own, content) = self.role_to_change(caller, id, "deleted").await?;
            // Whoever is given the role meanwhile rewrites the identity record, so the removal
            // loses.
            if let Some(user) = self.user_with_role(own.stored.id).await? {
                let name = content.rolename;
                return Err(IdentityError::RoleInUse { name, user }.into());
            }
            if self.remove_own(caller, &own, seen, Vec::new()).await? {
                return Ok(());
            }
        }
    }

    async fn user_with_role(&self, role: Uuid) -> Result<Option<String>, EngineError> {
        let name = format!("{}role", index::DECLARED);
        let value = text_key(&OwnKind::Role.urn(role));
        let ids = self.own_ids(OwnKind::User, &name, &value, None, 1).await?;
        Ok(ids.first().map(|id| OwnKind::User.urn(*id)))
    }
}
