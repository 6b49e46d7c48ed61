//! Why a caller may or may not do something: each requirement, and by what it is met.
//!
//! It asks the same checks as [`decide`], all of them. Ask [`may_explain`](crate::may_explain) first:
//! an explanation names grants and rights.

use crate::decide::{administrators_right, reason, version_name};
use crate::situation::{Check, Situation};
use crate::{
    AclFacts, Action, Decision, Facts, GeneralRight, Grant, Home, Level, Reason, Subject,
    TypeRight, decide,
};
use std::fmt;

/// All that decides about one action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// What [`decide`] says.
    pub decision: Decision,
    /// Each must be met.
    pub requirements: Vec<Requirement>,
}

/// One thing that an action takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// What it takes, in words.
    pub needs: String,
    /// Is it there?
    pub met: Met,
}

/// Is a requirement met?
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Met {
    /// Yes, by any of these.
    By(Vec<Basis>),
    /// No.
    No(Reason),
    /// The ACL was not read, and it decides.
    NotKnown,
}

/// What a requirement is met by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The resource is of the caller's organization.
    OwnOrganization,
    /// The provider reaches every organization, or the one whose context it acts in.
    Provider,
    /// The provider's resources can be shared with tenants.
    ProvidersResource,
    /// The ACL of the type version.
    VersionAcl(Level),
    /// A right, by its name.
    Right(String),
    /// The ACL of the type version stands in for a right.
    ImpliedRight(Level),
    /// Ownership.
    Owner,
    /// A grant.
    Grant(Grant),
    /// The caller's own level, all in all.
    OwnLevel(Level),
}

impl fmt::Display for Basis {
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
pub fn explain(action: Action, subject: &Subject, facts: &Facts<'_>) -> Explanation {
    let situation = Situation::new(subject, facts);
    let requirement = |check| Requirement {
        needs: needs(&situation, check),
        met: met(&situation, check),
    };
    Explanation {
        decision: decide(action, subject, facts),
        requirements: situation.checks(action).map(requirement).collect(),
    }
}

fn needs(situation: &Situation<'_>, check: Check) -> String {
    let of = situation.facts.of;
    match check {
        Check::Organization => "its organization is within reach".to_owned(),
        Check::VersionVisible(to) => {
            format!(
                "the type version {} is visible",
                version_name(of, to.version)
            )
        }
        Check::Right(level) => format!("the right `{}`", TypeRight::matching(level).name(of)),
        Check::Level(level) => format!("{level} on the resource"),
        Check::NotAboveOwn(level) => format!("a level of one's own of at least {level}"),
        Check::SecretsRight => format!("the right `{}`", GeneralRight::ViewSecrets.name()),
        Check::ExplicitGrant => "a grant of FullControl".to_owned(),
    }
}

fn met(situation: &Situation<'_>, check: Check) -> Met {
    let unread = situation.facts.acl == AclFacts::NotLoaded;
    let by_acl = matches!(
        check,
        Check::Level(_) | Check::NotAboveOwn(_) | Check::ExplicitGrant
    );
    if situation.meets(check) {
        Met::By(bases(situation, check))
    } else if unread && by_acl {
        Met::NotKnown
    } else {
        Met::No(reason(situation, check))
    }
}

fn bases(situation: &Situation<'_>, check: Check) -> Vec<Basis> {
    let general = |right: GeneralRight| {
        let held = situation.subject.rights().has(right);
        held.then(|| Basis::Right(right.name().to_owned()))
    };
    match check {
        Check::Organization => vec![reached_by(situation)],
        Check::VersionVisible(version) => {
            let granted = version.level.map(Basis::VersionAcl);
            let managed = general(GeneralRight::ManageAnyDefinition);
            granted.into_iter().chain(managed).collect()
        }
        Check::Right(level) => rights(situation, level),
        Check::Level(level) => levels(situation, level),
        Check::NotAboveOwn(_) => situation.level().map(Basis::OwnLevel).into_iter().collect(),
        Check::SecretsRight => general(GeneralRight::ViewSecrets).into_iter().collect(),
        Check::ExplicitGrant => grants(situation, Level::FullControl),
    }
}

fn reached_by(situation: &Situation<'_>) -> Basis {
    match situation.facts.home {
        _ if situation.subject.is_provider() => Basis::Provider,
        Home::Provider => Basis::ProvidersResource,
        Home::Tenant(_) => Basis::OwnOrganization,
    }
}

fn rights(situation: &Situation<'_>, level: Level) -> Vec<Basis> {
    let of = situation.facts.of;
    let right = TypeRight::matching(level);
    let held = situation.held.has(right);
    let held = held.then(|| Basis::Right(right.name(of)));
    let implied = situation.facts.version.implied();
    let implied = implied.filter(|implied| *implied >= level);
    let implied = implied.map(Basis::ImpliedRight);
    held.into_iter()
        .chain(implied)
        .chain(administrators(situation, level))
        .collect()
}

fn levels(situation: &Situation<'_>, level: Level) -> Vec<Basis> {
    let owner = situation.owns().then_some(Basis::Owner);
    owner
        .into_iter()
        .chain(grants(situation, level))
        .chain(administrators(situation, level))
        .collect()
}

fn administrators(situation: &Situation<'_>, level: Level) -> Option<Basis> {
    let reaches = situation.administrator >= Some(level);
    let name = || administrators_right(level).name(situation.facts.of);
    reaches.then(|| Basis::Right(name()))
}

fn grants(situation: &Situation<'_>, level: Level) -> Vec<Basis> {
    let AclFacts::Loaded(acl) = situation.facts.acl else {
        return Vec::new();
    };
    let enough = acl
        .grants_for(situation.subject)
        .filter(|grant| grant.level >= level);
    enough.cloned().map(Basis::Grant).collect()
}

#[cfg(test)]
mod tests;
