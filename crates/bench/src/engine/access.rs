//! What a decision on access costs.

use coeval_access::{
    AccessLevel, AccessSubject, Acl, AclFacts, AclMember, Grant, ResourceAction, ResourceFacts,
    ResourceHome, Rights, VersionFacts, decide,
};
use coeval_core::version::{TypeName, UrnName, Version};
use std::hint::black_box;
use std::time::Instant;

pub(crate) fn measure() {
    const TIMES: u32 = 2_000_000;
    let rights = Rights::from_names(["bench:thing: Full Access"]);
    let subject = AccessSubject::tenant("user", "org", vec!["role".to_owned()], rights);
    let mut acl = Acl::of_creator("somebody");
    for n in 0..10 {
        let member = AclMember::User(format!("user-{n}"));
        let grant = Grant {
            member,
            level: AccessLevel::ReadOnly,
        };
        acl.set(grant, AccessLevel::FullControl).unwrap();
    }
    let member = AclMember::User("user".to_owned());
    let level = AccessLevel::ReadWrite;
    acl.set(Grant { member, level }, AccessLevel::FullControl)
        .unwrap();
    let facts = ResourceFacts {
        of: TypeName {
            vendor: UrnName::parse("bench").unwrap(),
            nss: UrnName::parse("thing").unwrap(),
        },
        version: VersionFacts::new(Version::new(1, 0, 0), Some(AccessLevel::ReadWrite)),
        home: ResourceHome::Tenant("org"),
        owner: Some("somebody"),
        acl: AclFacts::Loaded(&acl),
    };
    let begun = Instant::now();
    for _ in 0..TIMES {
        // Hidden from the compiler, or it would decide once for all rounds.
        let decision = decide(
            black_box(ResourceAction::Modify),
            &subject,
            black_box(&facts),
        );
        assert!(black_box(decision).is_allowed());
    }
    let each = begun.elapsed() / TIMES;
    println!("a decision on access with an ACL of twelve grants: {each:?} (goal below 1 µs)");
}
