//! Organizations, users, roles, rights bundles, sessions and API tokens.
//!
//! All but sessions are resources of the engine's own kinds. Every change of one rewrites the
//! record `o/identity` in its atomic write, on condition that it is as it was when the change was
//! judged. So changes are judged on what holds, and the record's revision tells every server
//! whether what it remembers of users is still true.

mod bootstrap;
pub(crate) mod built_in;
mod bundles;
mod content;
mod directory;
mod error;
mod failures;
mod login;
mod name_of;
mod named;
mod names;
mod open;
mod orgs;
mod own;
mod own_page;
mod password;
mod programs;
mod rights;
mod roles;
mod sessions;
mod settle;
mod subjects;
mod sync_type;
mod token;
mod type_bundle;
mod users;

pub use bootstrap::{Bootstrap, BootstrapOrg, BootstrapRole, BootstrapUser, Did, Publication};
pub use bundles::{BundleEdit, NewBundle, PublishTo, RightsBundle};
pub use error::IdentityError;
pub use login::{LoggedIn, Login};
pub(crate) use open::system_caller;
pub use open::{DEFAULT_BUNDLE, SYSTEM_USER};
pub use orgs::{NewOrg, OrgEdit, Organization};
pub use password::{Password, PasswordCost, PasswordGiven, PasswordPhc};
pub use programs::TokenShown;
pub use roles::{NewRole, Role, RoleEdit};
pub use sessions::{NewToken, Session, SessionKind};
pub use token::TokenSecret;
pub use users::{NewUser, User, UserEdit};

pub(crate) use content::{
    BundleContent, RoleContent, RoleHolds, UserContent, read as read_content,
};
pub(crate) use directory::{Directory, published};
pub(crate) use own::{NewOwn, Own, Seen};
pub(crate) use subjects::Credentials;

use password::Hasher;
use std::sync::{Arc, RwLock};
use std::time::Duration;
use subjects::Subjects;

/// How passwords, sessions and logins are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdentitySettings {
    /// What hashing a password costs.
    pub password_cost: PasswordCost,
    /// How long a session lasts.
    pub session: Duration,
    /// How many passwords are hashed at once.
    pub logins_at_once: usize,
    /// How many wait for that.
    pub logins_waiting: usize,
    /// How many users' rights are remembered.
    pub remembered: u64,
}

impl Default for IdentitySettings {
    fn default() -> Self {
        Self {
            password_cost: PasswordCost::default(),
            session: Duration::from_secs(24 * 60 * 60),
            logins_at_once: 2,
            logins_waiting: 64,
            remembered: 10_000,
        }
    }
}

/// What a running engine remembers of all this.
#[derive(Debug)]
pub(crate) struct Identity {
    hasher: Hasher,
    subjects: Subjects,
    directory: RwLock<Option<Arc<Directory>>>,
}

impl Identity {
    pub(crate) fn new(settings: &IdentitySettings) -> Self {
        Self {
            hasher: Hasher::new(
                settings.password_cost,
                settings.logins_at_once,
                settings.logins_waiting,
            ),
            subjects: Subjects::new(settings.remembered),
            directory: RwLock::default(),
        }
    }
}
