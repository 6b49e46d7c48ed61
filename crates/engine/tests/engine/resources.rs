//! Resources: create, get, update, delete, at their version and at others.

use crate::world::{World, admin, app, app_1_0, app_1_1, v};
use coeval_codes::Coded;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create, Update};
use coeval_engine::{EngineError, Resource, State, Target};
use serde_json::{Value, json};

fn content(resource: &Resource) -> Value {
    serde_json::from_slice(&resource.content).unwrap()
}

async fn with_two_versions(world: &World) {
    for file in [app_1_0(), app_1_1()] {
        world
            .engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
}

pub(crate) async fn a_created_resource_reads_back_as_it_was_sent(world: World) {
    with_two_versions(&world).await;
    let body = json!({"image": "a:1", "replicas": 3});
    let create = Create::new(v("1.0.0"), "web", body.clone());
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    assert!(made.created);
    let id = Target::Id(made.resource.id);
    let read = world.engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(content(&read), body);
    assert_eq!(read.revision, made.resource.revision);
    assert_eq!(read.header.state, State::Resolved);
    assert_eq!(read.version.to_string(), made.resource.version.to_string());
    let name = Target::Name {
        org: admin().org().to_owned(),
        name: "web".to_owned(),
    };
    let named = world.engine.get(&admin(), &app(), &name).await.unwrap();
    assert_eq!(named.id, read.id);
}

pub(crate) async fn an_old_client_changes_what_its_version_expresses_and_nothing_else(
    world: World,
) {
    with_two_versions(&world).await;
    let body = json!({"image": "a:1", "region": "eu"});
    let create = Create::new(v("1.1.0"), "web", body);
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    let old = admin().at(v("1.0.0"));
    let view = world.engine.get(&old, &app(), &id).await.unwrap();
    assert_eq!(content(&view), json!({"image": "a:1"}));
    assert_eq!(view.version.to_string(), "v1+downgraded");
    let mut update = Update::new(v("1.0.0"), json!({"image": "a:2"})).on(view.revision);
    update.at = coeval_core::version::WriteVersion::parse("v1+downgraded").unwrap();
    let changed = world
        .engine
        .update(&old, &app(), &id, &update)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(changed.kept, ["/region"]);
    let read = world.engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(content(&read), json!({"image": "a:2", "region": "eu"}));
    assert_eq!(read.header.version, v("1.1.0"));
}

pub(crate) async fn a_stale_revision_is_a_conflict_that_says_where_it_differs(world: World) {
    with_two_versions(&world).await;
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a:1"}));
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    let first = Update::new(v("1.0.0"), json!({"image": "a:2"})).on(made.resource.revision);
    let after = world
        .engine
        .update(&admin(), &app(), &id, &first)
        .await
        .unwrap()
        .done()
        .unwrap();
    let second = Update::new(v("1.0.0"), json!({"image": "a:3"})).on(made.resource.revision);
    let refused = world
        .engine
        .update(&admin(), &app(), &id, &second)
        .await
        .unwrap_err();
    let current = after.resource.revision;
    let paths = vec!["/image".to_owned()];
    assert_eq!(refused, EngineError::Conflict { current, paths });
}

pub(crate) async fn a_deleted_resource_leaves_nothing_behind(world: World) {
    with_two_versions(&world).await;
    let store = world.engine.store();
    let count = || async {
        let everything = coeval_storage::KeySpan::everything();
        let (_, page) = store
            .range(coeval_storage::ReadRange::of(everything))
            .await
            .unwrap();
        let keys = page.entries.iter().map(|entry| entry.key.to_string());
        keys.filter(|key| !key.starts_with("u/"))
            .collect::<Vec<_>>()
    };
    let before = count().await;
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a:1"}));
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    for n in 0..25 {
        let update = Update::new(v("1.0.0"), json!({"image": format!("a:{n}")}));
        world
            .engine
            .update(&admin(), &app(), &id, &update)
            .await
            .unwrap();
    }
    assert!(count().await.len() > before.len() + 20);
    world
        .engine
        .delete(&admin(), &app(), &id, None)
        .await
        .unwrap();
    assert_eq!(count().await, before);
    let gone = world.engine.get(&admin(), &app(), &id).await.unwrap_err();
    assert_eq!(gone.code(), coeval_codes::RESOURCE_NOT_FOUND);
}

pub(crate) async fn a_name_belongs_to_one_resource_of_an_organization(world: World) {
    with_two_versions(&world).await;
    let create = || Create::new(v("1.0.0"), "web", json!({"image": "a:1"}));
    let made = world
        .engine
        .create(&admin(), &app(), create())
        .await
        .unwrap();
    let again = world
        .engine
        .create(&admin(), &app(), create())
        .await
        .unwrap_err();
    assert_eq!(again.code(), coeval_codes::RESOURCE_EXISTS);
    let mut namesake = create();
    namesake.unique = false;
    world
        .engine
        .create(&admin(), &app(), namesake)
        .await
        .unwrap();
    let name = Target::Name {
        org: admin().org().to_owned(),
        name: "web".to_owned(),
    };
    let both = world.engine.get(&admin(), &app(), &name).await.unwrap_err();
    assert_eq!(both.code(), coeval_codes::NAME_AMBIGUOUS);
    let id = Target::Id(made.resource.id);
    world
        .engine
        .delete(&admin(), &app(), &id, None)
        .await
        .unwrap();
    assert!(world.engine.get(&admin(), &app(), &name).await.is_ok());
    let again = world
        .engine
        .create(&admin(), &app(), create())
        .await
        .unwrap_err();
    assert_eq!(again.code(), coeval_codes::RESOURCE_EXISTS);
}

pub(crate) async fn an_update_of_what_is_not_there_is_not_found(world: World) {
    with_two_versions(&world).await;
    let id = Target::Id(coeval_core::version::Uuid(7));
    let update = Update::new(v("1.0.0"), json!({"image": "a"}));
    let refused = world
        .engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::RESOURCE_NOT_FOUND);
}

pub(crate) async fn long_names_that_begin_the_same_are_different(world: World) {
    with_two_versions(&world).await;
    let long = "n".repeat(900);
    let mut ids = Vec::new();
    for end in ["a", "b"] {
        let create = Create::new(v("1.0.0"), format!("{long}{end}"), json!({"image": end}));
        let made = world
            .engine
            .create(&admin(), &app(), create.clone())
            .await
            .unwrap();
        ids.push(made.resource.id);
        let again = world
            .engine
            .create(&admin(), &app(), create)
            .await
            .unwrap_err();
        assert_eq!(again.code(), coeval_codes::RESOURCE_EXISTS);
    }
    for (end, id) in ["a", "b"].iter().zip(ids) {
        let target = Target::Name {
            org: admin().org().to_owned(),
            name: format!("{long}{end}"),
        };
        let read = world.engine.get(&admin(), &app(), &target).await.unwrap();
        assert_eq!(read.id, id);
    }
}

pub(crate) async fn the_state_follows_the_content(world: World) {
    with_two_versions(&world).await;
    let engine = &world.engine;
    let create = |name: &str, body: Value, checking: Checking| Create {
        checking,
        ..Create::new(v("1.0.0"), name, body)
    };
    let (good, bad) = (json!({"image": "a"}), json!({"image": 7}));
    // Not looked at until it is resolved; until then it can't be deleted.
    let later = create("later", bad.clone(), Checking::Later);
    let made = engine
        .create(&admin(), &app(), later)
        .await
        .unwrap()
        .resource;
    assert_eq!(made.header.state, State::PreCreated);
    let id = Target::Id(made.id);
    let refused = engine
        .delete(&admin(), &app(), &id, None)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::STATE_FORBIDS);
    let resolved = engine.resolve(&admin(), &app(), &id).await.unwrap();
    assert_eq!(resolved.header.state, State::ResolutionError);
    assert!(resolved.header.message.as_ref().unwrap().contains("/image"));
    // Doing it again changes nothing, not even the revision.
    let again = engine.resolve(&admin(), &app(), &id).await.unwrap();
    assert_eq!(again.revision, resolved.revision);
    // A write does not resolve by itself where the API says later.
    let update = Update {
        checking: Checking::Later,
        ..Update::new(v("1.0.0"), good.clone())
    };
    let updated = engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap()
        .done()
        .unwrap()
        .resource;
    assert_eq!(updated.header.state, State::ResolutionError);
    let resolved = engine.resolve(&admin(), &app(), &id).await.unwrap();
    assert_eq!(
        (resolved.header.state, &resolved.header.message),
        (State::Resolved, &None)
    );
    // Once it fits, what does not fit is refused and nothing has changed.
    let update = Update {
        checking: Checking::Later,
        ..Update::new(v("1.0.0"), bad.clone())
    };
    let refused = engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::CONTENT_INVALID);
    let read = engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(
        (content(&read), read.revision),
        (good.clone(), resolved.revision)
    );
    // About to go: it is not resolved any more, and then deleted.
    let mut going = Update {
        content: None,
        ..Update::new(v("1.0.0"), Value::Null)
    };
    going.meta.state = Some(State::InDeletion);
    engine.update(&admin(), &app(), &id, &going).await.unwrap();
    let refused = engine.resolve(&admin(), &app(), &id).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::STATE_FORBIDS);
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    // Resolved at once, well or not; or refused.
    let now = create("now", bad.clone(), Checking::Resolve);
    let made = engine.create(&admin(), &app(), now).await.unwrap().resource;
    assert_eq!(made.header.state, State::ResolutionError);
    let strict = create("strict", bad, Checking::Strict);
    let refused = engine.create(&admin(), &app(), strict).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::CONTENT_INVALID);
}

pub(crate) async fn an_upsert_makes_or_changes(world: World) {
    with_two_versions(&world).await;
    let engine = std::sync::Arc::clone(&world.engine);
    // Many at once: one makes it, the others change it.
    let upserts: Vec<_> = (0..12)
        .map(|n| {
            let engine = std::sync::Arc::clone(&engine);
            tokio::spawn(async move {
                let body = json!({"image": format!("a:{n}")});
                let create = Create::new(v("1.0.0"), "web", body.clone());
                let update = Update::new(v("1.0.0"), body);
                let (admin, app) = (admin(), app());
                let upserted = engine.upsert(&admin, &app, create, &update);
                upserted.await.unwrap().done().expect("there is no hook")
            })
        })
        .collect();
    let mut made = 0;
    let mut ids = std::collections::BTreeSet::new();
    for upsert in upserts {
        let changed = upsert.await.unwrap();
        made += usize::from(changed.created);
        ids.insert(changed.resource.id);
    }
    assert_eq!((made, ids.len()), (1, 1));
    // An update without a revision is refused where the API needs one.
    let update = Update {
        needs_revision: true,
        ..Update::new(v("1.0.0"), json!({"image": "b"}))
    };
    let id = Target::Id(*ids.first().unwrap());
    let refused = engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::REVISION_NEEDED);
}
