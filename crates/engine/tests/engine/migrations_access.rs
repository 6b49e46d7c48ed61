//! Who may see either of the two majors of a migration sees what takes part in it, in every phase.

use crate::migrations::{back, content, drive, forward_to, registered, started, status};
use crate::world::{TENANT, World, admin, app, tenant, v};
use coeval_access::{Grant, Level, Member};
use coeval_core::phases::Phase;
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    Caller, Engine, EngineError, ListQuery, Target, WatchQuery, WatchStream, Watched, WatchedChange,
};
use futures::StreamExt;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Somebody with all rights of the type, and access to one of its versions.
async fn let_in(engine: &Engine, user: &str, version: &str) -> Caller {
    let grant = || Grant {
        member: Member::User(user.to_owned()),
        level: Level::ReadWrite,
    };
    engine
        .set_type_acl(&admin(), &app(), v(version), |acl| {
            acl.set(grant(), Level::FullControl)?;
            Ok(())
        })
        .await
        .unwrap();
    tenant(user, TENANT, &["acme:app: Full Access"]).at(v(version))
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
            member: Member::User(user.to_owned()),
            level: Level::ReadWrite,
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
