use super::*;
use crate::{Acl, Grant, Home, Member, Rights, VersionFacts};
use coeval_core::version::Name;

const READ_WRITE: Option<Level> = Some(Level::ReadWrite);

fn app() -> TypeName<'static> {
    TypeName {
        vendor: Name::parse("acme").unwrap(),
        nss: Name::parse("app").unwrap(),
    }
}

fn facts(acl: AclFacts<'_>) -> Facts<'_> {
    Facts {
        of: app(),
        version: VersionFacts::new(Version::new(1, 0, 0), READ_WRITE),
        home: Home::Tenant("t1"),
        owner: Some("owner"),
        acl,
    }
}

fn user(rights: &[&str]) -> Subject {
    let rights = Rights::from_names(rights.iter().copied());
    Subject::tenant("ann", "t1", Vec::new(), rights)
}

fn granting(level: Level) -> Acl {
    let member = Member::User("ann".to_owned());
    Acl::from(vec![Grant { member, level }])
}

fn denial(decision: Decision) -> Denied {
    match decision {
        Decision::Denied(denied) => denied,
        other => panic!("{other:?}"),
    }
}

const FULL: &str = "acme:app: Full Access";
const ADMIN: &str = "acme:app: Administrator Full access";
const ADMIN_VIEW: &str = "acme:app: Administrator View";

#[test]
fn the_acl_is_asked_for_only_where_it_matters() {
    let unread = facts(AclFacts::NotLoaded);
    let yes = |level| Decision::Allowed(Allowed { level });
    // an administrator, and an owner with the right, are decided without it
    assert_eq!(
        decide(Action::Delete, &user(&[ADMIN]), &unread),
        yes(Level::FullControl)
    );
    let owned = Facts {
        owner: Some("ann"),
        ..unread
    };
    assert_eq!(
        decide(Action::Delete, &user(&[FULL]), &owned),
        yes(Level::FullControl)
    );
    assert_eq!(
        decide(Action::Modify, &user(&["acme:app: Modify"]), &owned),
        yes(Level::ReadWrite)
    );
    assert_eq!(
        decide(Action::Read, &user(&[ADMIN_VIEW]), &unread),
        yes(Level::ReadOnly)
    );
    // a grant could let this one see more
    let more = user(&[ADMIN_VIEW, FULL]);
    assert_eq!(decide(Action::Read, &more, &unread), Decision::NeedsAcl);
    assert_eq!(
        decide(Action::Read, &user(&[FULL]), &unread),
        Decision::NeedsAcl
    );
    // secrets take a grant, even of an owner
    let secrets = user(&[FULL, "Custom entity: View secrets"]);
    assert_eq!(
        decide(Action::ReadSecrets, &secrets, &owned),
        Decision::NeedsAcl
    );
    // without any right, in another organization or at a hidden version no grant helps
    assert!(denial(decide(Action::Read, &user(&[]), &unread)).hidden);
    let elsewhere = Facts {
        home: Home::Tenant("t2"),
        ..unread
    };
    let denied = denial(decide(Action::Read, &user(&[ADMIN]), &elsewhere));
    assert_eq!(denied.reason, Reason::OtherOrganization);
}

#[test]
fn each_denial_names_what_is_missing() {
    let secrets = "Custom entity: View secrets";
    let hidden_version = VersionFacts::new(Version::new(2, 0, 0), None);
    let table = [
        (
            Action::Modify,
            user(&["acme:app: View"]),
            Level::FullControl,
            "the right `acme:app: Modify` is missing",
        ),
        (
            Action::Delete,
            user(&[FULL]),
            Level::ReadWrite,
            "the ACL grants ReadWrite, and FullControl is needed",
        ),
        (
            Action::ChangeAcl(Level::FullControl),
            user(&[FULL]),
            Level::ReadWrite,
            "the grant is FullControl, and the caller has ReadWrite",
        ),
        (
            Action::ChangeVersion(hidden_version),
            user(&[FULL]),
            Level::FullControl,
            "the type version acme:app:2.0.0 is not visible to the caller",
        ),
        (
            Action::ReadSecrets,
            user(&[FULL]),
            Level::FullControl,
            "the right `Custom entity: View secrets` is missing",
        ),
        (
            Action::ReadSecrets,
            user(&[ADMIN, secrets]),
            Level::ReadOnly,
            "secrets need a grant of FullControl in the ACL, and it grants ReadOnly",
        ),
    ];
    for (action, subject, level, expected) in table {
        let acl = granting(level);
        let denied = denial(decide(action, &subject, &facts(AclFacts::Loaded(&acl))));
        assert_eq!(denied.reason.to_string(), expected);
        assert!(!denied.hidden, "{action:?} is denied to one who may read");
    }
}

#[test]
fn secrets_are_read_with_a_grant_of_full_control_and_a_right_of_their_own() {
    let acl = granting(Level::FullControl);
    let granted = facts(AclFacts::Loaded(&acl));
    let secrets = "Custom entity: View secrets";
    assert!(decide(Action::ReadSecrets, &user(&[FULL, secrets]), &granted).is_allowed());
    assert!(
        !decide(
            Action::ReadSecrets,
            &user(&["acme:app: Modify", secrets]),
            &granted
        )
        .is_allowed()
    );
}

#[test]
fn a_type_versions_acl_can_stand_in_for_rights_up_to_its_limit() {
    let acl = granting(Level::FullControl);
    let allowed = |max_implicit| {
        let mut facts = facts(AclFacts::Loaded(&acl));
        facts.version.max_implicit = max_implicit;
        [Action::Read, Action::Modify, Action::Delete]
            .map(|action| decide(action, &user(&[]), &facts).is_allowed())
    };
    assert_eq!(allowed(None), [false, false, false]);
    assert_eq!(allowed(Some(Level::ReadOnly)), [true, false, false]);
    assert_eq!(allowed(Some(Level::ReadWrite)), [true, true, false]);
    // the version's ACL grants ReadWrite, and no limit makes that more
    assert_eq!(allowed(Some(Level::FullControl)), [true, true, false]);
}

#[test]
fn a_tenants_administrator_does_not_administer_what_the_provider_shares() {
    let none = Acl::default();
    let shared = Facts {
        home: Home::Provider,
        ..facts(AclFacts::Loaded(&none))
    };
    let denied = denial(decide(Action::Read, &user(&[ADMIN]), &shared));
    assert!(denied.hidden);
    let acl = granting(Level::ReadOnly);
    let shared = Facts {
        acl: AclFacts::Loaded(&acl),
        ..shared
    };
    assert!(decide(Action::Read, &user(&[ADMIN]), &shared).is_allowed());
    assert!(!decide(Action::Modify, &user(&[ADMIN]), &shared).is_allowed());
}

#[test]
fn full_control_sees_what_is_private_and_less_does_not() {
    let sees = |level| Allowed { level }.sees();
    assert_eq!(
        Level::ALL.map(sees),
        [Sees::Protected, Sees::Protected, Sees::All]
    );
    assert_eq!(Visibility::from(Sees::Protected), Visibility::Protected);
    assert_eq!(Visibility::from(Sees::All), Visibility::Private);
}

#[test]
fn one_asks_for_oneself_and_administrators_for_others() {
    let acl = granting(Level::ReadOnly);
    let facts = facts(AclFacts::Loaded(&acl));
    let asks = |rights: &[&str], about| may_explain(&user(rights), about, &facts).is_allowed();
    assert!(asks(&["acme:app: View"], "ann"));
    assert!(!asks(&["acme:app: View"], "bob"));
    assert!(asks(&[ADMIN_VIEW], "bob"));
    assert!(!asks(&[], "ann"), "what one may not read is not explained");
}
