//! What a decision costs. Printed, not asserted:
//! `cargo test --release -p coeval-access --test rules cost -- --ignored --nocapture`.

use crate::world::{HOMES, actions, facts, granting, version};
use coeval_access::{
    AccessLevel, AccessSubject, Acl, AclFacts, AclMember, Grant, ResourceAction, ResourceFacts,
    Rights, decide,
};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: u32 = 1_000_000;

fn busy_caller() -> AccessSubject {
    let rights = (0..500).flat_map(|n| {
        ["View", "Modify", "Full Access"].map(|right| format!("acme:type{n}: {right}"))
    });
    let rights: Vec<_> = rights.chain(["acme:app: Full Access".to_owned()]).collect();
    let rights = Rights::from_names(rights.iter().map(String::as_str));
    let roles = (0..5).map(|n| format!("urn:vcloud:role:{n}")).collect();
    AccessSubject::tenant("urn:vcloud:user:ann", "t1", roles, rights)
}

fn crowded_acl(subject: &AccessSubject) -> Acl {
    let user = |n: u32| AclMember::User(format!("urn:vcloud:user:{n}"));
    let member = AclMember::User(subject.user().to_owned());
    let level = AccessLevel::FullControl;
    let crowd = (0..1000).map(|n| Grant {
        member: user(n),
        level,
    });
    Acl::from(crowd.chain([Grant { member, level }]).collect::<Vec<_>>())
}

fn measure(name: &str, subject: &AccessSubject, facts: &ResourceFacts<'_>) {
    let begin = Instant::now();
    for _ in 0..ROUNDS {
        let _ = black_box(decide(
            black_box(ResourceAction::Read),
            black_box(subject),
            black_box(facts),
        ));
    }
    let each = begin.elapsed().as_nanos() / u128::from(ROUNDS);
    println!("{name}: {each} ns per decision");
}

#[test]
#[ignore = "a measurement"]
fn cost_of_a_decision() {
    let subject = busy_caller();
    let seen = version(Some(AccessLevel::ReadWrite), None);
    let small = granting(
        AclMember::User(subject.user().to_owned()),
        AccessLevel::FullControl,
    );
    let crowded = crowded_acl(&subject);
    let one = facts(HOMES[0], seen, None, &small);
    measure("one grant, 500 types", &subject, &one);
    measure(
        "1,001 grants, 500 types",
        &subject,
        &facts(HOMES[0], seen, None, &crowded),
    );
    let unread = ResourceFacts {
        acl: AclFacts::NotLoaded,
        ..one
    };
    measure("ACL not read", &subject, &unread);
    assert!(decide(actions()[0].1, &subject, &one).is_allowed());
}
