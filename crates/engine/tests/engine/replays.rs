//! What went wrong elsewhere, played again with an old and a new client on one store. Each case is
//! named after where it happened; the core's tests tell the stories.

use crate::world::{World, admin, app, app_file, v};
use coeval_codes::Coded;
use coeval_core::version::WriteVersion;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{
    AcceptedType, Caller, Changed, Engine, EngineError, Settings, Target, WantedVersions,
};
use serde_json::{Value, json};

/// A client that understands versions up to this one.
fn client(up_to: &str) -> Caller {
    let mut caller = admin();
    caller.wanted = WantedVersions {
        accept: vec![(AcceptedType::Nss("app".to_owned()), v(up_to))],
        ..WantedVersions::default()
    };
    caller
}

async fn registered(engine: &Engine, files: &[(&str, &str)]) {
    for (version, spec) in files {
        let registration = Registration::of(app_file(version, spec)).warn();
        engine.register(&admin(), registration).await.unwrap();
    }
}

async fn stored(engine: &Engine, at: &str, content: Value) -> Target {
    let create = Create::new(v(at), "it", content);
    let made = engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

/// What a client sees, and its version as the server prints it.
async fn seen(engine: &Engine, id: &Target, up_to: &str) -> (String, Value) {
    let read = engine.get(&client(up_to), &app(), id).await.unwrap();
    let content = serde_json::from_slice(&read.content).unwrap();
    (read.version.to_string(), content)
}

/// A client reads, changes and saves, as it got it.
async fn save(
    engine: &Engine,
    id: &Target,
    up_to: &str,
    change: impl FnOnce(&mut Value),
) -> Result<Changed, EngineError> {
    let read = engine.get(&client(up_to), &app(), id).await.unwrap();
    let mut content = serde_json::from_slice(&read.content).unwrap();
    change(&mut content);
    let update = Update {
        at: WriteVersion::parse(&read.version.to_string()).unwrap(),
        ..Update::new(read.version.version, content).on(read.revision)
    };
    let updated = engine.update(&client(up_to), &app(), id, &update).await;
    updated.map(|updated| updated.done().unwrap())
}

async fn newest(engine: &Engine, id: &Target) -> Value {
    let read = engine.get(&admin(), &app(), id).await.unwrap();
    serde_json::from_slice(&read.content).unwrap()
}

pub(crate) async fn kubernetes_111703_a_patch_through_an_older_version(world: World) {
    let engine = &world.engine;
    let older = "  schema: {properties: {spec: {properties: {cmd: {type: string}}}, status: {properties: {phase: {type: string}}}}}\n";
    let newer = "  schema: {properties: {spec: {properties: {command: {type: string}, retries: {type: integer}}}, status: {properties: {phase: {type: string}, conditions: {type: array}}}}}\n  conversion: {from: 1.0.0, steps: [{rename: {path: /spec/cmd, to: command}}]}\n";
    registered(engine, &[("1.0.0", older), ("2.0.0", newer)]).await;
    let content = json!({"spec": {"command": "run", "retries": 3}, "status": {"phase": "new", "conditions": [{"type": "Ready"}]}});
    let id = stored(engine, "2.0.0", content).await;
    let (_, view) = seen(engine, &id, "1.0.0").await;
    assert_eq!(
        view,
        json!({"spec": {"cmd": "run"}, "status": {"phase": "new"}})
    );
    let changed = save(engine, &id, "1.0.0", |view| {
        view["status"]["phase"] = json!("done");
    })
    .await;
    assert_eq!(
        changed.unwrap().kept,
        ["/spec/retries", "/status/conditions"]
    );
    let expected = json!({"spec": {"command": "run", "retries": 3}, "status": {"phase": "done", "conditions": [{"type": "Ready"}]}});
    assert_eq!(newest(engine, &id).await, expected);
}

pub(crate) async fn kubernetes_46073_servers_of_two_releases_on_one_store(mut world: World) {
    let settings = Settings {
        emulate: [(app(), v("1.0.0"))].into(),
        ..Settings::default()
    };
    let older = world.another(settings).await;
    let newer = &world.engine;
    let files = [
        (
            "1.0.0",
            "  schema: {properties: {replicas: {type: integer}, ready: {type: integer}}}\n",
        ),
        (
            "1.1.0",
            "  schema: {properties: {replicas: {type: integer}, ready: {type: integer}, tolerations: {type: array, items: {type: object, properties: {key: {type: string}}}}}}\n",
        ),
    ];
    registered(newer, &files).await;
    let content = json!({"replicas": 2, "ready": 0, "tolerations": [{"key": "gpu"}]});
    let id = stored(newer, "1.1.0", content).await;
    // The older server shows what it knows, and does not write over what it does not.
    let (version, view) = seen(&older, &id, "1.0.0").await;
    assert_eq!(
        (version.as_str(), view),
        ("v1+downgraded", json!({"replicas": 2, "ready": 0}))
    );
    let refused = save(&older, &id, "1.0.0", |view| view["ready"] = json!(1))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MARKED_BODY);
    // The newer one carries the same save.
    save(newer, &id, "1.0.0", |view| view["ready"] = json!(2))
        .await
        .unwrap();
    let expected = json!({"replicas": 2, "ready": 2, "tolerations": [{"key": "gpu"}]});
    assert_eq!(newest(newer, &id).await, expected);
    // The older one deletes it all the same: that needs no version.
    older.delete(&admin(), &app(), &id, None).await.unwrap();
    assert!(newer.get(&admin(), &app(), &id).await.is_err());
}

pub(crate) async fn kubernetes_34508_clients_of_three_releases_save_in_turn(world: World) {
    let engine = &world.engine;
    let files = [
        ("1.0.0", "  schema: {properties: {image: {type: string}}}\n"),
        (
            "1.1.0",
            "  schema: {properties: {image: {type: string}, quota: {type: integer}}}\n  since: {/quota: 1.1.0}\n",
        ),
        (
            "1.2.0",
            "  schema: {properties: {image: {type: string}, quota: {type: integer}, seccomp: {type: string}}}\n  since: {/quota: 1.1.0, /seccomp: 1.2.0}\n",
        ),
    ];
    registered(engine, &files).await;
    let content = json!({"image": "a", "quota": 1, "seccomp": "strict"});
    let id = stored(engine, "1.2.0", content).await;
    for (up_to, field, value) in [
        ("1.0.0", "image", json!("b")),
        ("1.1.0", "quota", json!(2)),
        ("1.0.0", "image", json!("c")),
    ] {
        save(engine, &id, up_to, |view| view[field] = value)
            .await
            .unwrap();
    }
    let expected = json!({"image": "c", "quota": 2, "seccomp": "strict"});
    assert_eq!(newest(engine, &id).await, expected);
    let refused = save(engine, &id, "1.1.0", |view| view["seccomp"] = json!("off")).await;
    assert_eq!(refused.unwrap_err().code(), coeval_codes::FIELD_TOO_NEW);
    save(engine, &id, "1.1.0", |view| {
        view["seccomp"] = json!("strict");
    })
    .await
    .unwrap();
    assert_eq!(newest(engine, &id).await, expected);
}

pub(crate) async fn teleport_69406_a_role_is_saved_by_a_client_that_does_not_see_its_filter(
    world: World,
) {
    let engine = &world.engine;
    let older = "  schema: {properties: {logins: {type: array}, app_resources: {type: array, items: {type: object, properties: {name: {type: string}, paths: {type: array}}}}}}\n";
    let newer = "  schema: {properties: {logins: {type: array}, app_resources: {type: array, items: {type: object, properties: {name: {type: string}, paths: {type: array}, header_filter: {type: string}}}}}}\n  conversion: {from: 7.0.0, steps: [{each: {path: /app_resources, steps: [{add: {path: /header_filter}}]}}]}\n";
    registered(engine, &[("7.0.0", older), ("7.1.0", newer)]).await;
    let filtered = json!({"name": "api", "paths": ["/api/**"], "header_filter": "x-env: dev"});
    let open = json!({"name": "docs", "paths": ["/docs"]});
    let content = json!({"logins": ["a"], "app_resources": [filtered, open]});
    let id = stored(engine, "7.1.0", content.clone()).await;
    let added = json!({"name": "new", "paths": ["/new"]});
    let put_before = |view: &mut Value| {
        view["app_resources"]
            .as_array_mut()
            .unwrap()
            .insert(0, added.clone());
    };
    let changed = save(engine, &id, "7.0.0", put_before).await.unwrap();
    assert_eq!(changed.kept, ["/app_resources/1/header_filter"]);
    let expected = json!({"logins": ["a"], "app_resources": [added, filtered, open]});
    assert_eq!(newest(engine, &id).await, expected);
    // The rule itself is changed: it might be another one, and is not made wider.
    let widen = |view: &mut Value| view["app_resources"][1]["paths"] = json!(["/**"]);
    let refused = save(engine, &id, "7.0.0", widen).await.unwrap_err();
    assert_eq!(refused.code(), coeval_codes::LIST_NEEDS_KEY);
    assert_eq!(newest(engine, &id).await, expected);
    let drop_it = |view: &mut Value| {
        view["app_resources"].as_array_mut().unwrap().remove(1);
    };
    let changed = save(engine, &id, "7.0.0", drop_it).await.unwrap();
    assert_eq!(changed.dropped, ["/app_resources/1/header_filter"]);
}

pub(crate) async fn pgroll_a_down_that_invents_what_up_forgot(world: World) {
    let engine = &world.engine;
    let older = "  schema: {properties: {size: {type: string}, review: {type: string}, price: {type: integer}, seconds: {type: integer}}}\n";
    let newer = "  schema: {required: [review], properties: {size: {type: string}, review: {type: string, default: none yet}, minutes: {type: integer}}}\n  conversion:\n    from: 1.0.0\n    steps:\n      - map: {path: /size, table: {tiny: S, small: S, large: L}}\n      - remove: {path: /price, value: 0}\n      - scale: {path: /seconds, by: 1/60}\n      - rename: {path: /seconds, to: minutes}\n";
    registered(engine, &[("1.0.0", older), ("2.0.0", newer)]).await;
    let old = json!({"size": "small", "price": 42, "seconds": 90});
    let id = stored(engine, "1.0.0", old.clone()).await;
    // Stored at the new version and back again: nothing was invented.
    let to = |at: &str, content: Value| Update {
        store_at: coeval_core::decide::StoreAt::Set,
        ..Update::new(v(at), content)
    };
    let view = engine
        .get(&admin().at(v("2.0.0")), &app(), &id)
        .await
        .unwrap();
    let there: Value = serde_json::from_slice(&view.content).unwrap();
    assert_eq!(
        there,
        json!({"size": "S", "review": "none yet", "minutes": 1})
    );
    engine
        .update(&admin(), &app(), &id, &to("2.0.0", there))
        .await
        .unwrap();
    let view = engine
        .get(&admin().at(v("1.0.0")), &app(), &id)
        .await
        .unwrap();
    let back: Value = serde_json::from_slice(&view.content).unwrap();
    let moved = engine
        .update(&admin(), &app(), &id, &to("1.0.0", back))
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(moved.resource.header.version, v("1.0.0"));
    assert_eq!(newest(engine, &id).await, old);
}

pub(crate) async fn cambria_head_and_remove_forget(world: World) {
    let engine = &world.engine;
    let older = "  schema: {properties: {title: {type: string}, assignee: {type: string}, body: {type: string}}}\n";
    let newer = "  schema: {properties: {title: {type: string}, assignees: {type: array, items: {type: string}}}}\n  conversion:\n    from: 1.0.0\n    steps:\n      - rename: {path: /assignee, to: assignees}\n      - wrap: {path: /assignees}\n      - remove: {path: /body}\n";
    registered(engine, &[("1.0.0", older), ("2.0.0", newer)]).await;
    let id = stored(
        engine,
        "2.0.0",
        json!({"title": "t", "assignees": ["a", "b", "c"]}),
    )
    .await;
    let changed = save(engine, &id, "1.0.0", |view| view["assignee"] = json!("z"))
        .await
        .unwrap();
    assert_eq!(changed.kept, ["/assignees/1", "/assignees/2"]);
    let expected = json!({"title": "t", "assignees": ["z", "b", "c"]});
    assert_eq!(newest(engine, &id).await, expected);
    // The other way: a document of the old version, saved by a client of the new one, which asks
    // for its version and so leaves the stored one alone.
    engine.delete(&admin(), &app(), &id, None).await.unwrap();
    let id = stored(
        engine,
        "1.0.0",
        json!({"title": "t", "body": "a long story"}),
    )
    .await;
    let update = Update {
        store_at: coeval_core::decide::StoreAt::Unchanged,
        ..Update::new(v("2.0.0"), json!({"title": "u"}))
    };
    let changed = engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(changed.kept, ["/body"]);
    assert_eq!(changed.resource.header.version, v("1.0.0"));
    assert_eq!(
        newest(engine, &id).await,
        json!({"title": "u", "body": "a long story"})
    );
}

pub(crate) async fn cloud_director_csi_driver_148_one_components_save_wipes_anothers_status(
    world: World,
) {
    let engine = &world.engine;
    let files = [
        (
            "1.0.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {pvs: {type: array}}}}}}}\n",
        ),
        (
            "1.1.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {pvs: {type: array}}}, manager: {properties: {phase: {type: string}, nodes: {type: object}}}}}}}\n",
        ),
        (
            "2.0.0",
            "  schema: {properties: {status: {properties: {csi: {properties: {volumes: {type: array}}}, manager: {properties: {phase: {type: string}, nodes: {type: object}}}}}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /status/csi/pvs, to: volumes}}]}\n",
        ),
    ];
    registered(engine, &files).await;
    let manager = json!({"phase": "ready", "nodes": {"n1": "up"}});
    let content = json!({"status": {"csi": {"volumes": ["a"]}, "manager": manager}});
    let id = stored(engine, "2.0.0", content).await;
    // The driver writes only its own part, at the version that has nothing else.
    let body = json!({"status": {"csi": {"pvs": ["a", "b"]}}});
    let before = engine.get(&admin(), &app(), &id).await.unwrap();
    let driver = Update::new(v("1.0.0"), body);
    let changed = engine
        .update(&client("1.0.0"), &app(), &id, &driver)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert_eq!(changed.kept, ["/status/manager"]);
    let expected = json!({"status": {"csi": {"volumes": ["a", "b"]}, "manager": manager}});
    assert_eq!(newest(engine, &id).await, expected);
    // One that read before the manager wrote is told, also if it insists.
    let mut late = Update::new(v("1.1.0"), json!({"status": {"csi": {"pvs": []}}}));
    late.revision = Some(before.revision);
    for force in [false, true] {
        late.force = force;
        let refused = engine
            .update(&admin(), &app(), &id, &late)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), coeval_codes::RESOURCE_CONFLICT);
    }
    assert_eq!(newest(engine, &id).await, expected);
}
