use super::*;
use proptest::prelude::*;

fn of(vendor: &'static str, nss: &'static str) -> TypeName<'static> {
    TypeName {
        vendor: UrnName::parse(vendor).unwrap(),
        nss: UrnName::parse(nss).unwrap(),
    }
}

#[test]
fn rights_are_read_from_their_names_and_asked_by_type() {
    let rights = Rights::from_names(["acme:app: Modify", "User: Manage", "acme:db: View"]);
    assert!(rights.of_type(of("acme", "app")).has(TypeRight::Modify));
    assert!(!rights.of_type(of("acme", "db")).has(TypeRight::Modify));
    assert!(rights.of_type(of("other", "app")).is_empty());
    assert!(rights.of_type(of("app", "acme")).is_empty());
    assert!(rights.has(GeneralRight::ViewUsers));
    assert!(!rights.has(GeneralRight::ViewAudit));
}

#[test]
fn a_name_that_nobody_knows_is_kept_and_grants_nothing() {
    let rights = Rights::from_names(["Moon: Land on", "acme:app: view", "User: View"]);
    let unknown: Vec<_> = rights.unknown().collect();
    assert_eq!(unknown, ["Moon: Land on", "acme:app: view"]);
    assert!(rights.of_type(of("acme", "app")).is_empty());
    let again = rights.names();
    assert_eq!(Rights::from_names(again.iter().map(String::as_str)), rights);
}

#[test]
fn everything_has_the_rights_of_types_that_do_not_exist_yet() {
    let all = Rights::everything();
    assert_eq!(all.of_type(of("not", "yet")), TypeRights::ALL);
    assert!(GeneralRight::ALL.iter().all(|right| all.has(*right)));
    let some = Rights::from_names(["acme:app: View", "Moon: Land on"]);
    assert_eq!(all.intersection(&some), some);
    assert_eq!(some.intersection(&all), some);
    assert!(some.union(&all).is_everything());
}

#[test]
fn what_two_sets_share_is_found_below_the_names() {
    let role = Rights::from_names(["acme:app: Full Access", "Moon: Land on", "acme:db: View"]);
    let bundle = Rights::from_names(["acme:app: Modify", "Moon: Land on", "User: View"]);
    let both = role.intersection(&bundle);
    assert_eq!(
        both.names(),
        ["acme:app: View", "acme:app: Modify", "Moon: Land on"]
    );
}

const NAMES: &[&str] = &[
    "acme:app: View",
    "acme:app: Full Access",
    "acme:app: Administrator View",
    "acme:db: Modify",
    "acme:db: Administrator Full access",
    "other:app: Modify",
    "User: Manage",
    "User: View",
    "Store: Manage",
    "Moon: Land on",
];

fn some_rights() -> impl Strategy<Value = Rights> {
    let names = prop::sample::subsequence(NAMES, 0..=NAMES.len());
    prop_oneof![
        8 => names.prop_map(Rights::from_names),
        1 => Just(Rights::everything()),
    ]
}

proptest! {
    #[test]
    fn a_union_has_what_either_has_and_an_intersection_what_both_have(a in some_rights(), b in some_rights()) {
        let (either, both) = (a.clone().union(&b), a.intersection(&b));
        for name in [of("acme", "app"), of("acme", "db"), of("other", "app"), of("no", "thing")] {
            let (x, y) = (a.of_type(name), b.of_type(name));
            prop_assert_eq!(either.of_type(name), x.union(y));
            prop_assert_eq!(both.of_type(name), x.intersection(y));
        }
        for right in GeneralRight::ALL {
            prop_assert_eq!(either.has(*right), a.has(*right) || b.has(*right));
            prop_assert_eq!(both.has(*right), a.has(*right) && b.has(*right));
        }
        prop_assert_eq!(&both, &b.intersection(&a));
    }

    #[test]
    fn any_text_is_read_without_trouble_and_listed_again(names in prop::collection::vec(".{0,40}", 0..8)) {
        let rights = Rights::from_names(names.iter().map(String::as_str));
        let again = rights.names();
        prop_assert_eq!(Rights::from_names(again.iter().map(String::as_str)), rights);
    }
}
