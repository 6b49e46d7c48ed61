//! Who would lose access: members who see a version of the major that a migration leaves, and not
//! the version that its resources get.
//!
//! While a type is migrated, access to either of its two majors is access to what takes part
//! (`allow::resource_facts`). Cleanup ends that, resource by resource: from then on the ACL of the
//! version that a resource is stored at decides alone. So cutover, which nobody passes by accident,
//! waits for these members until they are granted the new version, or somebody names them
//! (docs/decisions/0010-cutover-waits-for-access.md).
//!
//! A member of an ACL is an organization, a role or a user, and one can be part of another. A user
//! is reached by a grant to a role or to the organization that it has, and by the right to manage
//! definitions; a role of an organization by a grant to that organization. Who no longer exists
//! loses nothing. What is decided is right for the ACLs of the type at the moment of the move: each
//! change of one writes the phase record, which the move is conditioned on. That a user changes
//! roles at the same moment is not.

use crate::background::Background;
use crate::migrations::start::newest_of;
use coeval_access::{AccessLevel, Acl, AclMember, GeneralRight, Grant};
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::identity::content::{RoleContent, RoleHolds, UserContent};
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{Migration, Phase, PhaseRecord};
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::error::migrations::{MigrationError, WithoutAccess};
use coeval_records::keys::TypeKey;
use coeval_resources::caches::directory::Directory;
use std::collections::BTreeMap;

/// How many are named in a refusal and in a status.
pub const NAMED: usize = 10;

/// Somebody who would lose access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LosingMember {
    /// Who.
    pub member: AclMember,
    /// As commands take it: `org:acme`, `role:Worker`, `role:Worker@acme`, `user:bob@acme`; the id where
    /// that says not which.
    pub name: String,
    /// The organization that it is part of, in the same form.
    within: Option<String>,
    /// The most that it is granted at a version of the old major.
    pub level: AccessLevel,
    /// The version that it does not see.
    pub to: Version,
}

impl LosingMember {
    /// Whether somebody said that the migration goes on without it, or without all of its
    /// organization.
    fn is_named(&self, named: &[String]) -> bool {
        let is = |said: &String| {
            *said == self.name || said == self.member.id() || Some(said) == self.within.as_ref()
        };
        named.iter().any(is)
    }
}

/// Who would lose access, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LosingAccess {
    of: TypeKey,
    from: u32,
    /// The version that resources get.
    to: Version,
    pub members: Vec<LosingMember>,
}

impl LosingAccess {
    /// Refuses to go on without those who are not named.
    pub fn check(mut self, named: &[String]) -> Result<(), MigrationError> {
        self.members.retain(|one| !one.is_named(named));
        let Some(level) = self.members.first().map(|first| first.level) else {
            return Ok(());
        };
        let names = self.members.into_iter().map(|one| one.name);
        let mut names: Vec<String> = names.collect();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let refused = WithoutAccess {
            of: self.of,
            from: self.from,
            to: self.to,
            level,
            names,
            more,
        };
        Err(Box::new(refused).into())
    }
}

impl LosingAccess {
    /// In one sentence: what cutover waits for, and what to do.
    pub fn why(&self) -> String {
        const SAID: usize = 3;
        let all = self
            .members
            .iter()
            .map(|one| coeval_codes::shell_word(&one.name));
        let mut said: Vec<String> = all.take(SAID).collect();
        let without = said.iter().map(|name| format!(" --without-access {name}"));
        let without = without.collect::<String>();
        if self.members.len() > SAID {
            said.push("others".to_owned());
        }
        let last = said.pop().unwrap_or_default();
        let whom = if said.is_empty() {
            last
        } else {
            format!("{} and {last}", said.join(", "))
        };
        let Self { of, from, to, .. } = self;
        format!(
            "Cutover waits for {whom}, with access to major {from} and not to {to}: grant it with `coeval type grant {of}:{to}`, or go on without with `coeval migrate advance {of} --to cutover{without}`."
        )
    }
}

/// Whether a move lets servers work at cutover that could not before.
pub(crate) fn admits_cutover(before: &PhaseRecord, after: &PhaseRecord) -> bool {
    let high = |record: &PhaseRecord| record.migration.map(|migration| migration.live.high);
    high(before) < Some(Phase::Cutover) && high(after) == Some(Phase::Cutover)
}

/// What is granted at the old major to members that have no grant of their own on the new version.
fn granted_before(state: &TypeState, from: u32, granted: &Acl) -> BTreeMap<AclMember, AccessLevel> {
    let mut members = BTreeMap::new();
    let old = state.definitions.values();
    for definition in old.filter(|one| one.version.major == from) {
        for Grant { member, level } in definition.meta.acl.grants() {
            if granted.level_of(member).is_none() {
                let most = members.entry(member.clone()).or_insert(*level);
                *most = (*most).max(*level);
            }
        }
    }
    members
}

/// The version that resources get: the newest of the major that is known here, or else that there is.
fn target(state: &TypeState, major: u32) -> Option<Version> {
    newest_of(state, major).ok().or_else(|| {
        let versions = state.definitions.keys().copied();
        versions.filter(|version| version.major == major).max()
    })
}

/// How a member is called.
struct Called {
    name: String,
    within: Option<String>,
}

impl Called {
    /// One that there is no record of: ids are opaque.
    fn by_id(member: &AclMember) -> Self {
        Self {
            name: member.id().to_owned(),
            within: None,
        }
    }
}

fn org_name(name: &str) -> String {
    format!("org:{name}")
}

/// The record behind an id that says of what kind it is.
fn id_of(kind: OwnKind, id: &str) -> Option<Uuid> {
    kind.id(id).filter(|_| id.starts_with("urn:"))
}

fn manages(directory: &Directory, org: &str, roles: &[String]) -> bool {
    let rights = directory.rights(org == SYSTEM_ORG, org, roles);
    rights.has(GeneralRight::ManageAnyDefinition)
}

impl Background {
    /// Who sees the major that a migration leaves and not the version that resources get; at most
    /// so many.
    pub(crate) async fn losing_access(
        &self,
        state: &TypeState,
        (from, to): (u32, u32),
        most: usize,
    ) -> Result<LosingAccess, EngineError> {
        // Not any version of the major: who sees another one loses what is stored at this one.
        let to = target(state, to).unwrap_or(Version::new(to, 0, 0));
        let mut losing = LosingAccess {
            of: state.key.clone(),
            from,
            to,
            members: Vec::new(),
        };
        let new = state.definitions.get(&to);
        // What ships with Coeval is there for everybody.
        if new.is_some_and(|one| one.meta.built_in) {
            return Ok(losing);
        }
        let granted = new.map(|one| one.meta.acl.clone()).unwrap_or_default();
        // Read once, and only if there is somebody to ask about.
        let mut directory = None;
        for (member, level) in granted_before(state, from, &granted) {
            if losing.members.len() >= most {
                break;
            }
            let directory = match &directory {
                Some(directory) => directory,
                None => &*directory.insert(self.directory().await?),
            };
            let called = self.unreached(directory, &granted, &member).await?;
            losing.members.extend(called.map(|called| LosingMember {
                member,
                name: called.name,
                within: called.within,
                level,
                to,
            }));
        }
        say_which(&mut losing.members);
        Ok(losing)
    }

    /// How a member is called that no grant reaches by what it is part of; nothing for one that is
    /// reached, or is gone.
    async fn unreached(
        &self,
        directory: &Directory,
        granted: &Acl,
        member: &AclMember,
    ) -> Result<Option<Called>, EngineError> {
        let has = |member: AclMember| granted.level_of(&member).is_some();
        let of_org = |org: &str| has(AclMember::Org(org.to_owned()));
        match member {
            AclMember::User(id) => {
                // An id of another system: nobody can be looked up, so it is waited for under its
                // id.
                let Some(user) = id_of(OwnKind::User, id) else {
                    return Ok(Some(Called::by_id(member)));
                };
                let Some(own) = self.own(OwnKind::User, user).await? else {
                    return Ok(None);
                };
                let UserContent {
                    org,
                    username,
                    roles,
                    ..
                } = self.read_own(&own)?;
                let by_role = roles.iter().any(|role| has(AclMember::Role(role.clone())));
                if by_role || of_org(&org) || manages(directory, &org, &roles) {
                    return Ok(None);
                }
                let org = self.org_called(&org).await?;
                Ok(Some(match org {
                    Some(org) => Called {
                        name: format!("user:{username}@{org}"),
                        within: Some(org_name(&org)),
                    },
                    None => Called::by_id(member),
                }))
            }
            AclMember::Role(id) => {
                if id_of(OwnKind::Role, id).is_none() {
                    return Ok(Some(Called::by_id(member)));
                }
                let Some((held, _)) = directory.roles.get(id) else {
                    return Ok(None);
                };
                let RoleContent {
                    rolename,
                    org,
                    holds,
                    ..
                } = &held.content;
                let providers =
                    *holds == RoleHolds::Everything || org.as_deref() == Some(SYSTEM_ORG);
                let manages = providers && manages(directory, SYSTEM_ORG, std::slice::from_ref(id));
                if manages || org.as_deref().is_some_and(of_org) {
                    return Ok(None);
                }
                let within = match org {
                    Some(org) => self.org_called(org).await?,
                    None => None,
                };
                let name = match &within {
                    Some(org) => format!("role:{rolename}@{org}"),
                    None => format!("role:{rolename}"),
                };
                Ok(Some(Called {
                    name,
                    within: within.as_deref().map(org_name),
                }))
            }
            AclMember::Org(id) => {
                if id_of(OwnKind::Org, id).is_none() {
                    return Ok(Some(Called::by_id(member)));
                }
                let called = self.org_called(id).await?;
                Ok(called.map(|name| Called {
                    name: org_name(&name),
                    within: None,
                }))
            }
        }
    }

    async fn org_called(&self, id: &str) -> Result<Option<String>, EngineError> {
        let Some(id) = id_of(OwnKind::Org, id) else {
            return Ok(None);
        };
        let own = self.own(OwnKind::Org, id).await?;
        Ok(own.map(|own| own.stored.header.name))
    }

    /// Who holds up the migration that is under way, if it waits for nothing else than for somebody to
    /// let it into cutover.
    pub(crate) async fn held_by_access(
        &self,
        state: &TypeState,
        migration: Migration,
    ) -> Result<Option<LosingAccess>, EngineError> {
        let live = migration.live;
        // Only where cutover is the next half step is it what the migration waits for.
        if (live.low, live.high) != (Phase::Soak, Phase::Soak) {
            return Ok(None);
        }
        let majors = (migration.from, migration.to);
        let losing = self.losing_access(state, majors, NAMED + 1).await?;
        Ok((!losing.members.is_empty()).then_some(losing))
    }
}

/// Gives those whose names are the same their ids: roles of two organizations may be called alike.
fn say_which(members: &mut [LosingMember]) {
    let names: Vec<String> = members.iter().map(|one| one.name.clone()).collect();
    for one in members {
        if names.iter().filter(|name| **name == one.name).count() > 1 {
            one.name = one.member.id().to_owned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use coeval_codes::Coded as _;

    fn losing(name: &str, within: Option<&str>) -> LosingMember {
        LosingMember {
            member: AclMember::User(format!("urn:{name}")),
            name: name.to_owned(),
            within: within.map(str::to_owned),
            level: AccessLevel::ReadWrite,
            to: Version::new(2, 0, 0),
        }
    }

    fn all(members: Vec<LosingMember>) -> LosingAccess {
        LosingAccess {
            of: TypeKey::new("acme", "app"),
            from: 1,
            to: Version::new(2, 0, 0),
            members,
        }
    }

    fn said(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn whoever_is_named_or_whose_organization_is_holds_nothing() {
        let both = || {
            all(vec![
                losing("org:acme", None),
                losing("user:bob@acme", Some("org:acme")),
            ])
        };
        for (named, lets) in [
            (&[][..], false),
            (&["org:acme"], true),
            (&["user:bob@acme"], false),
            (&["urn:org:acme", "urn:user:bob@acme"], true),
            (&["acme"], false),
        ] {
            assert_eq!(both().check(&said(named)).is_ok(), lets, "{named:?}");
        }
    }

    #[test]
    fn a_refusal_names_some_and_says_both_ways_on() {
        let many = (0..12).map(|n| losing(&format!("org:o{n}"), None));
        let refusal = all(many.collect()).check(&said(&["org:o0"])).unwrap_err();
        let told = refusal.to_string();
        assert!(
            told.contains("org:o1, ") && told.contains("org:o10"),
            "{told}"
        );
        assert!(told.ends_with("and 1 more"), "{told}");
        let advice = refusal.advice();
        assert!(
            advice.contains("`coeval type grant acme:app:2.0.0 org:o1 read-write`"),
            "{advice}"
        );
        assert!(
            advice
                .contains("`coeval migrate advance acme:app --to cutover --without-access org:o1"),
            "{advice}"
        );
        let spaced = all(vec![losing("role:Night Shift's", None)]);
        let advice = spaced.check(&[]).unwrap_err().advice();
        assert!(
            advice.contains(r"--without-access 'role:Night Shift'\''s'"),
            "{advice}"
        );
    }

    #[test]
    fn of_two_that_are_called_alike_the_id_says_which() {
        let mut members = [
            losing("role:W", None),
            losing("role:W", None),
            losing("role:V", None),
        ];
        say_which(&mut members);
        let names = members.map(|one| one.name);
        assert_eq!(names, ["urn:role:W", "urn:role:W", "role:V"]);
    }
}
