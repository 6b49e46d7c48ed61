//! Entries beside resources, and what an API may do with a resource that was never resolved.

use crate::world::{TENANT, World, admin, app, app_1_0, app_1_1, settings, tenant, v};
use coeval_codes::Coded;
use coeval_core::decide::StoreAt;
use coeval_engine::entries::{Domain, EntryKey, EntryValue, NewEntry};
use coeval_engine::inspect::{Problem, ProblemKind, Repair};
use coeval_engine::tasks::Status;
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create, Delete, MetaEdit, Update};
use coeval_engine::{AuditQuery, Engine, State, Target, What};
use coeval_storage::{Clock, Key, KeySpan, ReadRange, RecordPut, SystemClock, UnixMillis};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn prepared(engine: &Engine) {
    for file in [app_1_0(), app_1_1()] {
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
}

async fn made(engine: &Engine) -> Target {
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a:1"}));
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

fn entry(key: &str) -> NewEntry {
    NewEntry {
        key: EntryKey {
            domain: Domain::Tenant,
            namespace: "n".to_owned(),
            key: key.to_owned(),
        },
        value: EntryValue::Text("v".to_owned()),
        persistent: false,
        read_only: false,
    }
}

async fn noted(engine: &Engine) -> Vec<Key> {
    let span = KeySpan::below(&Key::new("m").unwrap());
    let (_, page) = engine.store().range(ReadRange::of(span)).await.unwrap();
    page.entries.into_iter().map(|entry| entry.key).collect()
}

pub(crate) async fn entries_expire_with_their_resource(world: World) {
    let engine = &world.engine;
    prepared(engine).await;
    let id = made(engine).await;
    engine
        .add_entry(&admin(), &app(), &id, &entry("k"))
        .await
        .unwrap();
    assert_eq!(noted(engine).await.len(), 1);
    let update = Update {
        content: None,
        meta: MetaEdit {
            expires: Some(Some(UnixMillis(SystemClock::default().now().0 + 700))),
            ..MetaEdit::default()
        },
        ..Update::new(v("1.0.0"), Value::Null)
    };
    engine.update(&admin(), &app(), &id, &update).await.unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    while !noted(engine).await.is_empty() {
        assert!(Instant::now() < until, "the entries are left behind");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub(crate) async fn entries_made_at_once_all_arrive(mut world: World) {
    prepared(&world.engine).await;
    let id = made(&world.engine).await;
    let engines = [Arc::clone(&world.engine), world.another(settings()).await];
    let mut running = Vec::new();
    for number in 0..12 {
        let (engine, id) = (Arc::clone(&engines[number % 2]), id.clone());
        running.push(tokio::spawn(async move {
            let new = entry(&format!("k{number}"));
            engine.add_entry(&admin(), &app(), &id, &new).await.unwrap();
        }));
    }
    for one in running {
        one.await.unwrap();
    }
    let entries = world.engine.entries(&admin(), &app(), &id).await.unwrap();
    assert_eq!(entries.len(), 12);
}

pub(crate) async fn entries_of_nobody_are_found_by_an_inspection(world: World) {
    let engine = &world.engine;
    prepared(engine).await;
    let id = made(engine).await;
    engine
        .add_entry(&admin(), &app(), &id, &entry("k"))
        .await
        .unwrap();
    let lost = Key::new("m/00000000-0000-4000-8000-000000000009").unwrap();
    let put = RecordPut::of(b"[]".to_vec());
    engine.store().put(&lost, put).await.unwrap();
    let mut problems = Vec::new();
    let told = &mut |problem: &Problem| problems.push(problem.clone());
    engine.inspect(Repair::Yes, &|_| {}, told).await.unwrap();
    let kinds: Vec<_> = problems.iter().map(|one| one.kind).collect();
    assert_eq!(kinds, [ProblemKind::Orphan], "{problems:?}");
    assert_eq!(noted(engine).await.len(), 1, "the resource's own stay");
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    assert_eq!(noted(engine).await, []);
}

pub(crate) async fn force_deletes_what_was_never_resolved_and_calls_its_creation_off(world: World) {
    let engine = &world.engine;
    prepared(engine).await;
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
    let owner = tenant("owner", TENANT, &["acme:app: Full Access"]);
    let create = Create {
        checking: Checking::Later,
        announced: true,
        ..Create::new(v("1.0.0"), "web", json!({}))
    };
    let made = engine.create(&owner, &app(), create).await.unwrap();
    let (id, task) = (Target::Id(made.resource.id), made.task.unwrap());
    assert_eq!(made.resource.header.state, State::PreCreated);
    let refused = engine.delete(&owner, &app(), &id, None).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::STATE_FORBIDS);
    let stale = coeval_storage::Revision::draw().unwrap();
    let mut forced = Delete {
        revision: Some(stale),
        force: true,
        ..Delete::default()
    };
    let refused = engine.delete(&owner, &app(), &id, forced).await;
    assert_eq!(
        refused.unwrap_err().code(),
        coeval_codes::RESOURCE_CONFLICT,
        "force is no excuse for a stale revision"
    );
    forced.revision = None;
    engine.delete(&owner, &app(), &id, forced).await.unwrap();
    let task = engine.task(&owner, task.id).await.unwrap();
    assert_eq!(task.status, Status::Canceled);
    let query = AuditQuery::default();
    let deeds = engine.audit(&admin(), &query, None, 10).await.unwrap();
    let deleted = deeds.iter().find(|one| one.deed.what == What::Delete);
    let note = deleted.and_then(|one| one.deed.note.clone()).unwrap();
    assert!(note.contains("forced"), "{note}");
}

pub(crate) async fn a_version_changes_without_a_content_and_back(world: World) {
    let engine = &world.engine;
    prepared(engine).await;
    let create = Create::new(v("1.1.0"), "web", json!({"image": "a", "region": "eu"}));
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    let id = Target::Id(made.resource.id);
    for (to, expected) in [
        ("1.0.0", json!({"image": "a"})),
        ("1.1.0", json!({"image": "a", "region": "eu"})),
    ] {
        let update = Update {
            content: None,
            store_at: StoreAt::Set,
            ..Update::new(v(to), Value::Null)
        };
        let moved = engine
            .update(&admin(), &app(), &id, &update)
            .await
            .unwrap()
            .done()
            .unwrap();
        let content: Value = serde_json::from_slice(&moved.resource.content).unwrap();
        assert_eq!(content, expected);
        assert_eq!(moved.resource.header.version, v(to));
    }
}
