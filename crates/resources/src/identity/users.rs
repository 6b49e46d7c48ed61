//! Users. A user belongs to one organization for ever; its name is unique there, and its case is
//! kept. Nobody manages a user who may do more than oneself.

use crate::caches::directory::{Directory, Held};
use crate::identity::orgs::hidden;
use crate::identity::own::{NewOwn, Own};
use crate::resources::Resources;
use coeval_access::{GeneralRight, Rights};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::content::{self, UserContent};
use coeval_catalog::identity::names;
use coeval_catalog::identity::password::PasswordGiven;
use coeval_catalog::kinds::OwnKind;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use coeval_records::keys;
use coeval_records::records::draw_id;
use coeval_storage::{RecordPut, Revision, WriteAction, WriteCondition, WriteStep};

/// A user.
#[derive(Clone, Debug, PartialEq)]
pub struct User {
    /// `urn:vcloud:user:<uuid>`
    pub id: String,
    /// Unique within the organization.
    pub name: String,
    /// The organization's id.
    pub org: String,
    /// For people.
    pub full_name: Option<String>,
    /// Where to write to.
    pub email: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// A disabled user can't log in.
    pub enabled: bool,
    /// The ids of its roles.
    pub roles: Vec<String>,
    /// Of its resource.
    pub revision: Revision,
}

impl From<Held<UserContent>> for User {
    fn from(held: Held<UserContent>) -> Self {
        Self {
            id: OwnKind::User.urn(held.id),
            name: held.content.username,
            org: held.content.org,
            full_name: held.content.full_name,
            email: held.content.email,
            description: held.header.description,
            enabled: held.content.enabled,
            roles: held.content.roles,
            revision: held.revision,
        }
    }
}

/// A user to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewUser {
    /// Unique within the organization.
    pub name: String,
    /// The organization, by name or id.
    pub org: String,
    /// For people.
    pub full_name: Option<String>,
    /// Where to write to.
    pub email: Option<String>,
    /// Free text.
    pub description: Option<String>,
    /// Whether it can log in.
    pub enabled: bool,
    /// Roles of the organization or global ones, by name or id.
    pub roles: Vec<String>,
    /// Without one it can't log in.
    pub password: Option<PasswordGiven>,
}

impl NewUser {
    /// With nothing but a name.
    #[must_use]
    pub fn new(org: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            org: org.into(),
            full_name: None,
            email: None,
            description: None,
            enabled: true,
            roles: Vec::new(),
            password: None,
        }
    }
}

/// What is to change; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserEdit {
    /// On condition of this revision.
    pub revision: Option<Revision>,
    /// Another name.
    pub name: Option<String>,
    /// Or none.
    pub full_name: Option<Option<String>>,
    /// Or none.
    pub email: Option<Option<String>>,
    /// Or none.
    pub description: Option<Option<String>>,
    /// Whether it can log in.
    pub enabled: Option<bool>,
    /// All of them, by name or id.
    pub roles: Option<Vec<String>>,
}

const PAGE: usize = 1_000;

fn unknown(what: &str) -> EngineError {
    let what = what.chars().take(100).collect();
    IdentityError::UserUnknown { what }.into()
}

/// Refuses to give, or to take hold of, rights that the caller does not have.
pub(crate) fn not_above(caller: &Caller, rights: &Rights) -> Result<(), EngineError> {
    let own = caller.subject.rights();
    // Rights are compared, not roles: what a role gives depends on the organization.
    if rights.intersection(own) == *rights {
        return Ok(());
    }
    let held = own.names();
    let names = if rights.is_everything() {
        vec!["all".to_owned()]
    } else {
        rights.names()
    };
    let missing = names.into_iter().filter(|name| !held.contains(name));
    let some: Vec<String> = missing.take(5).collect();
    let rights = some.join(", ");
    Err(IdentityError::AboveOwn { rights }.into())
}

/// The ids of roles that users of the organization can have.
fn role_ids(
    directory: &Directory,
    org: &str,
    roles: &[String],
) -> Result<Vec<String>, EngineError> {
    let mut ids = Vec::new();
    for what in roles {
        let Some(role) = directory.role_for(org, what) else {
            let what = what.chars().take(100).collect();
            return Err(IdentityError::RoleUnknown { what }.into());
        };
        let id = OwnKind::Role.urn(role.id);
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

/// The step that stores a password.
pub(crate) fn password_step(user: Uuid, phc: &str) -> Result<WriteStep, EngineError> {
    let body = serde_json::json!({ "phc": phc });
    Ok(WriteStep {
        key: keys::password(user)?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(coeval_records::stored::json(&body))),
    })
}

impl Resources {
    /// By id, or by name within an organization: `acme/alice`.
    pub(crate) async fn user_record(&self, what: &str) -> Result<Own, EngineError> {
        let found = match OwnKind::User.id(what) {
            Some(id) => self.own(OwnKind::User, id).await?,
            None => self.own_named(OwnKind::User, what).await?,
        };
        found.ok_or_else(|| unknown(what))
    }

    /// A user with whom the caller may do that.
    async fn user_for(
        &self,
        caller: &Caller,
        what: &str,
        right: GeneralRight,
    ) -> Result<(Own, UserContent), EngineError> {
        let own = self.user_record(what).await?;
        let content: UserContent = self.read_own(&own)?;
        // Asked in the user's own organization, which only its record tells.
        self.allow_general(caller, right, Some(&content.org))
            .map_err(|error| hidden(error, || unknown(what)))?;
        Ok((own, content))
    }

    /// Makes a user.
    ///
    /// # Errors
    /// If the name is taken, the organization or a role is unknown, or the caller may not.
    pub async fn create_user(&self, caller: &Caller, new: &NewUser) -> Result<User, EngineError> {
        // First, so that no password is hashed for somebody without the right.
        self.allow_general(caller, GeneralRight::ManageUsers, None)?;
        names::check_user(&new.name)?;
        // Hashed once, before the attempts: it is slow, and nothing that is read below changes it.
        let phc = match &new.password {
            None => None,
            Some(given) => Some(self.identity.hasher.phc(given).await?),
        };
        let id = draw_id()?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            // First of all: whatever is read after it is at least as new, and the write is
            // conditioned on it.
            let seen = self.seen().await?;
            let org = self.org_record(&new.org).await?.stored;
            let org_id = OwnKind::Org.urn(org.id);
            self.allow_general(caller, GeneralRight::ManageUsers, Some(&org_id))
                .map_err(|error| {
                    let what = new.org.chars().take(100).collect();
                    hidden(error, || IdentityError::OrgUnknown { what }.into())
                })?;
            let directory = self.directory_at(seen).await?;
            let roles = role_ids(&directory, &org_id, &new.roles)?;
            let given = directory.rights(org_id == SYSTEM_ORG, &org_id, &roles);
            // Who could give more than it has could give it to itself.
            not_above(caller, &given)?;
            let content = UserContent {
                org: org_id,
                username: new.name.clone(),
                full_name: new.full_name.clone(),
                email: new.email.clone(),
                enabled: new.enabled,
                roles,
                session_epoch: 0,
                token_epoch: 0,
            };
            let own = NewOwn {
                kind: OwnKind::User,
                id,
                name: names::within(&org.header.name, &new.name),
                description: new.description.clone(),
                content: content::value(&content)?,
                caller,
            };
            let steps = match &phc {
                None => Vec::new(),
                Some(phc) => vec![password_step(id, phc.as_str())?],
            };
            if let Some(stored) = self.make_own(&own, seen, steps).await? {
                return Ok(Held::of(stored)?.into());
            }
        }
    }

    /// A user, by id or by `organization/name`. Everybody may see oneself.
    ///
    /// # Errors
    /// If there is none that the caller may see.
    pub async fn get_user(&self, caller: &Caller, what: &str) -> Result<User, EngineError> {
        let own = self.user_record(what).await?;
        let held: Held<UserContent> = self.held(&own)?;
        if OwnKind::User.urn(held.id) != caller.user() {
            let org = held.content.org.as_str();
            self.allow_general(caller, GeneralRight::ViewUsers, Some(org))
                .map_err(|error| hidden(error, || unknown(what)))?;
        }
        Ok(held.into())
    }

    /// The users of an organization, by id, after one.
    ///
    /// # Errors
    /// If the caller may not see them.
    pub async fn list_users(
        &self,
        caller: &Caller,
        org: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Vec<User>, EngineError> {
        let org = self
            .get_visible_org(caller, org, GeneralRight::ViewUsers)
            .await?;
        let after = after.and_then(|after| OwnKind::User.id(after));
        let ids = self.user_ids_of(&org, after, limit.min(PAGE)).await?;
        let mut users = Vec::new();
        for id in ids {
            // The index was read before: the user may have been deleted since.
            let Some(own) = self.own(OwnKind::User, id).await? else {
                continue;
            };
            match self.held::<UserContent>(&own) {
                Ok(held) if held.content.org == org => users.push(held.into()),
                Ok(_) => {}
                Err(error) => tracing::error!(%id, %error, "left out"),
            }
        }
        Ok(users)
    }

    /// The id of an organization in which the caller has a right.
    pub(crate) async fn get_visible_org(
        &self,
        caller: &Caller,
        what: &str,
        right: GeneralRight,
    ) -> Result<String, EngineError> {
        let org = self.org_id(what).await?;
        self.allow_general(caller, right, Some(&org))
            .map_err(|error| {
                let what = what.chars().take(100).collect();
                hidden(error, || IdentityError::OrgUnknown { what }.into())
            })?;
        Ok(org)
    }

    /// Changes a user. A disabled one's sessions stop at once.
    ///
    /// # Errors
    /// If the revision is another, or the caller may not.
    pub async fn update_user(
        &self,
        caller: &Caller,
        what: &str,
        edit: &UserEdit,
    ) -> Result<User, EngineError> {
        if let Some(name) = &edit.name {
            names::check_user(name)?;
        }
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let (own, mut content) = self
                .user_for(caller, what, GeneralRight::ManageUsers)
                .await?;
            let directory = self.directory_at(seen).await?;
            let provider = content.org == SYSTEM_ORG;
            not_above(
                caller,
                &directory.rights(provider, &content.org, &content.roles),
            )?;
            // Judged twice: nobody changes a user who may do more, and nobody gives a user more.
            if let Some(roles) = &edit.roles {
                content.roles = role_ids(&directory, &content.org, roles)?;
                not_above(
                    caller,
                    &directory.rights(provider, &content.org, &content.roles),
                )?;
            }
            let mut renamed = None;
            if let Some(name) = &edit.name {
                let org = self.org_record(&content.org).await?.stored.header.name;
                // The resource is named within its organization, so both names change together.
                renamed = Some(names::within(&org, name));
                content.username.clone_from(name);
            }
            if let Some(full_name) = &edit.full_name {
                content.full_name.clone_from(full_name);
            }
            if let Some(email) = &edit.email {
                content.email.clone_from(email);
            }
            content.enabled = edit.enabled.unwrap_or(content.enabled);
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

    /// Deletes a user with its password, sessions and tokens.
    ///
    /// # Errors
    /// If there is none that the caller may delete.
    pub async fn delete_user(&self, caller: &Caller, what: &str) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let (own, content) = self
                .user_for(caller, what, GeneralRight::ManageUsers)
                .await?;
            let directory = self.directory_at(seen).await?;
            let provider = content.org == SYSTEM_ORG;
            not_above(
                caller,
                &directory.rights(provider, &content.org, &content.roles),
            )?;
            let id = own.stored.id;
            // In the same write: a password without its user would be there for ever.
            let password = WriteStep {
                key: keys::password(id)?,
                condition: WriteCondition::Whatever,
                action: WriteAction::Delete,
            };
            if self.remove_own(caller, &own, seen, vec![password]).await? {
                // Without the user they are dead already.
                return self.sweep_sessions(id, |_| true).await;
            }
        }
    }

    /// Sets a user's password and ends its sessions; API tokens stay.
    ///
    /// # Errors
    /// If the password can't be used, or the caller may not.
    pub async fn set_password(
        &self,
        caller: &Caller,
        what: &str,
        password: &PasswordGiven,
    ) -> Result<(), EngineError> {
        let (_, content) = self
            .user_for(caller, what, GeneralRight::ManageUsers)
            .await?;
        let directory = self.directory().await?;
        let provider = content.org == SYSTEM_ORG;
        not_above(
            caller,
            &directory.rights(provider, &content.org, &content.roles),
        )?;
        self.put_password(caller, what, password).await
    }

    /// Without asking whether the caller may.
    pub(crate) async fn put_password(
        &self,
        caller: &Caller,
        what: &str,
        password: &PasswordGiven,
    ) -> Result<(), EngineError> {
        let phc = self.identity.hasher.phc(password).await?;
        let (id, content) = self
            .change_epochs(caller, what, Some(&phc), |content| {
                content.session_epoch += 1;
            })
            .await?;
        self.sweep_sessions(id, |session| session.is_over(&content))
            .await
    }

    /// Ends sessions by their epoch, at once and on all servers.
    pub(crate) async fn change_epochs(
        &self,
        caller: &Caller,
        what: &str,
        phc: Option<&coeval_catalog::identity::password::PasswordPhc>,
        change: impl Fn(&mut UserContent),
    ) -> Result<(Uuid, UserContent), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let seen = self.seen().await?;
            let own = self.user_record(what).await?;
            let id = own.stored.id;
            let mut content: UserContent = self.read_own(&own)?;
            change(&mut content);
            let mut steps = Vec::new();
            let mut note = "sessions ended";
            if let Some(phc) = phc {
                // In one write with the epoch: sessions that were opened with the old password end
                // with it.
                steps.push(password_step(id, phc.as_str())?);
                note = "password set";
            }
            let of = OwnKind::User.of();
            let mut deed = Deed::of_resource(What::Update, &of, id, &own.stored.header);
            deed.note = Some(note.to_owned());
            steps.push(self.audit_step(caller, &deed)?);
            let value = content::value(&content)?;
            let changed = self.change_own(caller, own, value, |_| {}, seen, steps);
            if changed.await?.is_some() {
                return Ok((id, content));
            }
        }
    }
}
