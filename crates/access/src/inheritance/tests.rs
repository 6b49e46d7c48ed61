use super::*;
use crate::{AccessLevel, AclMember, Grant};

fn v(text: &str) -> Version {
    Version::parse_full(text).unwrap()
}

#[test]
fn a_newer_version_inherits_from_the_one_before_and_an_older_one_nothing() {
    use InheritedAcl::{FromPrevious, NothingAsFirst, NothingAsOlder};
    let table: &[(&[&str], &str, InheritedAcl)] = &[
        (&[], "1.0.0", NothingAsFirst),
        (&["1.0.0"], "1.1.0", FromPrevious(v("1.0.0"))),
        (&["1.0.0"], "2.0.0", FromPrevious(v("1.0.0"))),
        (
            &["1.10.0", "1.0.0", "1.9.0"],
            "2.0.0",
            FromPrevious(v("1.10.0")),
        ),
        (&["1.1.0"], "1.0.0", NothingAsOlder { than: v("1.1.0") }),
        (
            &["1.0.0", "2.0.0"],
            "1.5.0",
            NothingAsOlder { than: v("2.0.0") },
        ),
        // the new one itself may have been listed
        (&["1.0.0", "1.1.0"], "1.1.0", FromPrevious(v("1.0.0"))),
        (&["1.0.0"], "1.0.0", NothingAsFirst),
    ];
    for (existing, new, expected) in table {
        let existing = existing.iter().map(|text| v(text));
        let inherits = inherits_from(existing, v(new), DeclaredInheritance::Absent);
        assert_eq!(inherits, Ok(*expected), "{new}");
    }
}

#[test]
fn what_the_definition_says_goes_before_the_order_of_versions() {
    let existing = || [v("1.0.0"), v("2.0.0")];
    let said = |new, said| inherits_from(existing(), v(new), said);
    assert_eq!(
        said("3.0.0", DeclaredInheritance::Nothing),
        Ok(InheritedAcl::NothingAsSaid)
    );
    assert_eq!(
        said("3.0.0", DeclaredInheritance::From(v("1.0.0"))),
        Ok(InheritedAcl::AsSaid(v("1.0.0")))
    );
    let from_newer = said("1.5.0", DeclaredInheritance::From(v("2.0.0"))).unwrap();
    assert_eq!(from_newer.version(), Some(v("2.0.0")));
    assert!(said("3.0.0", DeclaredInheritance::From(v("1.1.0"))).is_err());
    assert!(
        said("3.0.0", DeclaredInheritance::From(v("3.0.0"))).is_err(),
        "from itself"
    );
}

#[test]
fn the_creator_of_a_version_has_full_control_of_it() {
    let grant = |member, level| Grant { member, level };
    let org = AclMember::Org("t1".to_owned());
    let user = AclMember::User("p".to_owned());
    let inherited = Acl::from(vec![
        grant(org.clone(), AccessLevel::ReadWrite),
        grant(user.clone(), AccessLevel::ReadOnly),
    ]);
    let acl = new_version_acl(Some(&inherited), "p");
    assert_eq!(acl.level_of(&org), Some(AccessLevel::ReadWrite));
    assert_eq!(acl.level_of(&user), Some(AccessLevel::FullControl));
    assert_eq!(new_version_acl(None, "p"), Acl::of_creator("p"));
}
