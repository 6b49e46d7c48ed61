//! What expires, what is kept as history, and what an inspection finds and repairs.

use crate::world::{World, admin, app, app_1_0, app_1_1, v};
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_engine::inspect::{Inspected, Problem, ProblemKind, Repair};
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, MetaEdit, Update};
use coeval_engine::{Engine, Target, WatchQuery, Watched, WatchedChange};
use coeval_storage::{Clock, Key, KeySpan, ReadRange, RecordPut, SystemClock, UnixMillis};
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
}

async fn made(engine: &Engine, name: &str) -> Uuid {
    let create = Create::new(v("1.0.0"), name, json!({"image": "a:1"}));
    engine
        .create(&admin(), &app(), create)
        .await
        .unwrap()
        .resource
        .id
}

async fn inspected(engine: &Engine, repair: Repair) -> (Inspected, Vec<Problem>) {
    let mut problems = Vec::new();
    let told = &mut |problem: &Problem| problems.push(problem.clone());
    let done = engine.inspect(repair, &|_| {}, told).await.unwrap();
    (done, problems)
}

async fn keys(engine: &Engine) -> Vec<String> {
    let (_, page) = engine
        .store()
        .range(ReadRange::of(KeySpan::everything()))
        .await
        .unwrap();
    let keys = page.entries.iter().map(|entry| entry.key.to_string());
    keys.filter(|key| !key.starts_with("u/")).collect()
}

pub(crate) async fn an_expired_resource_goes_with_all_that_belongs_to_it(world: World) {
    prepared(&world).await;
    let engine = &world.engine;
    let before = keys(engine).await;
    let id = Target::Id(made(engine, "web").await);
    let mut watch = engine.watch(&admin(), WatchQuery::of(app())).await.unwrap();
    let soon = UnixMillis(SystemClock::default().now().0 + 1_500);
    let update = Update {
        content: None,
        meta: MetaEdit {
            expires: Some(Some(soon)),
            ..MetaEdit::default()
        },
        ..Update::new(v("1.0.0"), Value::Null)
    };
    engine.update(&admin(), &app(), &id, &update).await.unwrap();
    let later = UnixMillis(soon.0 + 1_000);
    let kept = engine.get(&admin(), &app(), &id).await.unwrap();
    engine
        .keep_alive(&admin(), &app(), &id, Some(later))
        .await
        .unwrap();
    let alive = engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(
        (alive.revision, alive.expires),
        (kept.revision, Some(later))
    );
    let gone = async {
        loop {
            let Watched::Changes(_, changes) = watch.next().await.unwrap().unwrap() else {
                continue;
            };
            if matches!(changes.as_slice(), [WatchedChange::Deleted { .. }]) {
                return;
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(30), gone)
        .await
        .expect("told within 30 s");
    assert_eq!(keys(engine).await, before);
    let create = Create::new(v("1.0.0"), "web", json!({"image": "a:1"}));
    engine.create(&admin(), &app(), create).await.unwrap();
}

pub(crate) async fn an_earlier_revision_can_be_brought_back(world: World) {
    prepared(&world).await;
    let engine = &world.engine;
    let id = Target::Id(made(engine, "web").await);
    for n in 2..30 {
        let update = Update::new(v("1.0.0"), json!({"image": format!("a:{n}")}));
        engine.update(&admin(), &app(), &id, &update).await.unwrap();
    }
    let history = engine.history(&admin(), &app(), &id).await.unwrap();
    assert_eq!(history.revisions.len(), 21, "the present one and twenty");
    let images: Vec<Value> = history
        .revisions
        .iter()
        .map(|one| serde_json::from_slice::<Value>(&one.content).unwrap()["image"].clone())
        .collect();
    let expected: Vec<Value> = (9..30).rev().map(|n| json!(format!("a:{n}"))).collect();
    assert_eq!(images, expected);
    let old = history.revisions[20].revision;
    let back = engine
        .restore(&admin(), &app(), &id, old, None)
        .await
        .unwrap()
        .done()
        .unwrap();
    let content: Value = serde_json::from_slice(&back.resource.content).unwrap();
    assert_eq!(content, json!({"image": "a:9"}));
    let lost = coeval_storage::Revision::draw().unwrap();
    let refused = engine
        .restore(&admin(), &app(), &id, lost, None)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::RESOURCE_NOT_FOUND);
}

pub(crate) async fn an_inspection_finds_what_is_wrong_and_repairs_what_it_can(world: World) {
    prepared(&world).await;
    let engine = &world.engine;
    let mut ids = Vec::new();
    for n in 0..5 {
        ids.push(made(engine, &format!("r{n}")).await);
    }
    let (_, problems) = inspected(engine, Repair::No).await;
    assert_eq!(problems, []);
    let store = engine.store();
    let all = keys(engine).await;
    let find = |part: &str, id: Uuid| {
        let id = id.to_string();
        let found = all
            .iter()
            .find(|key| key.starts_with(part) && key.contains(&id));
        Key::new(found.unwrap().clone()).unwrap()
    };
    // An index entry is gone, another one leads nowhere, a count is wrong, a record is nonsense,
    // and an ACL belongs to nobody.
    store
        .delete(&find("x/acme/app/owner", ids[0]))
        .await
        .unwrap();
    let lost = Uuid(99).to_string();
    let orphan = find("x/acme/app/name", ids[1])
        .to_string()
        .replace(&ids[1].to_string(), &lost);
    store
        .put(&Key::new(orphan).unwrap(), RecordPut::of(b"".to_vec()))
        .await
        .unwrap();
    let count = all.iter().find(|key| key.starts_with("n/")).unwrap();
    store
        .put(
            &Key::new(count.clone()).unwrap(),
            RecordPut::of(b"{\"count\":7}".to_vec()),
        )
        .await
        .unwrap();
    store
        .put(&find("e/", ids[2]), RecordPut::of(b"nonsense".to_vec()))
        .await
        .unwrap();
    let stranger = Key::new(format!("e/acme/gone/v1/{lost}")).unwrap();
    store
        .put(&stranger, RecordPut::of(b"{}".to_vec()))
        .await
        .unwrap();
    let acl = Key::new(format!("a/{}", Uuid(98))).unwrap();
    store
        .put(&acl, RecordPut::of(b"[]".to_vec()))
        .await
        .unwrap();
    let kinds = |problems: &[Problem]| {
        let mut kinds: Vec<String> = problems
            .iter()
            .map(|one| format!("{:?}", one.kind))
            .collect();
        kinds.sort();
        kinds
    };
    let expected = [
        "IndexMissing",
        "IndexOrphan",
        "NameCount",
        "Orphan",
        "Resource",
        "Resource",
    ];
    let (done, problems) = inspected(engine, Repair::No).await;
    assert_eq!(kinds(&problems), expected, "{problems:#?}");
    assert_eq!((done.problems, done.repaired), (6, 0));
    let (done, _) = inspected(engine, Repair::Yes).await;
    assert_eq!(done.repaired, 4);
    let (_, problems) = inspected(engine, Repair::No).await;
    assert_eq!(kinds(&problems), ["Resource", "Resource"]);
    assert!(problems.iter().all(|one| one.kind == ProblemKind::Resource));
    assert!(problems.iter().any(|one| one.id == Some(ids[2])));
    // The others are as they were.
    for id in [ids[0], ids[1], ids[3], ids[4]] {
        engine.get(&admin(), &app(), &Target::Id(id)).await.unwrap();
    }
}

pub(crate) async fn a_definition_that_can_not_be_read_hides_no_other(mut world: World) {
    prepared(&world).await;
    let id = made(&world.engine, "old").await;
    let create = Create::new(v("1.1.0"), "new", json!({"image": "a", "region": "eu"}));
    let new = world.engine.create(&admin(), &app(), create).await.unwrap();
    let second = crate::world::app_file("2.0.0", "  schema: {type: object}\n");
    world
        .engine
        .register(&admin(), Registration::of(second).warn())
        .await
        .unwrap();
    let create = Create::new(v("2.0.0"), "newest", json!({}));
    let newest = world.engine.create(&admin(), &app(), create).await.unwrap();
    // Two definitions are written over by something else; the phase record tells the servers.
    let store = world.engine.store();
    for version in ["1.1.0", "2.0.0"] {
        let key = Key::new(format!("t/acme/app/{version}")).unwrap();
        store
            .put(&key, RecordPut::of(b"nonsense".to_vec()))
            .await
            .unwrap();
    }
    let engine = world.another(crate::world::settings()).await;
    let get = async |id| engine.get(&admin(), &app(), &Target::Id(id)).await;
    assert!(get(id).await.is_ok());
    // A minor that is not known is shown as far as it is declared; an unknown major is told as such.
    let shown = get(new.resource.id).await.unwrap();
    assert_eq!(shown.version.to_string(), "v1+downgraded");
    let refused = get(newest.resource.id).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MAJOR_UNKNOWN);
}

pub(crate) async fn what_was_done_is_kept_for_ninety_days(mut world: World) {
    prepared(&world).await;
    made(&world.engine, "web").await;
    let all = coeval_engine::AuditQuery::default();
    let told = world.engine.audit(&admin(), &all, None, 100).await.unwrap();
    assert!(told.len() >= 3, "{told:?}");
    for (days, left) in [(89, told.len()), (91, 0)] {
        let later = coeval_storage::SkewedClock::new(days * 24 * 60 * 60 * 1000);
        let settings = coeval_engine::Settings {
            clock: std::sync::Arc::new(later),
            ..crate::world::settings()
        };
        let engine = world.another(settings).await;
        engine.prune_audit().await.unwrap();
        let told = world.engine.audit(&admin(), &all, None, 100).await.unwrap();
        assert_eq!(told.len(), left, "after {days} days");
    }
}
