//! Watches: in order, without gap or duplicate, in the caller's version, for those who may see.

use crate::world::{OTHER, TENANT, World, admin, app, app_1_0, app_1_1, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Target, WatchQuery, WatchStream, Watched, WatchedChange};
use futures::StreamExt;
use serde_json::{Value, json};
use std::time::Duration;

async fn prepared(world: &World) {
    for file in [app_1_0(), app_1_1()] {
        world
            .engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
}

fn owner() -> Caller {
    tenant("owner", TENANT, &["acme:app: Full Access"])
}

async fn next(stream: &mut WatchStream) -> Watched {
    let waited = tokio::time::timeout(Duration::from_secs(20), stream.next()).await;
    waited
        .expect("an event within 20 s")
        .expect("no end")
        .unwrap()
}

async fn next_change(stream: &mut WatchStream) -> WatchedChange {
    loop {
        if let Watched::Changes(_, mut changes) = next(stream).await {
            assert_eq!(changes.len(), 1);
            return changes.remove(0);
        }
    }
}

fn told(change: &WatchedChange) -> String {
    match change {
        WatchedChange::Put(resource) => {
            let content: Value = serde_json::from_slice(&resource.content).unwrap();
            format!("{} {content}", resource.version)
        }
        WatchedChange::Deleted { .. } => "deleted".to_owned(),
        WatchedChange::Left { .. } => "left".to_owned(),
        WatchedChange::Quarantined(quarantined) => format!("quarantined {}", quarantined.code),
    }
}

pub(crate) async fn each_watcher_sees_its_version_in_order(world: World) {
    prepared(&world).await;
    let engine = &world.engine;
    let mut old = engine
        .watch(&owner().at(v("1.0.0")), WatchQuery::of(app()))
        .await
        .unwrap();
    let mut new = engine.watch(&owner(), WatchQuery::of(app())).await.unwrap();
    let stranger = tenant("stranger", OTHER, &["acme:app: Full Access"]);
    let mut other = engine
        .watch(&stranger, WatchQuery::of(app()))
        .await
        .unwrap();
    let Watched::Live(from) = next(&mut old).await else {
        panic!("the first says that it is live");
    };
    let body = json!({"image": "a", "region": "eu"});
    let create = Create::new(v("1.1.0"), "web", body);
    let made = engine.create(&owner(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    let update = Update::new(v("1.0.0"), json!({"image": "b"}));
    engine.update(&owner(), &app(), &id, &update).await.unwrap();
    engine.delete(&owner(), &app(), &id, None).await.unwrap();
    let expected_old = [
        "v1+downgraded {\"image\":\"a\"}",
        "v1+downgraded {\"image\":\"b\"}",
        "deleted",
    ];
    let expected_new = [
        "v1.1 {\"image\":\"a\",\"region\":\"eu\"}",
        "v1.1 {\"image\":\"b\",\"region\":\"eu\"}",
        "deleted",
    ];
    for (stream, expected) in [(&mut old, expected_old), (&mut new, expected_new)] {
        for expected in expected {
            assert_eq!(told(&next_change(stream).await), expected);
        }
    }
    // Resumed from where it began: the same again, on another watch.
    let mut query = WatchQuery::of(app());
    query.from = Some(from);
    let mut again = engine.watch(&owner().at(v("1.0.0")), query).await.unwrap();
    for expected in expected_old {
        assert_eq!(told(&next_change(&mut again).await), expected);
    }
    // The other tenant heard of nothing.
    let mine = Create::new(v("1.0.0"), "mine", json!({"image": "z"}));
    engine.create(&stranger, &app(), mine).await.unwrap();
    assert_eq!(told(&next_change(&mut other).await), "v1 {\"image\":\"z\"}");
}

pub(crate) async fn a_watch_goes_on_across_a_new_version_of_the_type(mut world: World) {
    let engine = std::sync::Arc::clone(&world.engine);
    engine
        .register(&admin(), Registration::of(app_1_0()))
        .await
        .unwrap();
    let mut watch = engine.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    // Registered and used on another server.
    let another = world.another(coeval_engine::Settings::default()).await;
    another
        .register(&admin(), Registration::of(app_1_1()))
        .await
        .unwrap();
    let body = json!({"image": "a", "region": "eu"});
    another
        .create(&admin(), &app(), Create::new(v("1.1.0"), "web", body))
        .await
        .unwrap();
    let change = next_change(&mut watch).await;
    assert_eq!(told(&change), "v1.1 {\"image\":\"a\",\"region\":\"eu\"}");
}

pub(crate) async fn a_deletion_is_told_to_whom_an_acl_had_let_in(world: World) {
    prepared(&world).await;
    let engine = &world.engine;
    let reader = tenant("reader", TENANT, &["acme:app: View"]);
    let nobody = tenant("nobody", TENANT, &["acme:app: View"]);
    let mut watch = engine.watch(&reader, WatchQuery::of(app())).await.unwrap();
    let mut blind = engine.watch(&nobody, WatchQuery::of(app())).await.unwrap();
    let create = |name: &str| Create::new(v("1.0.0"), name, json!({"image": "a"}));
    let made = engine
        .create(&owner(), &app(), create("web"))
        .await
        .unwrap();
    let id = Target::Id(made.resource.id);
    let member = AclMember::User("reader".to_owned());
    let level = AccessLevel::ReadOnly;
    engine
        .grant(&owner(), &app(), &id, &Grant { member, level })
        .await
        .unwrap();
    engine.delete(&owner(), &app(), &id, None).await.unwrap();
    assert_eq!(told(&next_change(&mut watch).await), "deleted");
    // What they may not see is not told: only bookmarks, up to the head.
    let head = engine.store().status().await.unwrap().head;
    loop {
        match next(&mut blind).await {
            Watched::Changes(..) => panic!("told of what it may not see"),
            Watched::Bookmark(token) if token.sequence >= head => break,
            Watched::Bookmark(_) | Watched::Live(_) => {}
        }
    }
}
