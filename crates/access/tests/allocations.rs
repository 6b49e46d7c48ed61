//! An allowed decision allocates nothing. In a program of its own, since it counts for all threads.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use coeval_access::{
    AccessLevel, AccessSubject, Acl, AclFacts, AclMember, Grant, ResourceAction, ResourceFacts,
    ResourceHome, Rights, TypeAction, VersionFacts, decide, decide_type,
};
use coeval_core::version::{TypeName, UrnName, Version};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn an_allowed_decision_allocates_nothing() {
    let names = ["acme:app: Full Access", "Custom entity: View secrets"];
    let roles = vec!["dev".to_owned()];
    let subject = AccessSubject::tenant("ann", "t1", roles, Rights::from_names(names));
    let member = AclMember::Role("dev".to_owned());
    let level = AccessLevel::FullControl;
    let acl = Acl::from(vec![Grant { member, level }]);
    let facts = ResourceFacts {
        of: TypeName {
            vendor: UrnName::parse("acme").unwrap(),
            nss: UrnName::parse("app").unwrap(),
        },
        version: VersionFacts::new(Version::new(1, 0, 0), Some(AccessLevel::ReadWrite)),
        home: ResourceHome::Tenant("t1"),
        owner: None,
        acl: AclFacts::Loaded(&acl),
    };
    let counted = Region::new(COUNTING);
    let read = decide(ResourceAction::Read, &subject, &facts).is_allowed();
    let secrets = decide(ResourceAction::ReadSecrets, &subject, &facts).is_allowed();
    let create = TypeAction::CreateResource;
    let create = decide_type(create, &subject, facts.of, facts.version).is_allowed();
    let allocations = counted.change().allocations;
    assert_eq!((read, secrets, create, allocations), (true, true, true, 0));
}
