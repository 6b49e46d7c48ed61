//! What a server remembers of users, roles and organizations.

use crate::caches::directory::Directory;
use crate::caches::subjects::Subjects;
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
    pub hasher: Hasher,
    pub subjects: Subjects,
    pub directory: RwLock<Option<Arc<Directory>>>,
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
