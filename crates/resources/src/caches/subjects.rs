//! Users that are known, and what identity was when they were found out.

use coeval_access::AccessSubject;
use coeval_catalog::identity::seen::Seen;
use coeval_core::version::Uuid;
use moka::sync::Cache;
use std::sync::Arc;

/// What is known of a user who may log in.
#[derive(Clone, Debug)]
pub struct KnownUser {
    pub subject: Arc<AccessSubject>,
    pub session_epoch: u64,
    pub token_epoch: u64,
}

/// What is remembered.
#[derive(Debug)]
pub struct Subjects {
    pub users: Cache<Uuid, (Seen, Arc<KnownUser>)>,
    pub orgs: Cache<String, Seen>,
    /// Names by id.
    pub names: Cache<String, (Seen, Arc<str>)>,
    /// Users' ids by their names.
    pub ids: Cache<String, (Seen, Uuid)>,
}

impl Subjects {
    pub(crate) fn new(most: u64) -> Self {
        Self {
            users: Cache::new(most),
            orgs: Cache::new(most),
            names: Cache::new(most),
            ids: Cache::new(most),
        }
    }
}
