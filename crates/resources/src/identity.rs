//! Organizations, users, roles, rights bundles, sessions and API tokens.
//!
//! All but sessions are resources of the engine's own kinds. Every change of one rewrites the
//! record `o/identity` in its atomic write, on condition that it is as it was when the change was
//! judged. So changes are judged on what holds, and the record's revision tells every server
//! whether what it remembers of users is still true.

pub mod bootstrap;
pub mod bundles;
pub mod directory;
pub(crate) mod failures;
pub mod login;
pub(crate) mod name_of;
pub(crate) mod named;
pub mod open;
pub mod orgs;
pub mod own;
pub(crate) mod own_page;
pub(crate) mod prefetch;
pub mod programs;
pub(crate) mod rights;
pub mod roles;
pub mod sessions;
pub(crate) mod settle;
pub(crate) mod subjects;
pub(crate) mod sync_type;
pub(crate) mod type_bundle;
pub mod users;

use crate::identity::directory::Directory;
use crate::identity::subjects::Subjects;
use coeval_catalog::identity::password::{Hasher, PasswordCost};
use std::sync::{Arc, RwLock};
use std::time::Duration;

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
pub struct Identity {
    hasher: Hasher,
    subjects: Subjects,
    directory: RwLock<Option<Arc<Directory>>>,
}

impl Identity {
    pub fn new(settings: &IdentitySettings) -> Self {
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
