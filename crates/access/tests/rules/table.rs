//! The table of `docs/access.md`, written out a second time, without the notion of an effective
//! level: which right and which grant each action takes in one's own organization.

use crate::world::{HOMES, actions, facts, granting, members, user, version};
use coeval_access::{AccessLevel, Acl, ResourceAction, TypeRight, decide};
use coeval_core::version::TypeName;

fn name(of: TypeName<'_>, right: TypeRight) -> String {
    right.name(of)
}

/// What the page says, for a set of rights that includes all that it implies.
fn by_the_table(
    action: ResourceAction,
    holds: impl Fn(TypeRight) -> bool,
    acl: Option<AccessLevel>,
) -> bool {
    use TypeRight::{AdministratorFull, AdministratorView, FullAccess, Modify, View};
    let read = holds(View) && acl >= Some(AccessLevel::ReadOnly) || holds(AdministratorView);
    let write = holds(Modify) && acl >= Some(AccessLevel::ReadWrite) || holds(AdministratorFull);
    let control =
        holds(FullAccess) && acl >= Some(AccessLevel::FullControl) || holds(AdministratorFull);
    match action {
        ResourceAction::Read | ResourceAction::ReadAcl => read,
        ResourceAction::Modify | ResourceAction::Resolve => write,
        ResourceAction::Delete | ResourceAction::ChangeOwner | ResourceAction::Force => control,
        ResourceAction::ChangeVersion(to) => control && to.level.is_some(),
        ResourceAction::ChangeAcl(AccessLevel::FullControl) => write && control,
        ResourceAction::ChangeAcl(_) => write,
        // the callers of this test lack the right to secrets
        ResourceAction::ReadSecrets => false,
    }
}

#[test]
fn in_ones_own_organization_the_table_of_the_page_holds() {
    use TypeRight::{AdministratorFull, AdministratorView, FullAccess, Modify, View};
    let includes = |right| -> &[TypeRight] {
        match right {
            View => &[View],
            Modify => &[View, Modify],
            FullAccess => &[View, Modify, FullAccess],
            AdministratorView => &[View, AdministratorView],
            AdministratorFull => &TypeRight::ALL,
        }
    };
    let seen = version(Some(AccessLevel::ReadOnly), None);
    for bits in 0..32_u32 {
        let given = TypeRight::ALL.into_iter().enumerate();
        let given = given
            .filter(|(n, _)| bits & (1 << n) != 0)
            .map(|(_, right)| right);
        let given: Vec<_> = given.collect();
        let names: Vec<_> = given
            .iter()
            .map(|r| name(crate::world::app(), *r))
            .collect();
        let subject = user(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let holds = |right| given.iter().any(|held| includes(*held).contains(&right));

        let mut cases = vec![(None, Acl::default())];
        for level in AccessLevel::ALL {
            for (_, member) in members(&subject) {
                cases.push((Some(level), granting(member, level)));
            }
        }
        for (level, acl) in &cases {
            let facts = facts(HOMES[0], seen, None, acl);
            for (letter, action) in actions() {
                let expected = by_the_table(action, holds, *level);
                let allowed = decide(action, &subject, &facts).is_allowed();
                assert_eq!(allowed, expected, "{letter} with {names:?} and {level:?}");
            }
        }
    }
}
