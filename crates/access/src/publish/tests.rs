use super::*;
use crate::inheritance::{DeclaredInheritance, InheritedAcl, inherits_from, new_version_acl};
use coeval_core::version::Version;

fn org(id: &str) -> AclMember {
    AclMember::Org(id.to_owned())
}

fn names<'a>(types: impl Iterator<Item = TypeName<'a>>) -> Vec<String> {
    types.map(|of| of.to_string()).collect()
}

#[test]
fn publishing_grants_write_and_never_lowers_what_was_granted() {
    let mut acl = Acl::of_creator("p");
    assert!(publish(&mut acl, "t1"));
    assert_eq!(acl.level_of(&org("t1")), Some(AccessLevel::ReadWrite));
    assert!(!publish(&mut acl, "t1"), "again is no change");
    for (before, after) in [
        (AccessLevel::ReadOnly, AccessLevel::ReadWrite),
        (AccessLevel::FullControl, AccessLevel::FullControl),
    ] {
        let (member, level) = (org("t1"), before);
        let mut acl = Acl::from(vec![Grant { member, level }]);
        publish(&mut acl, "t1");
        assert_eq!(acl.level_of(&org("t1")), Some(after));
    }
}

#[test]
fn unpublishing_takes_the_organizations_grant_and_no_other() {
    let mut acl = Acl::of_creator("t1");
    publish(&mut acl, "t1");
    publish(&mut acl, "t2");
    assert!(unpublish(&mut acl, "t1"));
    assert!(!unpublish(&mut acl, "t1"));
    assert_eq!(acl.level_of(&org("t2")), Some(AccessLevel::ReadWrite));
    let creator = AclMember::User("t1".to_owned());
    assert_eq!(acl.level_of(&creator), Some(AccessLevel::FullControl));
}

#[test]
fn a_type_that_another_bundle_brings_stays() {
    let own = Rights::from_names(["acme:app: View", "acme:db: View", "User: View"]);
    let other = Rights::from_names(["acme:db: Full Access"]);
    assert_eq!(names(types_to_grant(&own)), ["acme:app", "acme:db"]);
    assert_eq!(names(types_to_revoke(&own, &[])), ["acme:app", "acme:db"]);
    assert_eq!(names(types_to_revoke(&own, &[&other])), ["acme:app"]);
}

#[test]
fn an_older_version_is_seen_by_tenants_once_the_type_is_published_again() {
    let [first, newer, older] = [[1, 0], [1, 1], [0, 9]].map(|[a, b]| Version::new(a, b, 0));
    let mut of_first = Acl::of_creator("p");
    publish(&mut of_first, "t1");
    let inherits = inherits_from([first], newer, DeclaredInheritance::Absent).unwrap();
    assert_eq!(inherits, InheritedAcl::FromPrevious(first));
    let of_newer = new_version_acl(Some(&of_first), "p");
    assert_eq!(of_newer.level_of(&org("t1")), Some(AccessLevel::ReadWrite));

    let inherits = inherits_from([first, newer], older, DeclaredInheritance::Absent).unwrap();
    assert_eq!(inherits.version(), None);
    let mut of_older = new_version_acl(None, "p");
    assert_eq!(of_older.level_of(&org("t1")), None);
    publish(&mut of_older, "t1");
    assert_eq!(of_older.level_of(&org("t1")), Some(AccessLevel::ReadWrite));
}
