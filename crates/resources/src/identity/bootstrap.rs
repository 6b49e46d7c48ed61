//! What a new installation begins with. What is there already is never changed, so the same
//! bootstrap may be done at every start, and by several servers at once.

use crate::identity::bundles::PublishTo;
use crate::identity::open::system_caller;
use crate::identity::orgs::NewOrg;
use crate::identity::roles::NewRole;
use crate::identity::users::NewUser;
use crate::resources::Resources;
use coeval_access::{BundleAudience, SYSTEM_ORGANIZATION};
use coeval_catalog::caller::Caller;
use coeval_catalog::identity::password::{Password, PasswordGiven, PasswordPhc};
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::registration::register::Registration;
use coeval_records::error::EngineError;
use coeval_records::error::identity::IdentityError;
use serde::Deserialize;

/// The content of a bootstrap file. `types` holds the texts of type files, not their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bootstrap {
    /// Organizations.
    #[serde(default)]
    pub orgs: Vec<BootstrapOrg>,
    /// Global roles, or those of an organization.
    #[serde(default)]
    pub roles: Vec<BootstrapRole>,
    /// Type files.
    #[serde(default)]
    pub types: Vec<String>,
    /// Users.
    #[serde(default)]
    pub users: Vec<BootstrapUser>,
    /// Bundles that are published.
    #[serde(default)]
    pub publish: Vec<Publication>,
}

/// An organization.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapOrg {
    /// Its name.
    pub name: String,
    /// The names of its virtual data centers.
    #[serde(default)]
    pub vdcs: Vec<String>,
}

/// A role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapRole {
    /// Its name.
    pub name: String,
    /// Whose it is; nothing: everybody's.
    #[serde(default)]
    pub org: Option<String>,
    /// Names of rights.
    #[serde(default)]
    pub rights: Vec<String>,
}

/// A user, with one of three ways to say its password, or none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapUser {
    /// Its name.
    pub name: String,
    /// The organization's name; the provider's if nothing is said.
    #[serde(default)]
    pub org: Option<String>,
    /// In clear.
    #[serde(default)]
    pub password: Option<Password>,
    /// Where it is. Whoever reads the bootstrap file reads that one too and sets `password`.
    #[serde(default)]
    pub password_file: Option<String>,
    /// Hashed.
    #[serde(default)]
    pub password_hash: Option<PasswordPhc>,
    /// Names of roles.
    #[serde(default)]
    pub roles: Vec<String>,
}

/// A bundle that is published.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Its name.
    pub bundle: String,
    /// Names of organizations.
    pub orgs: Vec<String>,
}

/// Something that a bootstrap did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Did {
    /// In words: `organization acme`.
    pub what: String,
    /// Done now; otherwise it was there.
    pub now: bool,
}

impl Did {
    fn of<T>(what: String, done: Result<T, EngineError>) -> Result<Self, EngineError> {
        match done {
            Ok(_) => Ok(Self { what, now: true }),
            Err(EngineError::AlreadyExists { .. } | EngineError::TypeExists { .. }) => {
                Ok(Self { what, now: false })
            }
            Err(error) => Err(error),
        }
    }
}

impl BootstrapUser {
    fn password(&self) -> Result<Option<PasswordGiven>, IdentityError> {
        let invalid = |what: &str| {
            let what = format!("{what} of user {}", self.name);
            Err(IdentityError::BootstrapInvalid { what })
        };
        match (&self.password, &self.password_file, &self.password_hash) {
            // A path that nobody read must not become a user without a password.
            (_, Some(_), _) => invalid("nobody has read the password_file"),
            (Some(_), None, Some(_)) => invalid("there is a password and a password_hash"),
            (Some(password), None, None) => Ok(Some(PasswordGiven::Clear(password.clone()))),
            (None, None, Some(phc)) => Ok(Some(PasswordGiven::Hashed(phc.clone()))),
            (None, None, None) => Ok(None),
        }
    }
}

impl Resources {
    /// Makes what is absent, in the order in which one thing needs another.
    ///
    /// # Errors
    /// With the first thing that can't be made. What was made before stays, and doing it again goes
    /// on from there.
    pub async fn bootstrap(&self, bootstrap: &Bootstrap) -> Result<Vec<Did>, EngineError> {
        let caller = &system_caller();
        let mut did = Vec::new();
        for org in &bootstrap.orgs {
            let new = NewOrg {
                name: org.name.clone(),
                vdcs: org.vdcs.clone(),
                ..NewOrg::default()
            };
            let what = format!("organization {}", org.name);
            did.push(Did::of(what, self.create_org(caller, &new).await)?);
        }
        for role in &bootstrap.roles {
            let new = NewRole {
                name: role.name.clone(),
                org: role.org.clone(),
                description: None,
                rights: role.rights.clone(),
            };
            let what = format!("role {}", role.name);
            did.push(Did::of(what, self.create_role(caller, &new).await)?);
        }
        // After roles, which may name rights of a type to come; before publications, because a type
        // brings its bundle.
        for file in &bootstrap.types {
            let version = coeval_core::types::TypeVersion::parse(file);
            let version = version.map_err(|error| EngineError::TypeFile(Box::new(error)))?;
            let registered = self.register_absent(caller, Registration::of(file.clone()));
            let registered = registered.await;
            did.push(Did::of(format!("type {}", version.id), registered)?);
        }
        for user in &bootstrap.users {
            did.push(self.bootstrap_user(caller, user).await?);
        }
        for publication in &bootstrap.publish {
            did.push(self.bootstrap_publication(caller, publication).await?);
        }
        Ok(did)
    }

    async fn bootstrap_user(
        &self,
        caller: &Caller,
        user: &BootstrapUser,
    ) -> Result<Did, EngineError> {
        let org = user.org.as_deref().unwrap_or(SYSTEM_ORGANIZATION);
        let what = format!("user {org}/{}", user.name);
        let password = user.password()?;
        let name = coeval_catalog::identity::names::within(org, &user.name);
        if self.own_named(OwnKind::User, &name).await?.is_some() {
            // Found before a password is hashed for nothing.
            return Ok(Did { what, now: false });
        }
        let new = NewUser {
            roles: user.roles.clone(),
            password,
            ..NewUser::new(org, user.name.clone())
        };
        Did::of(what, self.create_user(caller, &new).await)
    }

    async fn bootstrap_publication(
        &self,
        caller: &Caller,
        publication: &Publication,
    ) -> Result<Did, EngineError> {
        let Publication { bundle, orgs } = publication;
        let what = format!("bundle {bundle} published to {}", orgs.join(", "));
        let published = self.get_bundle(caller, bundle).await?.published;
        let mut missing = Vec::new();
        for org in orgs {
            let id = self.org_id(org).await?;
            if !published.includes(&id) {
                missing.push(id);
            }
        }
        if missing.is_empty() || published == BundleAudience::ToAll {
            return Ok(Did { what, now: false });
        }
        // Nothing is taken back: whoever else it is published to keeps it.
        let to = PublishTo::Orgs(missing);
        Did::of(what, self.publish_bundle(caller, bundle, &to).await)
    }
}
