//! Mass migration: what becomes of each resource, whose are touched, and what is told.

use crate::migrations_hurt::{Before, Deed};
use crate::world::{OTHER, TENANT, World, admin, app, app_1_0, app_file, settings, tenant, v};
use coeval_access::{AccessLevel, AclMember, Grant};
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_engine::jobs::{JobRunner, MigrateOptions, RunnerSettings};
use coeval_engine::tasks::{Status, Task, TaskQuery};
use coeval_engine::types::Registration;
use coeval_engine::write::{Checking, Create, MetaEdit, Update};
use coeval_engine::{AuditQuery, Caller, Engine, Resource, State, Target, What};
use coeval_storage::layers::FaultyStore;
use coeval_storage::{KeySpan, ReadRange};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) const LONG: Duration = Duration::from_secs(60);

/// Another major: the image has another name, there is a tier, and at most five replicas.
fn app_2_0() -> String {
    app_file(
        "2.0.0",
        "  schema: {type: object, required: [img, tier], properties: {img: {type: string}, tier: {type: string, default: basic}, replicas: {type: integer, minimum: 0, maximum: 5}}}\n  indexes: {image: /img}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /image, to: img}}]}\n",
    )
}

pub(crate) async fn with_two_majors(world: &World) {
    for file in [app_1_0(), app_2_0()] {
        let registration = Registration::of(file).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
}

async fn make(engine: &Engine, name: &str, replicas: u64, checking: Checking) -> Resource {
    let body = json!({"image": format!("{name}:1"), "replicas": replicas});
    let mut create = Create::new(v("1.0.0"), name, body);
    create.checking = checking;
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    made.resource
}

pub(crate) async fn make_many(world: &World, count: usize) -> Vec<Resource> {
    let make = |n| {
        let engine = Arc::clone(&world.engine);
        tokio::spawn(async move { make(&engine, &format!("r{n}"), 1, Checking::Strict).await })
    };
    let all: Vec<_> = (0..count).map(make).collect();
    let mut made = Vec::new();
    for one in all {
        made.push(one.await.unwrap());
    }
    made
}

pub(crate) async fn read(engine: &Engine, id: Uuid) -> Resource {
    engine.get(&admin(), &app(), &Target::Id(id)).await.unwrap()
}

fn content(resource: &Resource) -> Value {
    serde_json::from_slice(&resource.content).unwrap()
}

pub(crate) fn quick() -> RunnerSettings {
    RunnerSettings {
        poll: Duration::from_millis(200),
        // So that some dozen resources make several rounds.
        abreast: 2,
        ..RunnerSettings::default()
    }
}

pub(crate) fn runner(engine: &Arc<Engine>, name: &str, settings: RunnerSettings) -> JobRunner {
    JobRunner::start(Arc::clone(engine.background()), name, settings)
}

pub(crate) async fn ask(engine: &Engine, options: MigrateOptions) -> Task {
    let (from, to) = (v("1.0.0"), v("2.0.0"));
    engine
        .migrate_resources(&admin(), &app(), from, to, &options)
        .await
        .unwrap()
}

pub(crate) async fn ended(engine: &Engine, task: &Task) -> Task {
    let task = engine.wait_for_task(&admin(), task.id, LONG).await.unwrap();
    assert!(task.status.has_ended(), "{task:?}");
    task
}

/// Migrates from 1.0.0 to 2.0.0 and returns the result.
async fn migrate(world: &World, options: MigrateOptions) -> Value {
    let _runner = runner(&world.engine, "one", quick());
    let task = ask(&world.engine, options).await;
    let task = ended(&world.engine, &task).await;
    assert_eq!(task.status, Status::Success, "{task:?}");
    assert_eq!(task.progress.percent(), 100);
    task.result.unwrap()
}

/// Migrated, skipped, failed, left behind.
pub(crate) fn counts(result: &Value) -> [u64; 4] {
    ["migrated", "skipped", "failed", "leftBehind"].map(|name| result[name].as_u64().unwrap())
}

/// What is said of a resource: outcome and code.
fn said(result: &Value, id: Uuid) -> Option<(String, String)> {
    let entries = result["entries"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["id"] == id.to_string())?;
    let text = |name: &str| entry[name].as_str().unwrap().to_owned();
    Some((text("outcome"), text("code")))
}

pub(crate) async fn keys(engine: &Engine, prefix: &str) -> Vec<String> {
    let mut range = ReadRange::of(KeySpan::everything());
    let mut found = Vec::new();
    loop {
        let (_, page) = engine.store().range(range.clone()).await.unwrap();
        let keys = page.entries.iter().map(|entry| entry.key.to_string());
        found.extend(keys.filter(|key| key.starts_with(prefix)));
        match page.entries.last() {
            Some(last) if page.more => range = range.after(&last.key),
            _ => return found,
        }
    }
}

/// Every resource was moved once, and the indexes, history and audit say so.
pub(crate) async fn assert_each_moved_once(engine: &Engine, before: &[Resource]) {
    for one in before {
        let now = read(engine, one.id).await;
        assert_eq!(now.header.version, v("2.0.0"));
        assert_eq!(now.header.generation, 1, "written more than once");
        assert_ne!(now.revision, one.revision);
    }
    assert_eq!(keys(engine, "x/acme/app/version/1.0.0").await.len(), 0);
    let at_target = keys(engine, "x/acme/app/version/2.0.0").await;
    assert_eq!(at_target.len(), before.len());
    assert_eq!(keys(engine, "e/acme/app/v1/").await.len(), 0);
    assert_eq!(keys(engine, "e/acme/app/v2/").await.len(), before.len());
    let deeds = engine
        .audit(&admin(), &AuditQuery::default(), None, usize::MAX)
        .await
        .unwrap();
    let mut told: HashMap<String, usize> = HashMap::new();
    for record in deeds {
        if let (What::Migrate, Some(id)) = (record.deed.what, record.deed.id) {
            *told.entry(id).or_default() += 1;
        }
    }
    assert_eq!(told.len(), before.len());
    assert!(told.values().all(|times| *times == 1));
}

pub(crate) async fn a_migration_moves_what_fits_and_says_what_does_not(world: World) {
    with_two_majors(&world).await;
    let engine = &world.engine;
    let fits = make(engine, "fits", 3, Checking::Strict).await;
    let too_many = make(engine, "too-many", 9, Checking::Strict).await;
    let new = make(engine, "new", 9, Checking::Later).await;
    let bad = Create {
        checking: Checking::Resolve,
        ..Create::new(v("1.0.0"), "bad", json!({"replicas": 1}))
    };
    let bad = engine.create(&admin(), &app(), bad).await.unwrap().resource;
    assert_eq!(bad.header.state, State::ResolutionError);
    let going = make(engine, "going", 1, Checking::Strict).await;
    let mut leave = Update::new(v("1.0.0"), Value::Null);
    leave.content = None;
    leave.meta = MetaEdit {
        state: Some(State::InDeletion),
        ..MetaEdit::default()
    };
    let target = Target::Id(going.id);
    engine
        .update(&admin(), &app(), &target, &leave)
        .await
        .unwrap();

    let tried = migrate(
        &world,
        MigrateOptions {
            dry_run: true,
            ..MigrateOptions::default()
        },
    )
    .await;
    assert_eq!(counts(&tried), [3, 1, 1, 0], "{tried}");
    assert_eq!(read(engine, fits.id).await.revision, fits.revision);

    let result = migrate(&world, MigrateOptions::default()).await;
    assert_eq!(counts(&result), [3, 1, 1, 0], "{result}");
    assert_eq!(result["entries"], tried["entries"]);
    let (failed, skipped) = (said(&result, too_many.id), said(&result, going.id));
    let code = |code: coeval_codes::Code| code.to_string();
    assert_eq!(failed.as_ref().map(|said| &*said.0), Some("failed"));
    assert_eq!(
        skipped,
        Some(("skipped".into(), code(coeval_codes::STATE_FORBIDS)))
    );
    for (id, version, state) in [
        (fits.id, "2.0.0", State::Resolved),
        (too_many.id, "1.0.0", State::Resolved),
        (new.id, "2.0.0", State::PreCreated),
        (bad.id, "2.0.0", State::PreCreated),
        (going.id, "1.0.0", State::InDeletion),
    ] {
        let now = read(engine, id).await;
        assert_eq!((now.header.version, now.header.state), (v(version), state));
    }
    assert_eq!(read(engine, too_many.id).await.revision, too_many.revision);
    let moved = read(engine, fits.id).await;
    let body = json!({"replicas": 3, "img": "fits:1", "tier": "basic"});
    assert_eq!(content(&moved), body);

    let force = MigrateOptions {
        force: true,
        ..MigrateOptions::default()
    };
    let forced = migrate(&world, force).await;
    assert_eq!(counts(&forced), [1, 1, 0, 0], "{forced}");
    let now = read(engine, too_many.id).await;
    let state = (now.header.version, now.header.state);
    assert_eq!(state, (v("2.0.0"), State::ResolutionError));
    assert!(now.header.message.as_ref().unwrap().contains("replicas"));
    assert_eq!(said(&forced, too_many.id).unwrap().0, "migrated");
}

pub(crate) async fn a_migrated_resource_goes_back_with_nothing_lost(world: World) {
    with_two_majors(&world).await;
    let engine = &world.engine;
    let made = make_many(&world, 3).await;
    migrate(&world, MigrateOptions::default()).await;
    let _runner = runner(engine, "one", quick());
    let options = MigrateOptions::default();
    let (from, to) = (v("2.0.0"), v("1.0.0"));
    let back = engine
        .migrate_resources(&admin(), &app(), from, to, &options)
        .await
        .unwrap();
    assert_eq!(ended(engine, &back).await.status, Status::Success);
    for one in made {
        let now = read(engine, one.id).await;
        assert_eq!((content(&now), now.header.version), (content(&one), to));
    }
}

/// Writers never stop while everything is moved: no acknowledged write is lost.
pub(crate) async fn writers_lose_nothing_to_a_migration(world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 60).await;
    let writers: Vec<_> = made
        .iter()
        .step_by(3)
        .map(|one| {
            let (engine, id) = (Arc::clone(&world.engine), Target::Id(one.id));
            tokio::spawn(async move {
                let mut last = 0;
                for n in 1..=12 {
                    // At whatever version it is by now, as a client with `Upsert` does.
                    let body = json!({"image": format!("w:{n}"), "replicas": 2});
                    let update = Update::new(v("1.0.0"), body);
                    if engine.update(&admin(), &app(), &id, &update).await.is_ok() {
                        last = n;
                    }
                }
                last
            })
        })
        .collect();
    let result = migrate(&world, MigrateOptions::default()).await;
    let [migrated, skipped, failed, left] = counts(&result);
    assert_eq!((migrated + left, skipped, failed), (60, 0, 0), "{result}");
    for (writer, one) in writers.into_iter().zip(made.iter().step_by(3)) {
        let last = writer.await.unwrap();
        let old = admin().at(v("1.0.0"));
        let now = world
            .engine
            .get(&old, &app(), &Target::Id(one.id))
            .await
            .unwrap();
        if last > 0 {
            assert_eq!(content(&now)["image"], format!("w:{last}"));
        }
    }
    let again = migrate(&world, MigrateOptions::default()).await;
    assert_eq!(counts(&again), [left, 0, 0, 0]);
}

/// What somebody else wrote is read again, and nothing rests: the store has not failed.
pub(crate) async fn what_is_written_meanwhile_is_moved_without_a_rest(world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 60).await;
    let ids: Vec<Uuid> = made.iter().map(|one| one.id).collect();
    let engine = Arc::clone(&world.engine);
    // The claim is the first write; then batches go.
    let deed: Deed = Box::pin(async move {
        for id in ids {
            let body = json!({"image": "meanwhile", "replicas": 2});
            let update = Update::new(v("1.0.0"), body);
            let target = Target::Id(id);
            let written = engine.update(&admin(), &app(), &target, &update).await;
            written.unwrap();
        }
    });
    let plan = Arc::new(Before::write(2, deed));
    let store = FaultyStore::new(Arc::clone(world.engine.store()), Arc::clone(&plan) as _);
    let meddled = Arc::new(Engine::new(Arc::new(store), settings()));
    let task = ask(&world.engine, MigrateOptions::default()).await;
    let _runner = runner(&meddled, "one", quick());
    let task = ended(&world.engine, &task).await;
    assert!(plan.has_struck());
    assert_eq!(task.attempts(), 1, "{task:?}");
    assert_eq!(counts(task.result.as_ref().unwrap()), [60, 0, 0, 0]);
    for one in made {
        let now = read(&world.engine, one.id).await;
        assert_eq!(now.header.version, v("2.0.0"));
        assert_eq!(content(&now)["img"], "meanwhile");
    }
}

pub(crate) async fn a_migration_touches_what_the_caller_may_move(world: World) {
    with_two_majors(&world).await;
    let engine = &world.engine;
    for version in ["1.0.0", "2.0.0"] {
        let open = |acl: &mut coeval_access::Acl| {
            for org in [TENANT, OTHER] {
                let member = AclMember::Org(org.to_owned());
                let level = AccessLevel::ReadWrite;
                acl.set(Grant { member, level }, AccessLevel::FullControl)?;
            }
            Ok(())
        };
        engine
            .set_type_acl(&admin(), &app(), v(version), open)
            .await
            .unwrap();
    }
    let rights = [
        "acme:app: View",
        "acme:app: Modify",
        "acme:app: Full Access",
    ];
    let callers = [("ann", TENANT), ("ben", TENANT), ("cyd", OTHER)];
    let [ann, ben, cyd] = callers.map(|(user, org)| tenant(user, org, &rights));
    let body = || json!({"image": "a"});
    let make = |caller: Caller, name: &'static str| async move {
        let create = Create::new(v("1.0.0"), name, body());
        let made = engine.create(&caller, &app(), create).await.unwrap();
        made.resource.id
    };
    let own = make(ann.clone(), "own").await;
    let hidden = make(ben.clone(), "hidden").await;
    let shared = make(ben.clone(), "shared").await;
    let given = make(ben.clone(), "given").await;
    let foreign = make(cyd.clone(), "foreign").await;
    for (id, level) in [
        (shared, AccessLevel::ReadWrite),
        (given, AccessLevel::FullControl),
    ] {
        let member = AclMember::User("ann".to_owned());
        let grant = Grant { member, level };
        engine
            .grant(&ben, &app(), &Target::Id(id), &grant)
            .await
            .unwrap();
    }
    let _runner = runner(engine, "one", quick());
    let options = MigrateOptions::default();
    let task = engine
        .migrate_resources(&ann, &app(), v("1.0.0"), v("2.0.0"), &options)
        .await
        .unwrap();
    let done = engine.wait_for_task(&ann, task.id, LONG).await.unwrap();
    let result = done.result.unwrap();
    assert_eq!(counts(&result), [2, 1, 0, 0], "{result}");
    let code = coeval_codes::ACL_LEVEL_TOO_LOW.to_string();
    assert_eq!(said(&result, shared), Some(("skipped".into(), code)));
    for id in [hidden, foreign] {
        assert_eq!(said(&result, id), None, "told of what it may not see");
        assert!(!result.to_string().contains(&id.to_string()));
    }
    for (id, version) in [
        (own, "2.0.0"),
        (given, "2.0.0"),
        (shared, "1.0.0"),
        (hidden, "1.0.0"),
        (foreign, "1.0.0"),
    ] {
        assert_eq!(read(engine, id).await.header.version, v(version));
    }
    // Whose task it is, and who sees it.
    let viewer = tenant("dan", TENANT, &["Task: View"]);
    let manager = tenant("eve", TENANT, &["Task: Manage"]);
    let stranger = tenant("fay", OTHER, &["Task: Manage"]);
    let page = TaskQuery::newest(10);
    for (caller, sees) in [
        (&ann, true),
        (&ben, false),
        (&viewer, true),
        (&manager, true),
        (&stranger, false),
        (&admin(), true),
    ] {
        let got = engine.task(caller, task.id).await;
        assert_eq!(got.is_ok(), sees, "{}", caller.user());
        if let Err(error) = got {
            assert_eq!(error.code(), coeval_codes::TASK_UNKNOWN);
        }
        let listed = engine.tasks(caller, &page).await.unwrap().tasks;
        let lists = sees && caller.org() == TENANT;
        assert_eq!(listed.len(), usize::from(lists), "{}", caller.user());
    }
    let refused = engine.cancel_task(&viewer, task.id).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::RIGHT_MISSING);
    let late = engine.cancel_task(&manager, task.id).await.unwrap_err();
    assert_eq!(late.code(), coeval_codes::TASK_ENDED);
}

pub(crate) async fn a_target_that_changes_a_meaning_must_be_named(world: World) {
    with_two_majors(&world).await;
    let changed = app_file(
        "3.0.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, tier: {type: string}, replicas: {type: integer}}}\n  conversion: {from: 2.0.0, steps: []}\n  meaningChanged: [/tier]\n",
    );
    let later = app_file(
        "3.1.0",
        "  schema: {type: object, required: [img], properties: {img: {type: string}, tier: {type: string}, replicas: {type: integer}, zone: {type: string}}}\n  conversion: {from: 3.0.0, steps: [{add: {path: /zone}}]}\n",
    );
    let engine = &world.engine;
    for file in [changed, later] {
        let registration = Registration::of(file).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
    let named = MigrateOptions {
        meaning_changed: vec![v("3.0.0")],
        ..MigrateOptions::default()
    };
    let unnamed = MigrateOptions::default();
    let meaning = Some(coeval_codes::MIGRATION_MEANING_CHANGED);
    for (from, to, options, code) in [
        ("1.0.0", "3.0.0", &unnamed, meaning),
        ("1.0.0", "3.1.0", &unnamed, meaning),
        ("3.1.0", "1.0.0", &unnamed, meaning),
        ("3.0.0", "3.1.0", &unnamed, None),
        ("1.0.0", "2.0.0", &unnamed, None),
        ("1.0.0", "3.1.0", &named, None),
        (
            "1.0.0",
            "1.0.0",
            &unnamed,
            Some(coeval_codes::MIGRATION_TARGET_REFUSED),
        ),
        (
            "1.0.0",
            "4.0.0",
            &unnamed,
            Some(coeval_codes::TYPE_VERSION_UNKNOWN),
        ),
    ] {
        let (one, other) = (v(from), v(to));
        let asked = engine
            .migrate_resources(&admin(), &app(), one, other, options)
            .await;
        assert_eq!(
            asked.err().map(|error| error.code()),
            code,
            "{from} to {to}"
        );
    }
}
