//! ACLs: who is granted what on one resource or one type version.
//!
//! An ACL has at most one grant for each member, in the order of members, so that a look-up is a
//! few comparisons whether it has three grants or thousands (a type published to every tenant).

use crate::{AccessLevel, AccessSubject, AclError};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most grants of one ACL. A type version has one for each organization it is published to.
pub const MAX_GRANTS: usize = 20_000;

/// Whom a grant is for. Ids are opaque, and unique among all organizations.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AclMember {
    /// One user.
    User(String),
    /// Everybody who has the role.
    Role(String),
    /// Everybody of the organization.
    Org(String),
}

impl AclMember {
    /// Is the caller this user, or one with this role, or of this organization? A provider who acts
    /// in a tenant's context is no member of that tenant.
    #[must_use]
    pub fn includes(&self, subject: &AccessSubject) -> bool {
        match self {
            Self::User(id) => id == subject.user(),
            Self::Role(id) => subject.roles().contains(id),
            Self::Org(id) => id == subject.org(),
        }
    }

    /// The id of the user, the role or the organization.
    #[must_use]
    pub fn id(&self) -> &str {
        self.key().1
    }

    fn key(&self) -> (u8, &str) {
        match self {
            Self::User(id) => (0, id),
            Self::Role(id) => (1, id),
            Self::Org(id) => (2, id),
        }
    }
}

/// `user U`, `role R`, `organization O`.
impl fmt::Display for AclMember {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(id) => write!(f, "user {id}"),
            Self::Role(id) => write!(f, "role {id}"),
            Self::Org(id) => write!(f, "organization {id}"),
        }
    }
}

/// One line of an ACL.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Grant {
    /// For whom.
    pub member: AclMember,
    /// How much.
    pub level: AccessLevel,
}

/// The grants of one resource or type version.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<Grant>", into = "Vec<Grant>")]
pub struct Acl(Vec<Grant>);

impl Acl {
    /// The ACL of something new: its creator has full control.
    #[must_use]
    pub fn of_creator(user: &str) -> Self {
        let member = AclMember::User(user.to_owned());
        let level = AccessLevel::FullControl;
        Self(vec![Grant { member, level }])
    }

    /// A new owner gets the grant that a creator gets. The old owner's stays until it is removed.
    pub fn grant_to_owner(&mut self, user: &str) {
        let member = AclMember::User(user.to_owned());
        let level = AccessLevel::FullControl;
        self.raise(Grant { member, level });
    }

    /// In the order of members: users, roles, organizations.
    #[must_use]
    pub fn grants(&self) -> &[Grant] {
        &self.0
    }

    /// The highest level of all grants that apply to the caller.
    #[must_use]
    pub fn level_for(&self, subject: &AccessSubject) -> Option<AccessLevel> {
        // Searched by key: an ACL may have thousands of grants, and a caller has a handful of keys.
        let roles = subject.roles().iter().map(|role| (1, role.as_str()));
        std::iter::once((0, subject.user()))
            .chain(roles)
            .chain(std::iter::once((2, subject.org())))
            .filter_map(|key| self.level_at(key))
            .max()
    }

    /// The grants that apply to the caller.
    pub fn grants_for(&self, subject: &AccessSubject) -> impl Iterator<Item = &Grant> {
        let applies = |grant: &&Grant| grant.member.includes(subject);
        self.0.iter().filter(applies)
    }

    /// What is granted to exactly this member.
    #[must_use]
    pub fn level_of(&self, member: &AclMember) -> Option<AccessLevel> {
        self.level_at(member.key())
    }

    /// Grants, or changes what was granted. The caller's own level bounds both what there was and
    /// what there will be.
    pub fn set(&mut self, grant: Grant, own: AccessLevel) -> Result<(), AclError> {
        let before = self.level_of(&grant.member);
        // Lowering a grant that is above one's own would be to take it away.
        not_above(own, before.max(Some(grant.level)))?;
        // Only a new member makes it longer.
        if before.is_none() && self.0.len() >= MAX_GRANTS {
            return Err(AclError::TooManyGrants);
        }
        self.put(grant);
        Ok(())
    }

    /// Takes a grant away; one above the caller's own level stays.
    pub fn remove(&mut self, member: &AclMember, own: AccessLevel) -> Result<Grant, AclError> {
        not_above(own, self.level_of(member))?;
        self.take(member).ok_or(AclError::NoSuchGrant)
    }

    /// Grants at least this level, as a rule of Coeval's own and not as anybody's wish.
    pub(crate) fn raise(&mut self, grant: Grant) -> bool {
        let before = self.level_of(&grant.member);
        let raised = before < Some(grant.level);
        if raised {
            self.put(grant);
        }
        raised
    }

    pub(crate) fn take(&mut self, member: &AclMember) -> Option<Grant> {
        let at = self.find(member.key()).ok()?;
        Some(self.0.remove(at))
    }

    fn put(&mut self, grant: Grant) {
        match self.find(grant.member.key()) {
            Ok(at) => {
                if let Some(there) = self.0.get_mut(at) {
                    *there = grant;
                }
            }
            Err(at) => self.0.insert(at, grant),
        }
    }

    fn level_at(&self, key: (u8, &str)) -> Option<AccessLevel> {
        let at = self.find(key).ok()?;
        self.0.get(at).map(|grant| grant.level)
    }

    fn find(&self, key: (u8, &str)) -> Result<usize, usize> {
        self.0
            .binary_search_by(|grant| grant.member.key().cmp(&key))
    }
}

fn not_above(own: AccessLevel, grant: Option<AccessLevel>) -> Result<(), AclError> {
    match grant {
        Some(grant) if grant > own => Err(AclError::AboveOwn { grant, own }),
        _ => Ok(()),
    }
}

/// Of two grants for one member the higher one holds.
impl From<Vec<Grant>> for Acl {
    fn from(mut grants: Vec<Grant>) -> Self {
        // The highest of a member comes first, and is the one that stays.
        grants.sort_by(|a, b| a.member.cmp(&b.member).then(b.level.cmp(&a.level)));
        grants.dedup_by(|later, earlier| later.member == earlier.member);
        Self(grants)
    }
}

impl From<Acl> for Vec<Grant> {
    fn from(acl: Acl) -> Self {
        acl.0
    }
}

#[cfg(test)]
mod tests;
