//! What is stored in a new way is stored only once the last server of the release before is gone.

use crate::installation::Installation;
use crate::release::Release;
use coeval_access::{AccessSubject, Rights};
use coeval_engine::identity::NewRole;
use coeval_engine::migrations::{MigrationDriver, MigrationSettings};
use coeval_engine::{Caller, Engine, OwnKinds, SYSTEM_ORG, Settings, Target, TypeKey, VENDOR};
use coeval_storage::Store;
use coeval_stores::{OpenOptions, open};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::block_in_place;

const RISES: &str = "every server reads this level of records";

fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < until, "never: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A server looks around this often; several times of it are enough to have done what is wrong.
fn look_around_several_times() {
    std::thread::sleep(Duration::from_secs(3));
}

#[test]
fn the_level_of_records_waits_for_the_last_previous_server_on_postgres() {
    let on = Installation::on_postgres();
    let capped = ["--emulate", "coeval:record=1.0.0"];
    let old = on.start_with(Release::Previous, &capped);
    let new = on.start(Release::Current);
    old.is_of(Release::Previous);
    new.is_of(Release::Current);
    look_around_several_times();
    assert!(!new.log().contains(RISES), "{}", new.log());
    // Nothing newer is stored: another server of the release before still opens the store.
    on.start_with(Release::Previous, &capped).stop();
    assert!(!new.log().contains(RISES), "{}", new.log());
    let log = old.stop();
    assert!(!log.contains(RISES), "{log}");
    eventually("the level rises", || new.log().contains(RISES));
    let told = on.refused(Release::Previous, &capped);
    assert!(told.contains("COEVAL-4016"), "{told}");
    // As it was released it reads this level.
    let back = on.start(Release::Previous);
    assert_eq!(back.ask("GET", "/readyz", "", None).status, 200);
}

/// A role with a purpose, as a later release may have it.
const ROLE_1_1: &str = r#"
kind: type
version: v1
metadata: {name: "coeval:role:1.1.0"}
spec:
  vendor: coeval
  nss: role
  version: 1.1.0
  uniqueNames: true
  conversion: {from: 1.0.0, steps: [{add: {path: /purpose}}]}
  schema:
    type: object
    additionalProperties: false
    required: [rolename]
    properties:
      rolename: {type: string, minLength: 1, maxLength: 256}
      org: {type: string}
      holds: {type: string, enum: [these, everything, whatIsPublished], default: these}
      rights: {type: array, maxItems: 2000, items: {type: string, maxLength: 512}}
      predefined: {type: boolean, default: false}
      purpose: {type: string}
"#;

fn system_admin() -> Caller {
    let roles = vec!["System Administrator".to_owned()];
    let subject = AccessSubject::provider("admin", SYSTEM_ORG, roles, Rights::everything());
    Caller::new(Arc::new(subject))
}

/// The version that a role is stored at.
async fn stored_at(engine: &Engine, name: &str) -> String {
    let target = Target::Name {
        org: SYSTEM_ORG.to_owned(),
        name: name.to_owned(),
    };
    let role = TypeKey::new(VENDOR, "role");
    let found = engine.get(&system_admin(), &role, &target).await.unwrap();
    found.header.version.to_string()
}

async fn create_role(engine: &Engine, name: &str) {
    let role = NewRole {
        name: name.to_owned(),
        org: None,
        description: None,
        rights: Vec::new(),
    };
    engine.create_role(&system_admin(), &role).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_built_in_kind_waits_for_the_last_previous_server_on_postgres() {
    let on = Installation::on_postgres();
    let old = block_in_place(|| on.start(Release::Previous));
    let opened = open(&on.store, OpenOptions::default()).await.unwrap();
    let settings = Settings {
        own_kinds: OwnKinds::default().speaking(ROLE_1_1).unwrap(),
        ..Settings::default()
    };
    let engine = Engine::open(Arc::clone(&opened.store), settings).await;
    let engine = Arc::new(engine.unwrap());
    let quick = MigrationSettings {
        poll: Duration::from_millis(50),
        ..MigrationSettings::default()
    };
    let driver = MigrationDriver::start(Arc::clone(engine.background()), "next", "0.3.0", quick);
    driver.settled().await;
    block_in_place(look_around_several_times);
    create_role(&engine, "auditor").await;
    assert_eq!(stored_at(&engine, "auditor").await, "1.0.0");
    // The server of the release before reads it, and what it writes is the other's.
    block_in_place(|| {
        let admin = old.log_in("administrator", "System");
        let named = |name: &str| {
            let roles = old.get("roles", &admin)["items"]
                .as_array()
                .unwrap()
                .clone();
            roles.iter().any(|role| role["name"] == name)
        };
        assert!(named("auditor"));
        let create = ["role", "create", "maker", "--global"];
        on.does(Release::Previous, &old, &admin, &create);
        assert!(named("maker"));
    });
    assert_eq!(stored_at(&engine, "maker").await, "1.0.0");
    block_in_place(|| old.stop());
    let until = Instant::now() + Duration::from_secs(60);
    for number in 0.. {
        assert!(Instant::now() < until, "the kind's version does not rise");
        let name = format!("later-{number}");
        create_role(&engine, &name).await;
        if stored_at(&engine, &name).await == "1.1.0" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    driver.stop().await;
    let before = engine.store().status().await.unwrap().head;
    let told = block_in_place(|| on.refused(Release::Previous, &[]));
    assert!(told.contains("COEVAL-4016"), "{told}");
    let after = engine.store().status().await.unwrap().head;
    assert_eq!(
        before, after,
        "a server that may not open the store wrote to it"
    );
    opened.store.close().await;
}
