use super::*;

fn role(of: RoleOf, holds: RoleRights) -> AccessRole {
    let id = "r".to_owned();
    AccessRole { id, of, holds }
}

fn listed(names: &[&str]) -> RoleRights {
    RoleRights::These(Rights::from_names(names.iter().copied()))
}

fn bundle(names: &[&str], orgs: &[&str]) -> AccessBundle {
    AccessBundle {
        name: "b".to_owned(),
        rights: Rights::from_names(names.iter().copied()),
        published: BundleAudience::To(orgs.iter().map(|org| (*org).to_owned()).collect()),
    }
}

#[test]
fn a_tenants_rights_are_those_that_its_role_holds_and_its_organization_was_given() {
    let editor = role(
        RoleOf::Everyone,
        listed(&["acme:app: Modify", "acme:db: View"]),
    );
    let bundles = [bundle(&["acme:app: Administrator Full access"], &["t1"])];
    let of = |org| effective_rights(false, org, [&editor], &bundles).names();
    assert_eq!(of("t1"), ["acme:app: View", "acme:app: Modify"]);
    assert_eq!(of("t2"), Vec::<String>::new());
}

#[test]
fn an_organization_administrator_holds_all_that_is_published_to_it() {
    let admin = role(RoleOf::Everyone, RoleRights::WhatIsPublished);
    let mut bundles = vec![bundle(&["acme:app: View"], &["t1"])];
    let of = |bundles: &[AccessBundle], org| effective_rights(false, org, [&admin], bundles);
    assert_eq!(of(&bundles, "t1").names(), ["acme:app: View"]);
    bundles.push(AccessBundle {
        published: BundleAudience::ToAll,
        ..bundle(&["acme:db: View", "User: View"], &[])
    });
    assert_eq!(of(&bundles, "t2").names(), ["User: View", "acme:db: View"]);
    assert_eq!(of(&bundles, "t1").names().len(), 3);
}

#[test]
fn a_system_administrator_holds_everything_at_the_provider_and_nothing_at_a_tenant() {
    let admin = role(RoleOf::Everyone, RoleRights::Everything);
    let bundles = [bundle(&["acme:app: View"], &["t1"])];
    assert!(effective_rights(true, "sys", [&admin], &bundles).is_everything());
    assert_eq!(
        effective_rights(false, "t1", [&admin], &bundles),
        Rights::none()
    );
}

#[test]
fn the_providers_roles_need_no_bundle() {
    let operator = role(
        RoleOf::Everyone,
        listed(&["Store: Manage", "acme:app: View"]),
    );
    let rights = effective_rights(true, "sys", [&operator], &[]);
    assert_eq!(
        rights.names(),
        ["Store: View", "Store: Manage", "acme:app: View"]
    );
}

#[test]
fn a_role_of_another_organization_gives_nothing() {
    let theirs = role(RoleOf::Org("t2".to_owned()), RoleRights::WhatIsPublished);
    let ours = role(RoleOf::Org("t1".to_owned()), listed(&["acme:app: View"]));
    let bundles = [bundle(&["acme:app: Full Access"], &["t1", "t2"])];
    assert_eq!(
        effective_rights(false, "t1", [&theirs], &bundles),
        Rights::none()
    );
    let both = effective_rights(false, "t1", [&theirs, &ours], &bundles);
    assert_eq!(both.names(), ["acme:app: View"]);
}

#[test]
fn no_bundle_brings_a_right_of_the_provider_to_a_tenant() {
    let admin = role(RoleOf::Everyone, RoleRights::WhatIsPublished);
    let bundles = [bundle(
        &["Store: Manage", "Organization: Manage", "User: View"],
        &["t1"],
    )];
    let rights = effective_rights(false, "t1", [&admin], &bundles);
    assert_eq!(rights.names(), ["Organization: View", "User: View"]);
}

#[test]
fn several_roles_add_up() {
    let roles = [
        role(RoleOf::Everyone, listed(&["acme:app: View"])),
        role(
            RoleOf::Everyone,
            listed(&["acme:app: Modify", "Task: View"]),
        ),
    ];
    let rights = effective_rights(true, "sys", &roles, &[]);
    assert_eq!(
        rights.names(),
        ["Task: View", "acme:app: View", "acme:app: Modify"]
    );
}
