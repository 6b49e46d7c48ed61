use super::*;
use crate::{Acl, AclMember, Grant, ResourceHome, Rights, VersionFacts};
use coeval_core::version::UrnName;

const READ_WRITE: Option<AccessLevel> = Some(AccessLevel::ReadWrite);

fn app() -> TypeName<'static> {
    TypeName {
        vendor: UrnName::parse("acme").unwrap(),
        nss: UrnName::parse("app").unwrap(),
    }
}

fn facts(acl: AclFacts<'_>) -> ResourceFacts<'_> {
    ResourceFacts {
        of: app(),
        version: VersionFacts::new(Version::new(1, 0, 0), READ_WRITE),
        home: ResourceHome::Tenant("t1"),
        owner: Some("owner"),
        acl,
    }
}

fn user(rights: &[&str]) -> AccessSubject {
    let rights = Rights::from_names(rights.iter().copied());
    AccessSubject::tenant("ann", "t1", Vec::new(), rights)
}

fn granting(level: AccessLevel) -> Acl {
    let member = AclMember::User("ann".to_owned());
    Acl::from(vec![Grant { member, level }])
}

fn denial(decision: AccessDecision) -> DeniedAccess {
    match decision {
        AccessDecision::Denied(denied) => denied,
        other => panic!("{other:?}"),
    }
}

const FULL: &str = "acme:app: Full Access";
const ADMIN: &str = "acme:app: Administrator Full access";
const ADMIN_VIEW: &str = "acme:app: Administrator View";

#[test]
fn the_acl_is_asked_for_only_where_it_matters() {
    let unread = facts(AclFacts::NotLoaded);
    let yes = |level| AccessDecision::Allowed(AllowedAccess { level });
    // an administrator, and an owner with the right, are decided without it
    assert_eq!(
        decide(ResourceAction::Delete, &user(&[ADMIN]), &unread),
        yes(AccessLevel::FullControl)
    );
    let owned = ResourceFacts {
        owner: Some("ann"),
        ..unread
    };
    assert_eq!(
        decide(ResourceAction::Delete, &user(&[FULL]), &owned),
        yes(AccessLevel::FullControl)
    );
    assert_eq!(
        decide(ResourceAction::Modify, &user(&["acme:app: Modify"]), &owned),
        yes(AccessLevel::ReadWrite)
    );
    assert_eq!(
        decide(ResourceAction::Read, &user(&[ADMIN_VIEW]), &unread),
        yes(AccessLevel::ReadOnly)
    );
    // a grant could let this one see more
    let more = user(&[ADMIN_VIEW, FULL]);
    assert_eq!(
        decide(ResourceAction::Read, &more, &unread),
        AccessDecision::NeedsAcl
    );
    assert_eq!(
        decide(ResourceAction::Read, &user(&[FULL]), &unread),
        AccessDecision::NeedsAcl
    );
    // secrets take a grant, even of an owner
    let secrets = user(&[FULL, "Custom entity: View secrets"]);
    assert_eq!(
        decide(ResourceAction::ReadSecrets, &secrets, &owned),
        AccessDecision::NeedsAcl
    );
    // without any right, in another organization or at a hidden version no grant helps
    assert!(denial(decide(ResourceAction::Read, &user(&[]), &unread)).hidden);
    let elsewhere = ResourceFacts {
        home: ResourceHome::Tenant("t2"),
        ..unread
    };
    let denied = denial(decide(ResourceAction::Read, &user(&[ADMIN]), &elsewhere));
    assert_eq!(denied.reason, DenialReason::OtherOrganization);
}

#[test]
fn each_denial_names_what_is_missing() {
    let secrets = "Custom entity: View secrets";
    let hidden_version = VersionFacts::new(Version::new(2, 0, 0), None);
    let table = [
        (
            ResourceAction::Modify,
            user(&["acme:app: View"]),
            AccessLevel::FullControl,
            "the right `acme:app: Modify` is missing",
        ),
        (
            ResourceAction::Delete,
            user(&[FULL]),
            AccessLevel::ReadWrite,
            "the ACL grants ReadWrite, and FullControl is needed",
        ),
        (
            ResourceAction::ChangeAcl(AccessLevel::FullControl),
            user(&[FULL]),
            AccessLevel::ReadWrite,
            "the grant is FullControl, and the caller has ReadWrite",
        ),
        (
            ResourceAction::ChangeVersion(hidden_version),
            user(&[FULL]),
            AccessLevel::FullControl,
            "the type version acme:app:2.0.0 is not visible to the caller",
        ),
        (
            ResourceAction::ReadSecrets,
            user(&[FULL]),
            AccessLevel::FullControl,
            "the right `Custom entity: View secrets` is missing",
        ),
        (
            ResourceAction::ReadSecrets,
            user(&[ADMIN, secrets]),
            AccessLevel::ReadOnly,
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
    let acl = granting(AccessLevel::FullControl);
    let granted = facts(AclFacts::Loaded(&acl));
    let secrets = "Custom entity: View secrets";
    assert!(
        decide(
            ResourceAction::ReadSecrets,
            &user(&[FULL, secrets]),
            &granted
        )
        .is_allowed()
    );
    assert!(
        !decide(
            ResourceAction::ReadSecrets,
            &user(&["acme:app: Modify", secrets]),
            &granted
        )
        .is_allowed()
    );
}

#[test]
fn a_type_versions_acl_can_stand_in_for_rights_up_to_its_limit() {
    let acl = granting(AccessLevel::FullControl);
    let allowed = |max_implicit| {
        let mut facts = facts(AclFacts::Loaded(&acl));
        facts.version.max_implicit = max_implicit;
        [
            ResourceAction::Read,
            ResourceAction::Modify,
            ResourceAction::Delete,
        ]
        .map(|action| decide(action, &user(&[]), &facts).is_allowed())
    };
    assert_eq!(allowed(None), [false, false, false]);
    assert_eq!(allowed(Some(AccessLevel::ReadOnly)), [true, false, false]);
    assert_eq!(allowed(Some(AccessLevel::ReadWrite)), [true, true, false]);
    // the version's ACL grants ReadWrite, and no limit makes that more
    assert_eq!(allowed(Some(AccessLevel::FullControl)), [true, true, false]);
}

#[test]
fn a_tenants_administrator_does_not_administer_what_the_provider_shares() {
    let none = Acl::default();
    let shared = ResourceFacts {
        home: ResourceHome::Provider,
        ..facts(AclFacts::Loaded(&none))
    };
    let denied = denial(decide(ResourceAction::Read, &user(&[ADMIN]), &shared));
    assert!(denied.hidden);
    let acl = granting(AccessLevel::ReadOnly);
    let shared = ResourceFacts {
        acl: AclFacts::Loaded(&acl),
        ..shared
    };
    assert!(decide(ResourceAction::Read, &user(&[ADMIN]), &shared).is_allowed());
    assert!(!decide(ResourceAction::Modify, &user(&[ADMIN]), &shared).is_allowed());
}

#[test]
fn full_control_sees_what_is_private_and_less_does_not() {
    let sees = |level| AllowedAccess { level }.sees();
    assert_eq!(
        AccessLevel::ALL.map(sees),
        [
            ContentScope::Protected,
            ContentScope::Protected,
            ContentScope::All
        ]
    );
    assert_eq!(
        Visibility::from(ContentScope::Protected),
        Visibility::Protected
    );
    assert_eq!(Visibility::from(ContentScope::All), Visibility::Private);
}

#[test]
fn one_asks_for_oneself_and_administrators_for_others() {
    let acl = granting(AccessLevel::ReadOnly);
    let facts = facts(AclFacts::Loaded(&acl));
    let asks = |rights: &[&str], about| may_explain(&user(rights), about, &facts).is_allowed();
    assert!(asks(&["acme:app: View"], "ann"));
    assert!(!asks(&["acme:app: View"], "bob"));
    assert!(asks(&[ADMIN_VIEW], "bob"));
    assert!(!asks(&[], "ann"), "what one may not read is not explained");
}
