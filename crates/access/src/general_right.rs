//! The rights that belong to no type: a closed list with stable names.

macro_rules! general_rights {
    ($($right:ident, $name:literal, $whose:ident, $implies:expr, $about:literal;)*) => {
        /// A right that belongs to no type.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum GeneralRight { $(#[doc = $about] $right),* }

        impl GeneralRight {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$right),*];

            /// The name by which roles and bundles list it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$right => $name),* }
            }

            /// What it is for, in a few words.
            #[must_use]
            pub const fn about(self) -> &'static str {
                match self { $(Self::$right => $about),* }
            }

            /// Is it the provider's alone, so that no bundle brings it to a tenant?
            #[must_use]
            pub const fn is_providers(self) -> bool {
                match self { $(Self::$right => matches!(RightHolder::$whose, RightHolder::Provider)),* }
            }

            /// Who may manage something may look at it.
            const fn implies(self) -> Option<Self> {
                match self { $(Self::$right => $implies),* }
            }
        }
    };
}

enum RightHolder {
    Provider,
    Anyone,
}

use GeneralRight as R;

general_rights! {
    ViewDefinitions, "Custom entity: View custom entity definitions", Anyone, None, "see the behaviors of interfaces and types";
    CreateDefinitions, "Custom entity: Create new custom entity definition", Provider, None, "define types and interfaces";
    EditDefinitions, "Custom entity: Edit custom entity definition", Provider, None, "change a type version or interface that is not in use";
    DeleteDefinitions, "Custom entity: Delete custom entity definition", Provider, None, "delete a type version or interface that is not in use";
    ManageAnyDefinition, "Custom entity: Manage any custom entity definition", Provider, Some(R::ViewDefinitions), "full control of every type version, whatever its ACL";
    ViewSecrets, "Custom entity: View secrets", Anyone, None, "read the secrets of resources that grant full control";
    ViewOrganizations, "Organization: View", Anyone, None, "see organizations";
    ManageOrganizations, "Organization: Manage", Provider, Some(R::ViewOrganizations), "create, change and delete organizations";
    ViewUsers, "User: View", Anyone, None, "see the users of the organization";
    ManageUsers, "User: Manage", Anyone, Some(R::ViewUsers), "create, change and delete users of the organization";
    ViewRoles, "Role: View", Anyone, None, "see the roles of the organization";
    ManageRoles, "Role: Manage", Anyone, Some(R::ViewRoles), "create, change and delete roles of the organization";
    ManageGlobalRoles, "Global Role: Manage", Provider, Some(R::ViewRoles), "create, change and delete roles for every organization";
    ViewBundles, "Rights Bundle: View", Provider, None, "see rights bundles and where they are published";
    ManageBundles, "Rights Bundle: Manage", Provider, Some(R::ViewBundles), "create, change and delete rights bundles";
    PublishBundles, "Rights Bundle: Publish", Provider, Some(R::ViewBundles), "publish rights bundles to organizations";
    ViewSessions, "Session: View", Anyone, None, "see the sessions and tokens of the organization's users";
    ManageSessions, "Session: Manage", Anyone, Some(R::ViewSessions), "end sessions and revoke tokens of the organization's users";
    ViewTasks, "Task: View", Anyone, None, "see the tasks that others of the organization started";
    ManageTasks, "Task: Manage", Anyone, Some(R::ViewTasks), "cancel the tasks that others of the organization started";
    ViewAudit, "Audit: View", Anyone, None, "read the audit of the organization";
    ViewMigrations, "Migration: View", Provider, None, "see how far migrations are";
    ManageMigrations, "Migration: Manage", Provider, Some(R::ViewMigrations), "start, move, hold and end migrations";
    ViewStore, "Store: View", Provider, None, "see servers, the state of the store and its checks";
    ManageStore, "Store: Manage", Provider, Some(R::ViewStore), "back up, compact and repair the store";
}

impl GeneralRight {
    /// By its name, exactly.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|right| right.name() == name)
    }

    const fn bit(self) -> u64 {
        1 << self as u32
    }
}

/// A set of general rights, closed under what they imply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GeneralRights(u64);

impl GeneralRights {
    /// Is it among them?
    #[must_use]
    pub const fn has(self, right: GeneralRight) -> bool {
        self.0 & right.bit() != 0
    }

    /// With one more, and what it implies.
    #[must_use]
    pub fn with(self, right: GeneralRight) -> Self {
        // One step is enough: what is implied implies nothing itself.
        let implied = right.implies().map_or(0, GeneralRight::bit);
        Self(self.0 | right.bit() | implied)
    }

    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// What is in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// One after another.
    pub fn iter(self) -> impl Iterator<Item = GeneralRight> {
        GeneralRight::ALL
            .iter()
            .copied()
            .filter(move |right| self.has(*right))
    }
}

impl FromIterator<GeneralRight> for GeneralRights {
    fn from_iter<I: IntoIterator<Item = GeneralRight>>(rights: I) -> Self {
        rights.into_iter().fold(Self::default(), Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_right_reads_back_from_its_name_and_no_two_share_one() {
        let names: BTreeSet<_> = GeneralRight::ALL.iter().map(|right| right.name()).collect();
        assert_eq!(names.len(), GeneralRight::ALL.len());
        for right in GeneralRight::ALL {
            assert_eq!(GeneralRight::by_name(right.name()), Some(*right));
        }
        assert_eq!(GeneralRight::by_name("user: view"), None);
    }

    #[test]
    fn no_right_implies_one_that_implies_another() {
        for right in GeneralRight::ALL {
            let implied = right.implies();
            assert_eq!(implied.and_then(GeneralRight::implies), None, "{right:?}");
        }
    }

    #[test]
    fn who_may_manage_may_look() {
        let rights = GeneralRights::default().with(GeneralRight::ManageUsers);
        assert!(rights.has(GeneralRight::ViewUsers));
        assert!(!rights.has(GeneralRight::ManageRoles));
    }
}
