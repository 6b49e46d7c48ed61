//! Why a caller may or may not do something: each requirement, and by what it is met.
//!
//! It asks the same checks as [`decide`], all of them. Ask [`may_explain`](crate::may_explain) first:
//! an explanation names grants and rights.

use crate::decide::{administrators_right, reason, version_name};
use crate::situation::{AccessCheck, CallerSituation};
use crate::{
    AccessDecision, AccessLevel, AccessSubject, AclFacts, DenialReason, GeneralRight, Grant,
    ResourceAction, ResourceFacts, ResourceHome, TypeRight, decide,
};
use std::fmt;

/// All that decides about one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessExplanation {
    /// What [`decide`] says.
    pub decision: AccessDecision,
    /// Each must be met.
    pub requirements: Vec<AccessRequirement>,
}

/// One thing that an action takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRequirement {
    /// What it takes, in words.
    pub needs: String,
    /// Is it there?
    pub met: RequirementMet,
}

/// Is a requirement met?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequirementMet {
    /// Yes, by any of these.
    By(Vec<RequirementBasis>),
    /// No.
    No(DenialReason),
    /// The ACL was not read, and it decides.
    NotKnown,
}

/// What a requirement is met by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RequirementBasis {
    /// The resource is of the caller's organization.
    OwnOrganization,
    /// The provider reaches every organization, or the one whose context it acts in.
    Provider,
    /// The provider's resources can be shared with tenants.
    ProvidersResource,
    /// The ACL of the type version.
    VersionAcl(AccessLevel),
    /// A right, by its name.
    Right(String),
    /// The ACL of the type version stands in for a right.
    ImpliedRight(AccessLevel),
    /// Ownership.
    Owner,
    /// A grant.
    Grant(Grant),
    /// The caller's own level, all in all.
    OwnLevel(AccessLevel),
}

impl fmt::Display for RequirementBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnOrganization => f.write_str("the caller's own organization"),
            Self::Provider => f.write_str("the caller is of the provider"),
            Self::ProvidersResource => f.write_str("it is the provider's and can be shared"),
            Self::VersionAcl(level) => write!(f, "the type version's ACL grants {level}"),
            Self::Right(name) => write!(f, "the right `{name}`"),
            Self::ImpliedRight(level) => {
                write!(
                    f,
                    "the type version's ACL grants {level}, which implies the right"
                )
            }
            Self::Owner => f.write_str("the caller owns it"),
            Self::Grant(grant) => write!(f, "a grant of {} to {}", grant.level, grant.member),
            Self::OwnLevel(level) => write!(f, "the caller has {level}"),
        }
    }
}

/// Every requirement of the action. Where all are met the action is allowed; else the first that is
/// not is the reason of the denial.
#[must_use]
pub fn explain(
    action: ResourceAction,
    subject: &AccessSubject,
    facts: &ResourceFacts<'_>,
) -> AccessExplanation {
    // The very situation that the decision is made of, so that an explanation can't disagree with
    // it.
    let situation = CallerSituation::new(subject, facts);
    let requirement = |check| AccessRequirement {
        needs: needs(&situation, check),
        met: met(&situation, check),
    };
    AccessExplanation {
        decision: decide(action, subject, facts),
        // All of them, also those behind the first that is not met: whoever asks wants to know
        // everything that is missing.
        requirements: situation.checks(action).map(requirement).collect(),
    }
}

fn needs(situation: &CallerSituation<'_>, check: AccessCheck) -> String {
    let of = situation.facts.of;
    // In the words that error messages use for the same.
    match check {
        AccessCheck::Organization => "its organization is within reach".to_owned(),
        AccessCheck::VersionVisible(to) => {
            format!(
                "the type version {} is visible",
                version_name(of, to.version)
            )
        }
        AccessCheck::Right(level) => format!("the right `{}`", TypeRight::matching(level).name(of)),
        AccessCheck::Level(level) => format!("{level} on the resource"),
        AccessCheck::NotAboveOwn(level) => format!("a level of one's own of at least {level}"),
        AccessCheck::SecretsRight => format!("the right `{}`", GeneralRight::ViewSecrets.name()),
        AccessCheck::ExplicitGrant => "a grant of FullControl".to_owned(),
    }
}

fn met(situation: &CallerSituation<'_>, check: AccessCheck) -> RequirementMet {
    // Reading the ACL costs, so an explanation may be made without it.
    let unread = situation.facts.acl == AclFacts::NotLoaded;
    // Only these depend on the resource's ACL.
    let by_acl = matches!(
        check,
        AccessCheck::Level(_) | AccessCheck::NotAboveOwn(_) | AccessCheck::ExplicitGrant
    );
    if situation.meets(check) {
        RequirementMet::By(bases(situation, check))
    } else if unread && by_acl {
        // Neither met nor not: to guess would tell something wrong about a grant.
        RequirementMet::NotKnown
    } else {
        RequirementMet::No(reason(situation, check))
    }
}

fn bases(situation: &CallerSituation<'_>, check: AccessCheck) -> Vec<RequirementBasis> {
    // A right is named only where it is really held: implied ones are told by what implies them.
    let general = |right: GeneralRight| {
        let held = situation.subject.rights().has(right);
        held.then(|| RequirementBasis::Right(right.name().to_owned()))
    };
    match check {
        AccessCheck::Organization => vec![reached_by(situation)],
        AccessCheck::VersionVisible(version) => {
            // Both may apply; whoever removes one must see that the other is left.
            let granted = version.level.map(RequirementBasis::VersionAcl);
            let managed = general(GeneralRight::ManageAnyDefinition);
            granted.into_iter().chain(managed).collect()
        }
        AccessCheck::Right(level) => rights(situation, level),
        AccessCheck::Level(level) => levels(situation, level),
        AccessCheck::NotAboveOwn(_) => situation
            .level()
            .map(RequirementBasis::OwnLevel)
            .into_iter()
            .collect(),
        AccessCheck::SecretsRight => general(GeneralRight::ViewSecrets).into_iter().collect(),
        AccessCheck::ExplicitGrant => grants(situation, AccessLevel::FullControl),
    }
}

fn reached_by(situation: &CallerSituation<'_>) -> RequirementBasis {
    match situation.facts.home {
        _ if situation.subject.is_provider() => RequirementBasis::Provider,
        ResourceHome::Provider => RequirementBasis::ProvidersResource,
        ResourceHome::Tenant(_) => RequirementBasis::OwnOrganization,
    }
}

fn rights(situation: &CallerSituation<'_>, level: AccessLevel) -> Vec<RequirementBasis> {
    let of = situation.facts.of;
    let right = TypeRight::matching(level);
    let held = situation.held.has(right);
    let held = held.then(|| RequirementBasis::Right(right.name(of)));
    // What the type version's ACL implies needs no role.
    let implied = situation.facts.version.implied();
    let implied = implied.filter(|implied| *implied >= level);
    let implied = implied.map(RequirementBasis::ImpliedRight);
    held.into_iter()
        .chain(implied)
        .chain(administrators(situation, level))
        .collect()
}

fn levels(situation: &CallerSituation<'_>, level: AccessLevel) -> Vec<RequirementBasis> {
    let owner = situation.owns().then_some(RequirementBasis::Owner);
    owner
        .into_iter()
        .chain(grants(situation, level))
        .chain(administrators(situation, level))
        .collect()
}

fn administrators(situation: &CallerSituation<'_>, level: AccessLevel) -> Option<RequirementBasis> {
    let reaches = situation.administrator >= Some(level);
    let name = || administrators_right(level).name(situation.facts.of);
    reaches.then(|| RequirementBasis::Right(name()))
}

fn grants(situation: &CallerSituation<'_>, level: AccessLevel) -> Vec<RequirementBasis> {
    let AclFacts::Loaded(acl) = situation.facts.acl else {
        return Vec::new();
    };
    let enough = acl
        .grants_for(situation.subject)
        .filter(|grant| grant.level >= level);
    enough.cloned().map(RequirementBasis::Grant).collect()
}

#[cfg(test)]
mod tests;
