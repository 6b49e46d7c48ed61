//! Access, decided on what is stored by the rules of `coeval-access`.

use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::types::state::TypeState;
use crate::visible_versions::sees_any;
use coeval_access::{
    AccessDecision, AccessLevel, AccessSubject, Acl, AclFacts, GeneralRight, ResourceAction,
    ResourceFacts, ResourceHome, TypeAction, VersionFacts, decide, decide_general, decide_type,
};
use coeval_core::phases::RecordHome;
use coeval_core::version::{TypeName, Version};
use coeval_records::acl::decode_acl;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::ReadRequest;

/// The id of the provider's organization, the same in every store.
pub const SYSTEM_ORG: &str = "urn:vcloud:org:a93c9db9-7471-3192-8d09-a8f7eeda85f9";

/// Where a resource belongs.
pub fn home(org: &str) -> ResourceHome<'_> {
    match org {
        SYSTEM_ORG => ResourceHome::Provider,
        org => ResourceHome::Tenant(org),
    }
}

/// A type's name; a key is made from checked names only.
pub fn type_name(of: &TypeKey) -> Result<TypeName<'_>, EngineError> {
    let name = |text| coeval_core::version::UrnName::parse(text).ok();
    match (name(&of.vendor), name(&of.nss)) {
        (Some(vendor), Some(nss)) => Ok(TypeName { vendor, nss }),
        _ => Err(EngineError::TypeUnknown { of: of.clone() }),
    }
}

/// What a version's ACL says of a caller.
pub fn version_facts(state: &TypeState, version: Version, subject: &AccessSubject) -> VersionFacts {
    let definition = state.definitions.get(&version);
    let level = definition.and_then(|one| {
        // What ships with Coeval is there for everybody; rights decide.
        let built_in = one.meta.built_in.then_some(AccessLevel::ReadWrite);
        one.meta.acl.level_for(subject).max(built_in)
    });
    VersionFacts {
        max_implicit: definition.and_then(|one| one.meta.max_implicit_right),
        ..VersionFacts::new(version, level)
    }
}

/// What the ACLs of its versions say of a caller's access to a resource. In a migration a resource that
/// takes part is at two majors: what is granted at either counts, in every phase.
pub fn resource_facts(
    state: &TypeState,
    version: Version,
    home: RecordHome,
    subject: &AccessSubject,
) -> VersionFacts {
    let own = version_facts(state, version, subject);
    let migration = state.phase.migration;
    let other = migration.and_then(|migration| migration.counterpart(version.major, home));
    let Some(other) = other else {
        return own;
    };
    // In every phase alike: access must not come and go while the type moves.
    let versions = state.definitions.keys();
    let versions = versions.filter(|version| version.major == other);
    versions.fold(own, |facts, version| {
        facts.or(&version_facts(state, *version, subject))
    })
}

pub fn decided(decision: AccessDecision) -> Result<Option<AccessLevel>, EngineError> {
    match decision {
        AccessDecision::Allowed(allowed) => Ok(Some(allowed.level)),
        AccessDecision::Denied(denied) => Err(EngineError::Denied(denied)),
        AccessDecision::NeedsAcl => Ok(None),
    }
}

impl Catalog {
    /// What the caller may do with a resource, if at least this. The ACL is read only if the
    /// decision depends on it.
    pub async fn allow(
        &self,
        caller: &Caller,
        state: &TypeState,
        stored: &Stored,
        action: ResourceAction,
    ) -> Result<AccessLevel, EngineError> {
        // Most decisions need no ACL, and so no other read.
        match allowed(caller, state, stored, action, None)? {
            Some(level) => Ok(level),
            None => {
                let acl = self.read_acl(stored).await?;
                let level = allowed(caller, state, stored, action, Some(&acl))?;
                // With the ACL at hand there is always an answer.
                level.ok_or_else(|| EngineError::no_resource(stored.id))
            }
        }
    }

    pub async fn read_acl(&self, stored: &Stored) -> Result<Acl, EngineError> {
        let request = ReadRequest::keys([keys::acl(stored.id)?]);
        let snapshot = self.store.read(request).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        match entry {
            // Without a record nothing was granted to anybody by name.
            None => Ok(Acl::default()),
            Some(entry) => decode_acl(&entry).ok_or_else(|| EngineError::Unreadable {
                id: stored.id,
                reason: "its ACL can't be read".to_owned(),
            }),
        }
    }

    /// Whether the caller may make a resource at a version.
    pub fn allow_create(
        &self,
        caller: &Caller,
        state: &TypeState,
        version: Version,
        org: Option<&str>,
    ) -> Result<(), EngineError> {
        let of = type_name(&state.key)?;
        let facts = version_facts(state, version, &caller.subject);
        let action = TypeAction::CreateResource;
        decided(decide_type(action, &caller.subject, of, facts))
            .map_err(|error| unseen(caller, state, version, error))?;
        match org {
            // Only a provider creates for another organization.
            Some(org) if org != caller.org() && !caller.subject.is_provider() => {
                Err(EngineError::Denied(coeval_access::DeniedAccess {
                    hidden: false,
                    reason: coeval_access::DenialReason::OtherOrganization,
                }))
            }
            _ => Ok(()),
        }
    }

    /// Whether the caller may do that with a type version.
    pub fn allow_type(
        &self,
        caller: &Caller,
        state: &TypeState,
        version: Version,
        action: TypeAction,
    ) -> Result<(), EngineError> {
        let of = type_name(&state.key)?;
        let facts = version_facts(state, version, &caller.subject);
        decided(decide_type(action, &caller.subject, of, facts))
            .map(|_| ())
            .map_err(|error| unseen(caller, state, version, error))
    }

    /// Whether the caller has a general right.
    pub fn allow_general(
        &self,
        caller: &Caller,
        right: GeneralRight,
        org: Option<&str>,
    ) -> Result<(), EngineError> {
        Ok(decide_general(right, &caller.subject, org)?)
    }
}

/// A version that the caller can't see answers as one that there is not, and a type of which it
/// sees no version as if there were none.
fn unseen(caller: &Caller, state: &TypeState, version: Version, error: EngineError) -> EngineError {
    let of = state.key.clone();
    match error {
        EngineError::Denied(denied) if denied.hidden => {
            if sees_any(state, &caller.subject) {
                EngineError::TypeVersionUnknown { of, version }
            } else {
                EngineError::TypeUnknown { of }
            }
        }
        error => error,
    }
}

/// What is stored about a resource, for a decision on one subject.
pub fn facts<'a>(
    subject: &AccessSubject,
    state: &'a TypeState,
    stored: &'a Stored,
    acl: AclFacts<'a>,
) -> Result<ResourceFacts<'a>, EngineError> {
    Ok(ResourceFacts {
        of: type_name(&state.key)?,
        version: resource_facts(state, stored.header.version, stored.home(), subject),
        home: home(&stored.header.org),
        owner: Some(&stored.header.owner),
        acl,
    })
}

/// `None`: the ACL decides.
pub fn allowed(
    caller: &Caller,
    state: &TypeState,
    stored: &Stored,
    action: ResourceAction,
    acl: Option<&Acl>,
) -> Result<Option<AccessLevel>, EngineError> {
    let acl = acl.map_or(AclFacts::NotLoaded, AclFacts::Loaded);
    let facts = facts(&caller.subject, state, stored, acl)?;
    decided(decide(action, &caller.subject, &facts))
}
