//! A caller before a resource: everything that decisions and explanations derive from.

use crate::{
    AclFacts, Action, Facts, GeneralRight, Home, Level, Subject, TypeRight, TypeRights,
    VersionFacts,
};

/// Where the caller stands.
#[derive(Clone, Copy)]
pub(crate) struct Situation<'a> {
    pub(crate) subject: &'a Subject,
    pub(crate) facts: &'a Facts<'a>,
    /// The rights held, without implied ones.
    pub(crate) held: TypeRights,
    /// The rights that count: held, or implied by the type version's ACL.
    pub(crate) rights: TypeRights,
    /// What an administrator's right gives without an ACL.
    pub(crate) administrator: Option<Level>,
    /// What the ACL grants, ownership aside.
    pub(crate) granted: Option<Level>,
}

/// One of the things that an action takes. All must be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// The resource's organization is within reach.
    Organization,
    /// A type version is visible: the one that it is stored at, or the one to change to.
    VersionVisible(VersionFacts),
    /// The right of the type that goes with a level.
    Right(Level),
    /// A level on the resource.
    Level(Level),
    /// The level to be granted is not above one's own.
    NotAboveOwn(Level),
    /// The right to read secrets.
    SecretsRight,
    /// Full control by a grant, not by ownership or an administrator's right.
    ExplicitGrant,
}

impl<'a> Situation<'a> {
    pub(crate) fn new(subject: &'a Subject, facts: &'a Facts<'a>) -> Self {
        let granted = match facts.acl {
            AclFacts::NotLoaded => None,
            AclFacts::Loaded(acl) => acl.level_for(subject),
        };
        Self::with_grant(subject, facts, granted)
    }

    /// As if the ACL granted this.
    pub(crate) fn with_grant(
        subject: &'a Subject,
        facts: &'a Facts<'a>,
        granted: Option<Level>,
    ) -> Self {
        let held = subject.rights().of_type(facts.of);
        let implied = facts.version.implied();
        let rights = implied.map_or(held, |level| held.with(TypeRight::matching(level)));
        let mut situation = Self {
            subject,
            facts,
            held,
            rights,
            administrator: None,
            granted,
        };
        if situation.is_administrable() {
            situation.administrator = held.administrators_level();
        }
        situation
    }

    pub(crate) fn owns(&self) -> bool {
        self.facts.owner == Some(self.subject.user())
    }

    /// What ownership or the ACL gives, rights aside.
    pub(crate) fn acl_level(&self) -> Option<Level> {
        if self.owns() {
            Some(Level::FullControl)
        } else {
            self.granted
        }
    }

    /// What the caller has on the resource, all in all.
    pub(crate) fn level(&self) -> Option<Level> {
        let granted = self.acl_level().min(self.rights.level());
        granted.max(self.administrator)
    }

    /// The organization's walls: no ACL and no right leads through them.
    pub(crate) fn within_reach(&self) -> bool {
        match (self.facts.home, self.subject.context()) {
            (Home::Provider, _) => true,
            (Home::Tenant(org), Some(context)) => org == context,
            (Home::Tenant(org), None) => self.subject.is_provider() || org == self.subject.org(),
        }
    }

    pub(crate) fn manages_any_definition(&self) -> bool {
        self.subject.rights().has(GeneralRight::ManageAnyDefinition)
    }

    /// Does an administrator's right reach it? A tenant administers its own organization, not what
    /// the provider shares with it.
    pub(crate) fn is_administrable(&self) -> bool {
        self.subject.is_provider() || self.facts.home != Home::Provider
    }

    /// In the order in which they are asked; those that few actions have come last.
    pub(crate) fn checks(&self, action: Action) -> impl Iterator<Item = Check> + use<> {
        let needs = action.needs();
        let [first, second] = match action {
            Action::ChangeAcl(level) => [Some(Check::NotAboveOwn(level)), None],
            Action::ChangeVersion(to) => [Some(Check::VersionVisible(to)), None],
            Action::ReadSecrets => [Some(Check::SecretsRight), Some(Check::ExplicitGrant)],
            _ => [None, None],
        };
        let always = [
            Check::Organization,
            Check::VersionVisible(self.facts.version),
            Check::Right(needs),
            Check::Level(needs),
        ];
        always.into_iter().chain(first).chain(second)
    }

    pub(crate) fn meets(&self, check: Check) -> bool {
        match check {
            Check::Organization => self.within_reach(),
            Check::VersionVisible(version) => {
                version.level.is_some() || self.manages_any_definition()
            }
            Check::Right(needs) => self.administrator.max(self.rights.level()) >= Some(needs),
            Check::Level(needs) => self.administrator.max(self.acl_level()) >= Some(needs),
            Check::NotAboveOwn(grant) => self.level() >= Some(grant),
            Check::SecretsRight => self.subject.rights().has(GeneralRight::ViewSecrets),
            Check::ExplicitGrant => self.granted == Some(Level::FullControl),
        }
    }

    pub(crate) fn first_unmet(&self, action: Action) -> Option<Check> {
        self.checks(action).find(|check| !self.meets(*check))
    }
}
