//! Who may see either of the two majors of a migration sees what takes part in it, in every phase.

use crate::migrations::{back, content, drive, forward_to, made, registered, started, status};
use crate::world::{TENANT, World, admin, app, app_file, settings, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::phases::Phase;
use coeval_engine::migrations::{Advance, Change, MigrationDriver, MigrationStatus};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    Caller, Engine, EngineError, ListQuery, Settings, Target, WatchQuery, WatchStream, Watched,
    WatchedChange,
};
use futures::StreamExt;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Somebody with all rights of the type, and access to one of its versions.
async fn let_in(engine: &Engine, user: &str, version: &str) -> Caller {
    let grant = || Grant {
        member: AclMember::User(user.to_owned()),
        level: AccessLevel::ReadWrite,
    };
    engine
        .set_type_acl(&admin(), &app(), v(version), |acl| {
            acl.set(grant(), AccessLevel::FullControl)?;
            Ok(())
        })
        .await
        .unwrap();
    tenant(user, TENANT, &["acme:app: Full Access"]).at(v(version))
}

async fn grant_version(engine: &Engine, member: AclMember, version: &str) {
    let grant = || Grant {
        member: member.clone(),
        level: AccessLevel::ReadWrite,
    };
    engine
        .set_type_acl(&admin(), &app(), v(version), |acl| {
            acl.set(grant(), AccessLevel::FullControl)?;
            Ok(())
        })
        .await
        .unwrap();
}

async fn take_version(engine: &Engine, member: AclMember, version: &str) {
    engine
        .set_type_acl(&admin(), &app(), v(version), |acl| {
            acl.remove(&member, AccessLevel::FullControl)?;
            Ok(())
        })
        .await
        .unwrap();
}

async fn names(engine: &Engine, caller: &Caller) -> Vec<String> {
    let page = engine.list(caller, &ListQuery::of(app())).await.unwrap();
    let names = page.items.iter().map(|one| one.header.name.clone());
    names.collect()
}

async fn sees(engine: &Engine, caller: &Caller, id: &Target) -> bool {
    match engine.get(caller, &app(), id).await {
        Ok(_) => true,
        Err(EngineError::NotFound { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

/// The half step that admits cutover, without these members.
async fn enter_cutover(engine: &Engine, without: &[&str]) -> Result<MigrationStatus, EngineError> {
    let advance = Advance {
        to: Some(Phase::Cutover),
        without_access: without.iter().map(|name| (*name).to_owned()).collect(),
        ..Advance::default()
    };
    engine.advance_migration(&admin(), &app(), advance).await
}

async fn next_change(stream: &mut WatchStream) -> WatchedChange {
    let until = Instant::now() + Duration::from_secs(20);
    while Instant::now() < until {
        let next = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
        let next = next.expect("something within 20 s").expect("no end");
        if let Watched::Changes(_, mut changes) = next.unwrap() {
            assert_eq!(changes.len(), 1, "{changes:?}");
            return changes.remove(0);
        }
    }
    panic!("nothing within 20 s");
}

pub(crate) async fn who_sees_either_major_sees_the_pair_in_every_phase(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let old = let_in(&engine, "old", "1.0.0").await;
    let new = let_in(&engine, "new", "2.0.0").await;
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a"}));
    let made = engine.create(&old, &app(), create).await.unwrap();
    let web = Target::Id(made.resource.id);
    let alone = Create::new(v("2.0.0"), "alone", json!({"container": {"image": "a"}}));
    let alone = engine.create(&new, &app(), alone).await.unwrap();
    let alone = Target::Id(alone.resource.id);
    // Each is let in by the other's resource: only versions decide what is seen.
    for (owner, id, user) in [(&old, &web, "new"), (&new, &alone, "old")] {
        let grant = Grant {
            member: AclMember::User(user.to_owned()),
            level: AccessLevel::ReadWrite,
        };
        engine.grant(owner, &app(), id, &grant).await.unwrap();
    }
    assert!(sees(&engine, &old, &web).await && !sees(&engine, &old, &alone).await);
    assert!(!sees(&engine, &new, &web).await && sees(&engine, &new, &alone).await);
    let mut watch_old = engine.watch(&old, WatchQuery::of(app())).await.unwrap();
    let mut watch_new = engine.watch(&new, WatchQuery::of(app())).await.unwrap();
    started(&engine).await;
    let came = next_change(&mut watch_new).await;
    assert!(matches!(&came, WatchedChange::Put(web) if web.header.name == "web"));
    for phase in Phase::ALL.into_iter().filter(|one| *one != Phase::Cleanup) {
        if phase == Phase::Cutover {
            enter_cutover(&engine, &["old"]).await.unwrap();
        }
        forward_to(&engine, phase).await;
        for caller in [&old, &new] {
            assert!(sees(&engine, caller, &web).await, "{phase}");
        }
        assert!(!sees(&engine, &old, &alone).await, "{phase}");
        assert_eq!(names(&engine, &old).await, ["web"], "{phase}");
        let mut both = names(&engine, &new).await;
        both.sort();
        assert_eq!(both, ["alone", "web"], "{phase}");
        // What is granted at the old major is granted at the source of truth, and the other way.
        let update = Update::new(v("1.0.0"), json!({"image": phase.name()}));
        engine.update(&old, &app(), &web, &update).await.unwrap();
        let body = json!({"container": {"image": phase.name()}, "tier": "gold"});
        let update = Update::new(v("2.0.0"), body);
        engine.update(&new, &app(), &web, &update).await.unwrap();
        for stream in [&mut watch_old, &mut watch_new] {
            for _ in 0..2 {
                let WatchedChange::Put(shown) = next_change(stream).await else {
                    panic!("{phase}: not shown");
                };
                let told = content(&shown).to_string();
                assert!(told.contains(phase.name()), "{phase}: {told}");
            }
        }
    }
    // Where it is taken back nothing is left of it.
    while status(&engine).await.live != Some((Phase::Old, Phase::Old)) {
        back(&engine).await;
    }
    engine.undo_migration(&admin(), &app()).await.unwrap();
    let until = Instant::now() + Duration::from_secs(20);
    while sees(&engine, &new, &web).await {
        assert!(Instant::now() < until, "{:?}", status(&engine).await);
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let left = next_change(&mut watch_new).await;
    assert!(matches!(left, WatchedChange::Left { .. }), "{left:?}");
    assert!(sees(&engine, &old, &web).await);
}

/// What a plan says of who would lose access.
async fn planned(engine: &Engine) -> Vec<(String, AccessLevel)> {
    let (who, of) = (admin(), app());
    let plan = engine.plan_migration(&who, &of, Some(1), Some(2)).await;
    let all = plan.unwrap().without_access;
    all.into_iter().map(|one| (one.name, one.level)).collect()
}

fn refused(entered: Result<MigrationStatus, EngineError>) -> EngineError {
    let error = entered.unwrap_err();
    let code = coeval_codes::MIGRATION_WITHOUT_ACCESS;
    assert_eq!(error.code(), code, "{error}");
    error
}

pub(crate) async fn cutover_waits_for_those_who_see_only_the_old_major(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    made(&engine, "web", json!({"image": "a"})).await;
    assert_eq!(planned(&engine).await, [], "nobody but who sees both");
    for user in ["anna", "bert", "carl"] {
        let_in(&engine, user, "1.0.0").await;
    }
    grant_version(&engine, AclMember::Role("clerks".to_owned()), "1.0.0").await;
    grant_version(&engine, AclMember::User("carl".to_owned()), "2.0.0").await;
    let named = |name: &str| (name.to_owned(), AccessLevel::ReadWrite);
    let losing = [named("anna"), named("bert"), named("clerks")];
    assert_eq!(planned(&engine).await, losing);
    started(&engine).await;
    forward_to(&engine, Phase::Soak).await;
    let error = refused(enter_cutover(&engine, &[]).await);
    let told = error.to_string();
    assert!(told.contains("anna, bert, clerks see acme:app"), "{told}");
    let advice = error.advice();
    for part in [
        "`coeval type grant acme:app:2.0.0 anna read-write`",
        "`coeval migrate advance acme:app --to cutover --without-access anna --without-access bert --without-access clerks`",
    ] {
        assert!(advice.contains(part), "{advice}");
    }
    let now = status(&engine).await;
    assert_eq!(now.live, Some((Phase::Soak, Phase::Soak)));
    assert!(
        now.why
            .starts_with("Cutover waits for anna, bert and clerks"),
        "{}",
        now.why
    );
    assert_eq!(now.without_access.len(), 3);
    // One is granted, one is named, and the third is neither.
    grant_version(&engine, AclMember::User("anna".to_owned()), "2.0.0").await;
    let error = refused(enter_cutover(&engine, &["bert"]).await);
    assert!(error.to_string().starts_with("clerks see"), "{error}");
    // What is decided is what holds at the step: taken away again, she is waited for again.
    take_version(&engine, AclMember::User("anna".to_owned()), "2.0.0").await;
    let error = refused(enter_cutover(&engine, &["bert", "clerks"]).await);
    assert!(error.to_string().starts_with("anna see"), "{error}");
    grant_version(&engine, AclMember::User("anna".to_owned()), "2.0.0").await;
    let half = enter_cutover(&engine, &["bert", "clerks"]).await.unwrap();
    assert_eq!(half.live, Some((Phase::Soak, Phase::Cutover)));
    assert_eq!(half.without_access, []);
    // The rest of the way asks nobody again; back at soak it does.
    forward_to(&engine, Phase::Cutover).await;
    back(&engine).await;
    refused(enter_cutover(&engine, &[]).await);
}

pub(crate) async fn a_hidden_minor_that_resources_get_counts_as_no_access(world: World) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let_in(&engine, "anna", "1.0.0").await;
    let_in(&engine, "anna", "2.0.0").await;
    let later = "  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string}}}, replicas: {type: integer, minimum: 0}, tier: {type: string}, zone: {type: string}}}\n  conversion: {from: 2.0.0, steps: [{add: {path: /zone}}]}\n";
    let later = Registration::of(app_file("2.1.0", later)).warn();
    engine.register(&admin(), later).await.unwrap();
    // It has the ACL of 2.0.0.
    assert_eq!(planned(&engine).await, []);
    take_version(&engine, AclMember::User("anna".to_owned()), "2.1.0").await;
    let anna = ("anna".to_owned(), AccessLevel::ReadWrite);
    assert_eq!(planned(&engine).await, [anna]);
}

pub(crate) async fn what_goes_by_itself_waits_for_access(world: World) {
    let engine = Arc::clone(&world.engine);
    registered(&engine).await;
    made(&engine, "web", json!({"image": "a"})).await;
    let_in(&engine, "anna", "1.0.0").await;
    started(&engine).await;
    let change = Change {
        auto: Some(true),
        until: Some("finished".to_owned()),
        ..Change::default()
    };
    engine
        .change_migration(&admin(), &app(), &change)
        .await
        .unwrap();
    let look = || MigrationDriver::once(engine.background(), "one", "0.2.0");
    let until = Instant::now() + Duration::from_secs(30);
    while status(&engine).await.live != Some((Phase::Soak, Phase::Soak)) {
        look().await.unwrap();
        assert!(Instant::now() < until, "{:?}", status(&engine).await);
    }
    for _ in 0..5 {
        look().await.unwrap();
    }
    let now = status(&engine).await;
    assert_eq!(now.live, Some((Phase::Soak, Phase::Soak)), "it waits");
    assert_eq!(
        now.why,
        "Cutover waits for anna, with access to major 1 and not to 2.0.0: grant it with `coeval type grant acme:app:2.0.0`, or go on without with `coeval migrate advance acme:app --to cutover --without-access anna`."
    );
    grant_version(&engine, AclMember::User("anna".to_owned()), "2.0.0").await;
    while status(&engine).await.live.is_some() {
        look().await.unwrap();
        assert!(Instant::now() < until, "{:?}", status(&engine).await);
    }
}

pub(crate) async fn a_phase_of_the_environment_waits_for_access(mut world: World) {
    let settings = Settings {
        phases: [(app(), Phase::Cutover)].into(),
        ..settings()
    };
    let engine = world.another(settings).await;
    let first = Arc::clone(&world.engine);
    registered(&first).await;
    made(&first, "web", json!({"image": "a"})).await;
    let_in(&first, "anna", "1.0.0").await;
    started(&first).await;
    {
        let _driver = drive(&first, "one");
        forward_to(&first, Phase::Soak).await;
    }
    for _ in 0..3 {
        MigrationDriver::once(engine.background(), "env", "0.2.0")
            .await
            .unwrap();
    }
    let now = status(&engine).await;
    assert_eq!(now.live, Some((Phase::Soak, Phase::Soak)), "it waits");
    assert!(now.why.starts_with("Cutover waits for anna"), "{}", now.why);
    grant_version(&engine, AclMember::User("anna".to_owned()), "2.0.0").await;
    MigrationDriver::once(engine.background(), "env", "0.2.0")
        .await
        .unwrap();
    assert_eq!(
        status(&engine).await.live,
        Some((Phase::Soak, Phase::Cutover))
    );
}

pub(crate) async fn who_sees_only_the_old_major_is_told_of_what_cutover_makes_and_ends(
    world: World,
) {
    let engine = Arc::clone(&world.engine);
    let _driver = drive(&engine, "one");
    registered(&engine).await;
    let old = let_in(&engine, "old", "1.0.0").await;
    started(&engine).await;
    forward_to(&engine, Phase::Soak).await;
    enter_cutover(&engine, &["old"]).await.unwrap();
    forward_to(&engine, Phase::Cutover).await;
    let mut watch = engine.watch(&old, WatchQuery::of(app())).await.unwrap();
    // Made at the old major, stored at the new one alone, and part of the migration.
    let create = Create::new(v("1.0.0"), "late", json!({"image": "a"}));
    let late = engine.create(&old, &app(), create).await.unwrap();
    let id = late.resource.id;
    let put = next_change(&mut watch).await;
    assert!(
        matches!(&put, WatchedChange::Put(one) if one.id == id),
        "{put:?}"
    );
    engine
        .delete(&old, &app(), &Target::Id(id), None)
        .await
        .unwrap();
    let gone = next_change(&mut watch).await;
    assert!(
        matches!(gone, WatchedChange::Deleted { id: told, .. } if told == id),
        "{gone:?}"
    );
    // One that is at home in the new major alone is nothing to those who don't see it.
    let new = let_in(&engine, "new", "2.0.0").await;
    let alone = Create::new(v("2.0.0"), "alone", json!({"container": {"image": "a"}}));
    let alone = engine.create(&new, &app(), alone).await.unwrap();
    let alone = Target::Id(alone.resource.id);
    engine.delete(&new, &app(), &alone, None).await.unwrap();
    // And one that expires.
    let mut create = Create::new(v("1.0.0"), "brief", json!({"image": "a"}));
    let soon = coeval_storage::Clock::now(&coeval_storage::SystemClock::default());
    create.expires = Some(coeval_storage::UnixMillis(soon.0 + 400));
    let brief = engine.create(&old, &app(), create).await.unwrap();
    let id = brief.resource.id;
    let put = next_change(&mut watch).await;
    assert!(
        matches!(&put, WatchedChange::Put(one) if one.id == id),
        "{put:?}"
    );
    let gone = next_change(&mut watch).await;
    assert!(
        matches!(gone, WatchedChange::Deleted { id: told, .. } if told == id),
        "{gone:?}"
    );
}
