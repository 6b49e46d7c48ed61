//! May the caller do it with this resource?

use crate::situation::{Check, Situation};
use crate::{AclFacts, Action, Facts, GeneralRight, Level, Reason, Subject, TypeRight};
use coeval_core::types::Visibility;
use coeval_core::version::{TypeName, Version};

/// What a caller may do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// Yes.
    Allowed(Allowed),
    /// No.
    Denied(Denied),
    /// It depends on the resource's ACL: read it and ask again.
    NeedsAcl,
}

impl Decision {
    /// Is it a yes?
    #[must_use]
    pub const fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}

/// A yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowed {
    /// What the caller has all in all; at least what the action takes.
    pub level: Level,
}

impl Allowed {
    /// How much of the content the caller sees.
    #[must_use]
    pub const fn sees(self) -> Sees {
        match self.level {
            Level::FullControl => Sees::All,
            Level::ReadOnly | Level::ReadWrite => Sees::Protected,
        }
    }
}

/// A no.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denied {
    /// The caller may not even know that it exists: answered as "not found".
    pub hidden: bool,
    /// Why.
    pub reason: Reason,
}

/// How much of a resource's content a caller sees. Views are cached by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sees {
    /// What is public or protected.
    Protected,
    /// What is private too.
    All,
}

impl From<Sees> for Visibility {
    fn from(sees: Sees) -> Self {
        match sees {
            Sees::Protected => Self::Protected,
            Sees::All => Self::Private,
        }
    }
}

/// May the caller do it with this resource? An ACL that was not loaded is asked for only if the
/// decision, the level or the reason could depend on it.
pub fn decide(action: Action, subject: &Subject, facts: &Facts<'_>) -> Decision {
    let verdict = match facts.acl {
        AclFacts::Loaded(_) => Verdict::of(&Situation::new(subject, facts), action),
        AclFacts::NotLoaded => {
            let without = Verdict::of(&Situation::with_grant(subject, facts, None), action);
            let most = Some(Level::FullControl);
            let with = Verdict::of(&Situation::with_grant(subject, facts, most), action);
            if with != without {
                return Decision::NeedsAcl;
            }
            without
        }
    };
    match verdict {
        Verdict::Allowed(level) => Decision::Allowed(Allowed { level }),
        Verdict::Denied { hidden, check } => {
            let reason = reason(&Situation::new(subject, facts), check);
            Decision::Denied(Denied { hidden, reason })
        }
    }
}

/// May the caller be told why somebody may or may not use this resource? One who reads it and its
/// ACL may ask for himself; to ask for another takes full control or an administrator's right.
pub fn may_explain(asker: &Subject, about_user: &str, facts: &Facts<'_>) -> Decision {
    let situation = Situation::with_grant(asker, facts, None);
    if about_user == asker.user() || situation.administrator.is_some() {
        decide(Action::ReadAcl, asker, facts)
    } else {
        decide(Action::ChangeOwner, asker, facts)
    }
}

/// A decision without its words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allowed(Level),
    Denied { hidden: bool, check: Check },
}

impl Verdict {
    fn of(situation: &Situation<'_>, action: Action) -> Self {
        match situation.first_unmet(action) {
            // every action takes a level, so there is one
            None => Self::Allowed(situation.level().unwrap_or(action.needs())),
            Some(check) => Self::Denied {
                hidden: situation.first_unmet(Action::Read).is_some(),
                check,
            },
        }
    }
}

/// Why this check is not met, in words.
pub(crate) fn reason(situation: &Situation<'_>, check: Check) -> Reason {
    let of = situation.facts.of;
    match check {
        Check::Organization => Reason::OtherOrganization,
        Check::VersionVisible(hidden) => Reason::VersionNotVisible {
            version: version_name(of, hidden.version),
        },
        Check::Right(needs) => {
            let administrators = administrators_right(needs).name(of);
            Reason::RightMissing {
                right: TypeRight::matching(needs).name(of),
                or: situation.is_administrable().then_some(administrators),
            }
        }
        Check::Level(needs) => Reason::LevelTooLow {
            has: situation.acl_level(),
            needs,
        },
        Check::NotAboveOwn(grant) => Reason::GrantAboveOwn {
            grant,
            own: situation.level().unwrap_or(Level::ReadOnly),
        },
        Check::SecretsRight => Reason::RightMissing {
            right: GeneralRight::ViewSecrets.name().to_owned(),
            or: None,
        },
        Check::ExplicitGrant => Reason::SecretsNotGranted {
            has: situation.granted,
        },
    }
}

/// The administrator's right that gives the level without an ACL.
pub(crate) const fn administrators_right(level: Level) -> TypeRight {
    match level {
        Level::ReadOnly => TypeRight::AdministratorView,
        Level::ReadWrite | Level::FullControl => TypeRight::AdministratorFull,
    }
}

/// `acme:app:1.1.0`.
pub(crate) fn version_name(of: TypeName<'_>, version: Version) -> String {
    format!("{of}:{version}")
}

#[cfg(test)]
mod tests;
