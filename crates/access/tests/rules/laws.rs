//! What must hold for every caller, resource and action.

use crate::world::{actions, app, granting, roles};
use coeval_access::{
    AccessDecision, AccessLevel, AccessSubject, Acl, AclFacts, AclMember, GeneralRight, Grant,
    RequirementMet, ResourceAction, ResourceFacts, ResourceHome, Rights, TypeAction, VersionFacts,
    decide, decide_type, explain, rights_of_type,
};
use coeval_core::version::Version;
use proptest::prelude::*;

const ORGS: [&str; 3] = ["sys", "t1", "t2"];
const USERS: [&str; 3] = ["ann", "bob", "root"];

fn level() -> impl Strategy<Value = Option<AccessLevel>> {
    prop::option::of(prop::sample::select(AccessLevel::ALL.to_vec()))
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let general = GeneralRight::ALL
        .iter()
        .map(|right| right.name().to_owned());
    let secrets = GeneralRight::ViewSecrets.name().to_owned();
    let often = rights_of_type(app())
        .into_iter()
        .chain([secrets])
        .collect::<Vec<_>>();
    let all: Vec<_> = often.iter().cloned().chain(general).collect();
    (
        prop::sample::subsequence(often.clone(), 0..=often.len()),
        prop::sample::subsequence(all, 0..3),
    )
        .prop_map(|(often, some)| often.into_iter().chain(some).collect())
}

fn subject() -> impl Strategy<Value = AccessSubject> {
    let user = prop::sample::select(USERS.to_vec());
    let org = prop::sample::select(ORGS.to_vec());
    let context = prop::option::of(prop::sample::select(vec!["t1", "t2"]));
    (user, org, names(), context)
        .prop_map(|(user, org, names, context)| build(user, org, &names, context))
}

fn build(user: &str, org: &str, names: &[String], context: Option<&str>) -> AccessSubject {
    let rights = Rights::from_names(names.iter().map(String::as_str));
    if org != "sys" {
        return AccessSubject::tenant(user, org, roles(), rights);
    }
    let provider = AccessSubject::provider(user, org, roles(), rights);
    match context {
        Some(org) => provider.in_context(org).unwrap(),
        None => provider,
    }
}

fn grant() -> impl Strategy<Value = Grant> {
    let id = |ids: &[&'static str]| prop::sample::select(ids.to_vec()).prop_map(str::to_owned);
    let member = prop_oneof![
        id(&USERS).prop_map(AclMember::User),
        id(&["dev", "ops"]).prop_map(AclMember::Role),
        id(&ORGS).prop_map(AclMember::Org),
    ];
    let level = prop::sample::select(AccessLevel::ALL.to_vec());
    (member, level).prop_map(|(member, level)| Grant { member, level })
}

fn acl() -> impl Strategy<Value = Acl> {
    prop::collection::vec(grant(), 0..5).prop_map(Acl::from)
}

/// A resource without its ACL.
fn resource() -> impl Strategy<Value = ResourceFacts<'static>> {
    let home = prop::sample::select(vec![
        ResourceHome::Provider,
        ResourceHome::Tenant("t1"),
        ResourceHome::Tenant("t2"),
    ]);
    let owner = prop::option::of(prop::sample::select(USERS.to_vec()));
    (home, owner, level(), level()).prop_map(|(home, owner, level, max_implicit)| ResourceFacts {
        of: app(),
        version: VersionFacts {
            version: Version::new(1, 0, 0),
            level,
            max_implicit,
        },
        home,
        owner,
        acl: AclFacts::NotLoaded,
    })
}

fn loaded<'a>(facts: &ResourceFacts<'a>, acl: &'a Acl) -> ResourceFacts<'a> {
    ResourceFacts {
        acl: AclFacts::Loaded(acl),
        ..*facts
    }
}

fn level_of(decision: &AccessDecision) -> Option<AccessLevel> {
    match decision {
        AccessDecision::Allowed(allowed) => Some(allowed.level),
        AccessDecision::Denied(_) | AccessDecision::NeedsAcl => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn more_rights_never_take_something_away(
        user in prop::sample::select(USERS.to_vec()), org in prop::sample::select(ORGS.to_vec()),
        few in names(), more in names(), facts in resource(), acl in acl(),
    ) {
        let all: Vec<_> = few.iter().cloned().chain(more).collect();
        let (before, after) = (build(user, org, &few, None), build(user, org, &all, None));
        let facts = loaded(&facts, &acl);
        for (letter, action) in actions() {
            let before = level_of(&decide(action, &before, &facts));
            prop_assert!(before <= level_of(&decide(action, &after, &facts)), "{}", letter);
        }
        for action in TypeAction::ALL {
            let before = level_of(&decide_type(action, &before, app(), facts.version));
            prop_assert!(before <= level_of(&decide_type(action, &after, app(), facts.version)));
        }
    }

    #[test]
    fn a_further_or_higher_grant_never_takes_something_away(
        subject in subject(), facts in resource(), acl in acl(), grant in grant(), higher in level(),
    ) {
        let more = Acl::from([acl.grants(), &[grant]].concat());
        let mut seen_more = facts;
        seen_more.version.level = facts.version.level.max(higher);
        for (letter, action) in actions() {
            let before = level_of(&decide(action, &subject, &loaded(&facts, &acl)));
            let granted = level_of(&decide(action, &subject, &loaded(&facts, &more)));
            let shown = level_of(&decide(action, &subject, &loaded(&seen_more, &acl)));
            prop_assert!(before <= granted && before <= shown, "{}", letter);
        }
    }

    #[test]
    fn no_tenant_reaches_another_tenants_resource(
        user in prop::sample::select(USERS.to_vec()), names in names(), facts in resource(), acl in acl(),
    ) {
        let subject = build(user, "t1", &names, None);
        let theirs = ResourceFacts { home: ResourceHome::Tenant("t2"), ..facts };
        for (_, action) in actions() {
            for facts in [theirs, loaded(&theirs, &acl)] {
                match decide(action, &subject, &facts) {
                    AccessDecision::Denied(denied) => prop_assert!(denied.hidden),
                    other => prop_assert!(false, "{:?}: {:?}", action, other),
                }
            }
        }
    }

    #[test]
    fn a_denial_is_hidden_exactly_when_reading_is_denied(
        subject in subject(), facts in resource(), acl in acl(),
    ) {
        let facts = loaded(&facts, &acl);
        let reads = decide(ResourceAction::Read, &subject, &facts).is_allowed();
        for (_, action) in actions() {
            if let AccessDecision::Denied(denied) = decide(action, &subject, &facts) {
                prop_assert_eq!(denied.hidden, !reads, "{:?}", action);
            }
        }
        let sees = decide_type(TypeAction::See, &subject, app(), facts.version).is_allowed();
        for action in TypeAction::ALL {
            if let AccessDecision::Denied(denied) = decide_type(action, &subject, app(), facts.version) {
                prop_assert_eq!(denied.hidden, !sees, "{:?}", action);
            }
        }
    }

    #[test]
    fn an_explanation_agrees_with_the_decision(
        subject in subject(), facts in resource(), acl in acl(),
    ) {
        let facts = loaded(&facts, &acl);
        for (_, action) in actions() {
            let explanation = explain(action, &subject, &facts);
            prop_assert_eq!(&explanation.decision, &decide(action, &subject, &facts));
            let mut unmet = None;
            for requirement in explanation.requirements {
                match requirement.met {
                    RequirementMet::By(bases) => prop_assert!(!bases.is_empty(), "{}", requirement.needs),
                    RequirementMet::No(reason) => unmet = unmet.or(Some(reason)),
                    RequirementMet::NotKnown => prop_assert!(false, "the ACL was read"),
                }
            }
            match explanation.decision {
                AccessDecision::Denied(denied) => prop_assert_eq!(unmet, Some(denied.reason)),
                _ => prop_assert_eq!(unmet, None),
            }
        }
    }

    #[test]
    fn a_decision_without_the_acl_is_the_one_with_it(
        subject in subject(), facts in resource(), acl in acl(),
    ) {
        for (_, action) in actions() {
            let without = decide(action, &subject, &facts);
            if without != AccessDecision::NeedsAcl {
                prop_assert_eq!(without, decide(action, &subject, &loaded(&facts, &acl)));
            }
        }
    }

    #[test]
    fn the_acl_is_asked_for_only_if_some_acl_would_change_the_decision(
        subject in subject(), facts in resource(),
    ) {
        let empty = Acl::default();
        let full = granting(AclMember::User(subject.user().to_owned()), AccessLevel::FullControl);
        for (_, action) in actions() {
            if decide(action, &subject, &facts) == AccessDecision::NeedsAcl {
                let least = decide(action, &subject, &loaded(&facts, &empty));
                let most = decide(action, &subject, &loaded(&facts, &full));
                prop_assert_ne!(least, most, "{:?}", action);
            }
        }
    }

    #[test]
    fn who_may_change_an_acl_by_the_decision_may_do_so_by_the_acl(
        subject in subject(), facts in resource(), acl in acl(), grant in grant(),
    ) {
        let facts = loaded(&facts, &acl);
        if let AccessDecision::Allowed(allowed) = decide(ResourceAction::ChangeAcl(grant.level), &subject, &facts) {
            let mut changed = Acl::default();
            prop_assert!(changed.set(grant.clone(), allowed.level).is_ok());
            prop_assert!(changed.remove(&grant.member, allowed.level).is_ok());
        }
    }
}
