//! May the caller do it with this resource?
//!
//! Checks are asked in one order: organization, type version, right, level, and then what few
//! actions take. The first that is not met is the reason. Whether the caller may read the
//! resource at all decides if anything is told of it: who may not is answered as if it did not
//! exist.
//!
//! An ACL costs a read, so callers ask without it first. The decision is then made twice, with
//! the least and with the most that the ACL could grant, and only if the two differ it has to be
//! read. What an ACL grants counts as far as the rights of the type go; an administrator's right
//! needs no ACL; secrets take a grant, whatever else the caller has.

use crate::situation::{AccessCheck, CallerSituation};
use crate::{
    AccessLevel, AccessSubject, AclFacts, DenialReason, GeneralRight, ResourceAction,
    ResourceFacts, TypeRight,
};
use coeval_core::types::Visibility;
use coeval_core::version::{TypeName, Version};

/// What a caller may do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum AccessDecision {
    /// Yes.
    Allowed(AllowedAccess),
    /// No.
    Denied(DeniedAccess),
    /// It depends on the resource's ACL: read it and ask again.
    NeedsAcl,
}

impl AccessDecision {
    /// Is it a yes?
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}

/// A yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedAccess {
    /// What the caller has all in all; at least what the action takes.
    pub level: AccessLevel,
}

impl AllowedAccess {
    /// How much of the content the caller sees.
    #[must_use]
    pub const fn sees(self) -> ContentScope {
        match self.level {
            AccessLevel::FullControl => ContentScope::All,
            AccessLevel::ReadOnly | AccessLevel::ReadWrite => ContentScope::Protected,
        }
    }
}

/// A no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeniedAccess {
    /// The caller may not even know that it exists: answered as "not found".
    pub hidden: bool,
    /// Why.
    pub reason: DenialReason,
}

/// How much of a resource's content a caller sees. Views are cached by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContentScope {
    /// What is public or protected.
    Protected,
    /// What is private too.
    All,
}

impl From<ContentScope> for Visibility {
    fn from(sees: ContentScope) -> Self {
        match sees {
            ContentScope::Protected => Self::Protected,
            ContentScope::All => Self::Private,
        }
    }
}

/// May the caller do it with this resource? An ACL that was not loaded is asked for only if the
/// decision, the level or the reason could depend on it.
pub fn decide(
    action: ResourceAction,
    subject: &AccessSubject,
    facts: &ResourceFacts<'_>,
) -> AccessDecision {
    let verdict = match facts.acl {
        AclFacts::Loaded(_) => BareDecision::of(&CallerSituation::new(subject, facts), action),
        // Decided twice, with the least and with the most that the ACL could grant.
        AclFacts::NotLoaded => {
            let without =
                BareDecision::of(&CallerSituation::with_grant(subject, facts, None), action);
            let most = Some(AccessLevel::FullControl);
            let with = BareDecision::of(&CallerSituation::with_grant(subject, facts, most), action);
            // It depends on the ACL, so it has to be read; otherwise the read is saved.
            if with != without {
                return AccessDecision::NeedsAcl;
            }
            without
        }
    };
    match verdict {
        BareDecision::Allowed(level) => AccessDecision::Allowed(AllowedAccess { level }),
        // In words only now: most decisions are made for lists, where nobody reads the reason.
        BareDecision::Denied { hidden, check } => {
            let reason = reason(&CallerSituation::new(subject, facts), check);
            AccessDecision::Denied(DeniedAccess { hidden, reason })
        }
    }
}

/// May the caller be told why somebody may or may not use this resource? One who reads it and its
/// ACL may ask for himself; to ask for another takes full control or an administrator's right.
pub fn may_explain(
    asker: &AccessSubject,
    about_user: &str,
    facts: &ResourceFacts<'_>,
) -> AccessDecision {
    // Without the ACL: an administrator's right does not depend on it.
    let situation = CallerSituation::with_grant(asker, facts, None);
    if about_user == asker.user() || situation.administrator.is_some() {
        decide(ResourceAction::ReadAcl, asker, facts)
    } else {
        // It takes full control, which is what is to be asked here.
        decide(ResourceAction::ChangeOwner, asker, facts)
    }
}

/// A decision without its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum BareDecision {
    Allowed(AccessLevel),
    Denied { hidden: bool, check: AccessCheck },
}

impl BareDecision {
    fn of(situation: &CallerSituation<'_>, action: ResourceAction) -> Self {
        match situation.first_unmet(action) {
            // every action takes a level, so there is one
            None => Self::Allowed(situation.level().unwrap_or(action.needs())),
            Some(check) => Self::Denied {
                // Whoever may not even read it must not learn that it exists.
                hidden: situation.first_unmet(ResourceAction::Read).is_some(),
                check,
            },
        }
    }
}

/// Why this check is not met, in words.
pub(crate) fn reason(situation: &CallerSituation<'_>, check: AccessCheck) -> DenialReason {
    let of = situation.facts.of;
    match check {
        AccessCheck::Organization => DenialReason::OtherOrganization,
        AccessCheck::VersionVisible(hidden) => DenialReason::VersionNotVisible {
            version: version_name(of, hidden.version),
        },
        AccessCheck::Right(needs) => {
            // An administrator's right would do as well, but is named only where it could be
            // granted.
            let administrators = administrators_right(needs).name(of);
            DenialReason::RightMissing {
                right: TypeRight::matching(needs).name(of),
                or: situation.is_administrable().then_some(administrators),
            }
        }
        // What the ACL grants, without what an administrator would have: that is what can be
        // changed there.
        AccessCheck::Level(needs) => DenialReason::LevelTooLow {
            has: situation.acl_level(),
            needs,
        },
        AccessCheck::NotAboveOwn(grant) => DenialReason::GrantAboveOwn {
            grant,
            // Whoever may change an ACL has a level; the fallback only avoids a panic.
            own: situation.level().unwrap_or(AccessLevel::ReadOnly),
        },
        AccessCheck::SecretsRight => DenialReason::RightMissing {
            right: GeneralRight::ViewSecrets.name().to_owned(),
            or: None,
        },
        AccessCheck::ExplicitGrant => DenialReason::SecretsNotGranted {
            // Only an explicit grant counts for secrets, so only that is told.
            has: situation.granted,
        },
    }
}

/// The administrator's right that gives the level without an ACL.
pub(crate) const fn administrators_right(level: AccessLevel) -> TypeRight {
    match level {
        AccessLevel::ReadOnly => TypeRight::AdministratorView,
        AccessLevel::ReadWrite | AccessLevel::FullControl => TypeRight::AdministratorFull,
    }
}

/// `acme:app:1.1.0`.
pub(crate) fn version_name(of: TypeName<'_>, version: Version) -> String {
    format!("{of}:{version}")
}

#[cfg(test)]
mod tests;
