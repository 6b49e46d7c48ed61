//! A caller before a resource: everything that decisions and explanations derive from.
//!
//! What is asked often is derived once: the rights that are held, those that count, what an
//! administrator's right gives, and what the ACL grants. An `AccessCheck` is one thing to ask of
//! it. Decisions stop at the first check that is not met and explanations ask all of them, so the
//! two can't disagree.

use crate::{
    AccessLevel, AccessSubject, AclFacts, GeneralRight, ResourceAction, ResourceFacts,
    ResourceHome, TypeRight, TypeRights, VersionFacts,
};

/// Where the caller stands.
#[derive(Clone, Copy)]
pub(crate) struct CallerSituation<'a> {
    pub(crate) subject: &'a AccessSubject,
    pub(crate) facts: &'a ResourceFacts<'a>,
    /// The rights held, without implied ones.
    pub(crate) held: TypeRights,
    /// The rights that count: held, or implied by the type version's ACL.
    pub(crate) rights: TypeRights,
    /// What an administrator's right gives without an ACL.
    pub(crate) administrator: Option<AccessLevel>,
    /// What the ACL grants, ownership aside.
    pub(crate) granted: Option<AccessLevel>,
}

/// One of the things that an action takes. All must be met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessCheck {
    /// The resource's organization is within reach.
    Organization,
    /// A type version is visible: the one that it is stored at, or the one to change to.
    VersionVisible(VersionFacts),
    /// The right of the type that goes with a level.
    Right(AccessLevel),
    /// A level on the resource.
    Level(AccessLevel),
    /// The level to be granted is not above one's own.
    NotAboveOwn(AccessLevel),
    /// The right to read secrets.
    SecretsRight,
    /// Full control by a grant, not by ownership or an administrator's right.
    ExplicitGrant,
}

impl<'a> CallerSituation<'a> {
    pub(crate) fn new(subject: &'a AccessSubject, facts: &'a ResourceFacts<'a>) -> Self {
        let granted = match facts.acl {
            AclFacts::NotLoaded => None,
            AclFacts::Loaded(acl) => acl.level_for(subject),
        };
        Self::with_grant(subject, facts, granted)
    }

    /// As if the ACL granted this.
    pub(crate) fn with_grant(
        subject: &'a AccessSubject,
        facts: &'a ResourceFacts<'a>,
        granted: Option<AccessLevel>,
    ) -> Self {
        // What roles give, before anything that is implied.
        let held = subject.rights().of_type(facts.of);
        // The type version's ACL implies the matching right, so that a type can be opened without
        // roles.
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
        // Asked of the situation, since it depends on where caller and resource are at home.
        if situation.is_administrable() {
            situation.administrator = held.administrators_level();
        }
        situation
    }

    pub(crate) fn owns(&self) -> bool {
        self.facts.owner == Some(self.subject.user())
    }

    /// What ownership or the ACL gives, rights aside.
    pub(crate) fn acl_level(&self) -> Option<AccessLevel> {
        if self.owns() {
            Some(AccessLevel::FullControl)
        } else {
            self.granted
        }
    }

    /// What the caller has on the resource, all in all.
    pub(crate) fn level(&self) -> Option<AccessLevel> {
        // An ACL gives no more than rights let it; an administrator's right needs no ACL.
        let granted = self.acl_level().min(self.rights.level());
        granted.max(self.administrator)
    }

    /// The organization's walls: no ACL and no right leads through them.
    pub(crate) fn within_reach(&self) -> bool {
        match (self.facts.home, self.subject.context()) {
            // What is the provider's can be shared with everybody: its ACL decides, not a wall.
            (ResourceHome::Provider, _) => true,
            (ResourceHome::Tenant(org), Some(context)) => org == context,
            (ResourceHome::Tenant(org), None) => {
                self.subject.is_provider() || org == self.subject.org()
            }
        }
    }

    pub(crate) fn manages_any_definition(&self) -> bool {
        self.subject.rights().has(GeneralRight::ManageAnyDefinition)
    }

    /// Does an administrator's right reach it? A tenant administers its own organization, not what
    /// the provider shares with it.
    pub(crate) fn is_administrable(&self) -> bool {
        self.subject.is_provider() || self.facts.home != ResourceHome::Provider
    }

    /// In the order in which they are asked; those that few actions have come last.
    pub(crate) fn checks(
        &self,
        action: ResourceAction,
    ) -> impl Iterator<Item = AccessCheck> + use<> {
        // Most actions differ only in the level that they need.
        let needs = action.needs();
        let [first, second] = match action {
            ResourceAction::ChangeAcl(level) => [Some(AccessCheck::NotAboveOwn(level)), None],
            ResourceAction::ChangeVersion(to) => [Some(AccessCheck::VersionVisible(to)), None],
            // Two conditions, because a secret is more than the content: full control by role is
            // not enough.
            ResourceAction::ReadSecrets => [
                Some(AccessCheck::SecretsRight),
                Some(AccessCheck::ExplicitGrant),
            ],
            _ => [None, None],
        };
        // From what hides the thing to what only refuses: the first that fails decides what is
        // told.
        let always = [
            AccessCheck::Organization,
            AccessCheck::VersionVisible(self.facts.version),
            AccessCheck::Right(needs),
            AccessCheck::Level(needs),
        ];
        always.into_iter().chain(first).chain(second)
    }

    pub(crate) fn meets(&self, check: AccessCheck) -> bool {
        match check {
            AccessCheck::Organization => self.within_reach(),
            AccessCheck::VersionVisible(version) => {
                // Who manages all definitions sees all versions.
                version.level.is_some() || self.manages_any_definition()
            }
            // The better of the two, since either is enough.
            AccessCheck::Right(needs) => self.administrator.max(self.rights.level()) >= Some(needs),
            AccessCheck::Level(needs) => self.administrator.max(self.acl_level()) >= Some(needs),
            AccessCheck::NotAboveOwn(grant) => self.level() >= Some(grant),
            AccessCheck::SecretsRight => self.subject.rights().has(GeneralRight::ViewSecrets),
            AccessCheck::ExplicitGrant => self.granted == Some(AccessLevel::FullControl),
        }
    }

    pub(crate) fn first_unmet(&self, action: ResourceAction) -> Option<AccessCheck> {
        self.checks(action).find(|check| !self.meets(*check))
    }
}
