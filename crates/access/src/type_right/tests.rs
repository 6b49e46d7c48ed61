use super::*;

fn app() -> TypeName<'static> {
    TypeName {
        vendor: UrnName::parse("acme").unwrap(),
        nss: UrnName::parse("app").unwrap(),
    }
}

#[test]
fn the_names_are_those_of_the_rde_api_letter_by_letter() {
    assert_eq!(
        rights_of_type(app()),
        [
            "acme:app: View",
            "acme:app: Modify",
            "acme:app: Full Access",
            "acme:app: Administrator View",
            "acme:app: Administrator Full access",
        ]
    );
    assert_eq!(bundle_name(app()), "acme:app Entitlement");
}

#[test]
fn every_name_reads_back_and_nothing_else_does() {
    for right in TypeRight::ALL {
        assert_eq!(TypeRight::parse(&right.name(app())), Some((app(), right)));
    }
    for name in [
        "",
        ": View",
        "acme: View",
        "acme:app:View",
        "acme:app: view",
        "acme:app: View ",
        "acme:app: Full access",
        "acme:app: Administrator Full Access",
        "acme:app:1.0.0: View",
        "a b:app: View",
        "View: acme:app",
    ] {
        assert_eq!(TypeRight::parse(name), None, "{name:?}");
    }
}

#[test]
fn a_right_includes_what_it_would_be_odd_to_lack() {
    use TypeRight::{AdministratorFull, AdministratorView, FullAccess, Modify, View};
    let table: &[(TypeRight, &[TypeRight])] = &[
        (View, &[View]),
        (Modify, &[View, Modify]),
        (FullAccess, &[View, Modify, FullAccess]),
        (AdministratorView, &[View, AdministratorView]),
        (AdministratorFull, &TypeRight::ALL),
    ];
    for (right, included) in table {
        let rights: Vec<_> = TypeRights::NONE.with(*right).iter().collect();
        assert_eq!(&rights, included, "{right:?}");
    }
}

#[test]
fn the_levels_of_rights_with_and_without_an_acl() {
    use AccessLevel::{FullControl, ReadOnly, ReadWrite};
    let levels = |right| {
        let rights = TypeRights::NONE.with(right);
        (rights.level(), rights.administrators_level())
    };
    assert_eq!(
        TypeRight::ALL.map(levels),
        [
            (Some(ReadOnly), None),
            (Some(ReadWrite), None),
            (Some(FullControl), None),
            (Some(ReadOnly), Some(ReadOnly)),
            (Some(FullControl), Some(FullControl)),
        ]
    );
    assert_eq!(TypeRights::NONE.level(), None);
}
