use super::*;
use crate::Rights;

fn subject() -> AccessSubject {
    let roles = vec!["dev".to_owned(), "ops".to_owned()];
    AccessSubject::tenant("ann", "t1", roles, Rights::none())
}

fn grant(member: AclMember, level: AccessLevel) -> Grant {
    Grant { member, level }
}

fn user(id: &str) -> AclMember {
    AclMember::User(id.to_owned())
}

fn role(id: &str) -> AclMember {
    AclMember::Role(id.to_owned())
}

fn org(id: &str) -> AclMember {
    AclMember::Org(id.to_owned())
}

#[test]
fn the_highest_grant_that_applies_counts() {
    use AccessLevel::{FullControl, ReadOnly, ReadWrite};
    type Row<'a> = (&'a [(AclMember, AccessLevel)], Option<AccessLevel>);
    let table: &[Row<'_>] = &[
        (&[], None),
        (&[(user("ann"), ReadWrite)], Some(ReadWrite)),
        (&[(role("ops"), ReadOnly)], Some(ReadOnly)),
        (&[(org("t1"), FullControl)], Some(FullControl)),
        (
            &[
                (user("ann"), ReadOnly),
                (role("dev"), ReadWrite),
                (org("t1"), ReadOnly),
            ],
            Some(ReadWrite),
        ),
        (
            &[
                (user("bob"), FullControl),
                (role("qa"), FullControl),
                (org("t2"), FullControl),
            ],
            None,
        ),
        // an id of one kind is not an id of another
        (
            &[
                (role("ann"), FullControl),
                (org("dev"), FullControl),
                (user("t1"), FullControl),
            ],
            None,
        ),
    ];
    for (grants, expected) in table {
        let grants: Vec<_> = grants.iter().cloned().map(|(m, l)| grant(m, l)).collect();
        let acl = Acl::from(grants);
        assert_eq!(acl.level_for(&subject()), *expected, "{acl:?}");
        let one_by_one = acl.grants_for(&subject()).map(|grant| grant.level).max();
        assert_eq!(one_by_one, *expected, "{acl:?}");
    }
}

#[test]
fn a_provider_in_a_tenants_context_is_no_member_of_the_tenant() {
    let acl = Acl::from(vec![grant(org("t1"), AccessLevel::FullControl)]);
    let provider = AccessSubject::provider("p", "sys", Vec::new(), Rights::none());
    let acting = provider.in_context("t1").unwrap();
    assert_eq!(acl.level_for(&acting), None);
}

#[test]
fn granting_to_a_member_again_replaces_the_grant() {
    let mut acl = Acl::of_creator("ann");
    for level in [
        AccessLevel::ReadOnly,
        AccessLevel::ReadWrite,
        AccessLevel::ReadOnly,
    ] {
        acl.set(grant(org("t1"), level), AccessLevel::FullControl)
            .unwrap();
        assert_eq!(acl.level_of(&org("t1")), Some(level));
    }
    assert_eq!(acl.grants().len(), 2);
}

#[test]
fn nobody_gives_changes_or_takes_a_grant_above_his_own_level() {
    for own in AccessLevel::ALL {
        for there in AccessLevel::ALL {
            for wanted in AccessLevel::ALL {
                let mut acl = Acl::from(vec![grant(user("bob"), there)]);
                let set = acl.clone().set(grant(user("bob"), wanted), own);
                assert_eq!(
                    set.is_ok(),
                    there <= own && wanted <= own,
                    "{own} {there} {wanted}"
                );
                let new = acl.clone().set(grant(user("cyd"), wanted), own);
                assert_eq!(new.is_ok(), wanted <= own, "{own} {wanted}");
                let before = acl.clone();
                match acl.remove(&user("bob"), own) {
                    Ok(removed) => assert!(removed.level <= own && acl.grants().is_empty()),
                    Err(error) => {
                        assert_eq!(error, AclError::AboveOwn { grant: there, own });
                        assert_eq!(acl, before);
                    }
                }
            }
        }
    }
}

#[test]
fn a_grant_that_is_not_there_can_not_be_removed() {
    let mut acl = Acl::of_creator("ann");
    let removed = acl.remove(&user("bob"), AccessLevel::FullControl);
    assert_eq!(removed, Err(AclError::NoSuchGrant));
}

#[test]
fn an_acl_does_not_grow_without_end() {
    let many = (0..MAX_GRANTS).map(|n| grant(user(&n.to_string()), AccessLevel::ReadOnly));
    let mut acl = Acl::from(many.collect::<Vec<_>>());
    let own = AccessLevel::FullControl;
    assert_eq!(
        acl.set(grant(user("one more"), AccessLevel::ReadOnly), own),
        Err(AclError::TooManyGrants)
    );
    assert_eq!(
        acl.set(grant(user("7"), AccessLevel::ReadWrite), own),
        Ok(())
    );
}

#[test]
fn of_two_stored_grants_for_one_member_the_higher_one_holds() {
    let acl = Acl::from(vec![
        grant(user("ann"), AccessLevel::ReadOnly),
        grant(org("t1"), AccessLevel::ReadOnly),
        grant(user("ann"), AccessLevel::FullControl),
    ]);
    assert_eq!(acl.level_of(&user("ann")), Some(AccessLevel::FullControl));
    assert_eq!(acl.grants().len(), 2);
}

#[test]
fn an_acl_reads_back_from_what_is_stored_of_it() {
    let acl = Acl::from(vec![
        grant(org("t1"), AccessLevel::ReadWrite),
        grant(user("ann"), AccessLevel::FullControl),
        grant(role("dev"), AccessLevel::ReadOnly),
    ]);
    let text = serde_json::to_string(&acl).unwrap();
    assert_eq!(
        text,
        r#"[{"member":{"user":"ann"},"level":"FullControl"},{"member":{"role":"dev"},"level":"ReadOnly"},{"member":{"org":"t1"},"level":"ReadWrite"}]"#
    );
    assert_eq!(serde_json::from_str::<Acl>(&text).unwrap(), acl);
}
