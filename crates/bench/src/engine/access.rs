//! What a decision on access costs.

use coeval_access::{
    Acl, AclFacts, Action, Facts, Grant, Home, Level, Member, Rights, Subject, VersionFacts, decide,
};
use coeval_core::version::{Name, TypeName, Version};
use std::hint::black_box;
use std::time::Instant;

pub(crate) fn measure() {
    const TIMES: u32 = 2_000_000;
    let rights = Rights::from_names(["bench:thing: Full Access"]);
    let subject = Subject::tenant("user", "org", vec!["role".to_owned()], rights);
    let mut acl = Acl::of_creator("somebody");
    for n in 0..10 {
        let member = Member::User(format!("user-{n}"));
        let grant = Grant {
            member,
            level: Level::ReadOnly,
        };
        acl.set(grant, Level::FullControl).unwrap();
    }
    let member = Member::User("user".to_owned());
    let level = Level::ReadWrite;
    acl.set(Grant { member, level }, Level::FullControl)
        .unwrap();
    let facts = Facts {
        of: TypeName {
            vendor: Name::parse("bench").unwrap(),
            nss: Name::parse("thing").unwrap(),
        },
        version: VersionFacts::new(Version::new(1, 0, 0), Some(Level::ReadWrite)),
        home: Home::Tenant("org"),
        owner: Some("somebody"),
        acl: AclFacts::Loaded(&acl),
    };
    let begun = Instant::now();
    for _ in 0..TIMES {
        let decision = decide(black_box(Action::Modify), &subject, black_box(&facts));
        assert!(black_box(decision).is_allowed());
    }
    let each = begun.elapsed() / TIMES;
    println!("a decision on access with an ACL of twelve grants: {each:?} (goal below 1 µs)");
}
