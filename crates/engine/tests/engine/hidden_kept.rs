//! A view that hides kept data of a higher version says so.

use crate::secrets::keyring;
use crate::world::{TENANT, World, admin, app, app_file, settings, tenant, v};
use coeval_core::version::WriteVersion;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, ListQuery, Resource, Settings, Target};
use serde_json::{Value, json};

const OLD: &str =
    "  schema: {type: object, properties: {image: {type: string}, tier: {type: string}}}\n";
const MIDDLE: &str = "  schema: {type: object, properties: {image: {type: string}, tier: {type: string}, region: {type: string}}}\n  conversion: {from: 1.0.0, steps: [{add: {path: /region}}]}\n";
const NEW: &str = "  schema: {type: object, properties: {image: {type: string}, level: {type: string}, region: {type: string}, zone: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{map: {path: /tier, table: {gold: g, basic: b}, otherwise: {forward: b, backward: basic}}}, {rename: {path: /tier, to: level}}, {add: {path: /zone}}]}\n";

async fn registered(world: &World, files: &[(&str, String)]) {
    for (version, rest) in files {
        let registration = Registration::of(app_file(version, rest)).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
}

async fn three(world: &World, more: &str) {
    let files = [("1.0.0", OLD), ("1.1.0", MIDDLE), ("2.0.0", NEW)];
    let files = files.map(|(version, rest)| (version, format!("{rest}{more}")));
    registered(world, &files).await;
}

async fn made(world: &World, content: Value) -> Target {
    let create = Create::new(v("1.0.0"), "it", content);
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

async fn read(world: &World, caller: &Caller, it: &Target) -> (Resource, Vec<String>) {
    let read = world.engine.get(caller, &app(), it).await.unwrap();
    let left_out = world.engine.left_out(caller, &read).await.unwrap();
    (read, left_out)
}

async fn shown(world: &World, caller: &Caller, it: &Target) -> (String, Vec<String>) {
    let (read, left_out) = read(world, caller, it).await;
    (read.version.to_string(), left_out)
}

async fn saved(world: &World, at: &str, it: &Target, body: Value) {
    let update = Update::new(v(at), body);
    let caller = admin().at(v(at));
    let done = world.engine.update(&caller, &app(), it, &update).await;
    done.unwrap();
}

async fn moved(world: &World, it: &Target, to: &str) {
    let upgrade = coeval_engine::write::Upgrade {
        to: Some(v(to)),
        ..Default::default()
    };
    let done = world.engine.upgrade(&admin(), &app(), it, &upgrade).await;
    done.unwrap();
}

fn marked(version: &str, paths: &[&str]) -> (String, Vec<String>) {
    let paths = paths.iter().map(ToString::to_string);
    (version.to_owned(), paths.collect())
}

pub(crate) async fn a_view_at_the_stored_version_lists_what_is_kept_for_higher_ones(world: World) {
    three(&world, "").await;
    let it = made(&world, json!({"image": "a"})).await;
    assert_eq!(shown(&world, &admin(), &it).await, marked("v1", &[]));
    let whole = json!({"image": "a", "region": "eu", "zone": "b"});
    saved(&world, "2.0.0", &it, whole.clone()).await;
    let (found, left_out) = read(&world, &admin(), &it).await;
    assert_eq!(found.header.version, v("1.0.0"));
    assert_eq!(found.version.to_string(), "v1+downgraded");
    assert_eq!(left_out, ["/region", "/zone"]);
    // A view in between hides the rest.
    let between = shown(&world, &admin().at(v("1.1.0")), &it).await;
    assert_eq!(between, marked("v1.1+downgraded", &["/zone"]));
    let newest = shown(&world, &admin().at(v("2.0.0")), &it).await;
    assert_eq!(newest, marked("v2", &[]));
    let page = world.engine.list(&admin(), &ListQuery::of(app())).await;
    assert_eq!(page.unwrap().items[0].version, found.version);
    // The marked view is edited and saved, and nothing of what it hid is lost.
    let edited = Update {
        revision: Some(found.revision),
        at: WriteVersion::downgraded(v("1.0.0")),
        ..Update::new(v("1.0.0"), json!({"image": "c"}))
    };
    let done = world.engine.update(&admin(), &app(), &it, &edited).await;
    done.unwrap();
    let (found, _) = read(&world, &admin().at(v("2.0.0")), &it).await;
    let found: Value = serde_json::from_slice(&found.content).unwrap();
    assert_eq!(found, json!({"image": "c", "region": "eu", "zone": "b"}));
    // What is taken away at the higher version is hidden no longer.
    saved(&world, "2.0.0", &it, json!({"image": "c"})).await;
    assert_eq!(shown(&world, &admin(), &it).await, marked("v1", &[]));
}

pub(crate) async fn what_no_step_names_is_listed_in_between_too(world: World) {
    let old = "  schema: {type: object, properties: {image: {type: string}}}\n";
    let middle =
        "  schema: {type: object, properties: {image: {type: string}, region: {type: string}}}\n";
    let new = "  schema: {type: object, properties: {picture: {type: string}, region: {type: string}, zone: {type: string}}}\n  conversion: {from: 1.1.0, steps: [{rename: {path: /image, to: picture}}]}\n";
    let files = [("1.0.0", old), ("1.1.0", middle), ("2.0.0", new)];
    registered(&world, &files.map(|(at, rest)| (at, rest.to_owned()))).await;
    let it = made(&world, json!({"image": "a"})).await;
    let whole = json!({"picture": "a", "region": "eu", "zone": "b"});
    saved(&world, "2.0.0", &it, whole).await;
    let stored = shown(&world, &admin(), &it).await;
    assert_eq!(stored, marked("v1+downgraded", &["/region", "/zone"]));
    let between = shown(&world, &admin().at(v("1.1.0")), &it).await;
    assert_eq!(between, marked("v1.1+downgraded", &["/zone"]));
    // Where it is stored makes no difference to what is listed.
    for to in ["2.0.0", "1.1.0", "1.0.0"] {
        moved(&world, &it, to).await;
        let stored = shown(&world, &admin().at(v("1.0.0")), &it).await;
        assert_eq!(
            stored,
            marked("v1+downgraded", &["/region", "/zone"]),
            "{to}"
        );
        let between = shown(&world, &admin().at(v("1.1.0")), &it).await;
        assert_eq!(between, marked("v1.1+downgraded", &["/zone"]), "{to}");
    }
}

pub(crate) async fn a_view_in_between_that_shows_all_is_not_marked(world: World) {
    three(&world, "").await;
    let it = made(&world, json!({"image": "a"})).await;
    moved(&world, &it, "2.0.0").await;
    saved(&world, "2.0.0", &it, json!({"image": "a", "region": "eu"})).await;
    moved(&world, &it, "1.0.0").await;
    let stored = shown(&world, &admin(), &it).await;
    assert_eq!(stored, marked("v1+downgraded", &["/region"]));
    let between = shown(&world, &admin().at(v("1.1.0")), &it).await;
    assert_eq!(between, marked("v1.1", &[]));
}

pub(crate) async fn what_refines_a_value_marks_the_view_and_has_no_place_of_its_own(world: World) {
    three(&world, "").await;
    let it = made(&world, json!({"tier": "gold"})).await;
    saved(&world, "2.0.0", &it, json!({"level": "platinum"})).await;
    let (found, left_out) = read(&world, &admin(), &it).await;
    let content: Value = serde_json::from_slice(&found.content).unwrap();
    assert_eq!(content, json!({"tier": "basic"}));
    assert_eq!(found.version.to_string(), "v1+downgraded");
    assert_eq!(left_out, Vec::<String>::new());
}

pub(crate) async fn a_lower_version_that_something_is_kept_for_marks_nothing(world: World) {
    let new = "  schema: {type: object, properties: {image: {type: string}}}\n  conversion: {from: 1.0.0, steps: [{remove: {path: /tier}}]}\n";
    let newest = "  schema: {type: object, properties: {image: {type: string}, zone: {type: string}}}\n  conversion: {from: 2.0.0, steps: [{add: {path: /zone}}]}\n";
    let files = [("1.0.0", OLD), ("2.0.0", new), ("3.0.0", newest)];
    registered(&world, &files.map(|(at, rest)| (at, rest.to_owned()))).await;
    let it = made(&world, json!({"image": "a", "tier": "gold"})).await;
    moved(&world, &it, "2.0.0").await;
    assert_eq!(shown(&world, &admin(), &it).await, marked("v2", &[]));
}

pub(crate) async fn what_is_kept_for_a_hidden_version_is_not_told(world: World) {
    three(&world, "").await;
    world.open_to_tenants(&["1.0.0", "1.1.0"]).await;
    let alice = tenant("alice", TENANT, &["acme:app: Full Access"]);
    let create = Create::new(v("1.0.0"), "it", json!({"image": "a", "tier": "gold"}));
    let made = world.engine.create(&alice, &app(), create).await.unwrap();
    let it = Target::Id(made.resource.id);
    let whole = json!({"image": "a", "level": "platinum", "zone": "b"});
    saved(&world, "2.0.0", &it, whole.clone()).await;
    assert_eq!(shown(&world, &alice, &it).await, marked("v1", &[]));
    let told = shown(&world, &admin(), &it).await;
    assert_eq!(told, marked("v1+downgraded", &["/zone"]));
    let whole = json!({"image": "a", "level": "platinum", "zone": "b", "region": "eu"});
    saved(&world, "2.0.0", &it, whole).await;
    let told = shown(&world, &alice, &it).await;
    assert_eq!(told, marked("v1+downgraded", &["/region"]));
}

pub(crate) async fn what_somebody_may_not_see_does_not_mark_its_view(world: World) {
    let new = "  schema: {type: object, properties: {image: {type: string}, key: {type: string, x-vcloud-restricted: private}}}\n  conversion: {from: 1.0.0, steps: [{add: {path: /key}}]}\n";
    let files = [("1.0.0", OLD.to_owned()), ("2.0.0", new.to_owned())];
    registered(&world, &files).await;
    world.open_to_tenants(&["1.0.0", "2.0.0"]).await;
    let alice = tenant("alice", TENANT, &["acme:app: Full Access"]);
    let reader = tenant(
        "reader",
        TENANT,
        &["acme:app: View", "acme:app: Administrator View"],
    );
    let create = Create::new(v("1.0.0"), "it", json!({"image": "a"}));
    let made = world.engine.create(&alice, &app(), create).await.unwrap();
    let it = Target::Id(made.resource.id);
    saved(&world, "2.0.0", &it, json!({"image": "a", "key": "k"})).await;
    let told = shown(&world, &alice, &it).await;
    assert_eq!(told, marked("v1+downgraded", &["/key"]));
    assert_eq!(shown(&world, &reader, &it).await, marked("v1", &[]));
}

pub(crate) async fn a_strict_type_stays_writable_at_its_stored_version(world: World) {
    three(&world, "  skew: strict\n").await;
    let it = made(&world, json!({"image": "a"})).await;
    let to = |version: &str| coeval_engine::write::Upgrade {
        to: Some(v(version)),
        ..Default::default()
    };
    let engine = &world.engine;
    let moved = engine.upgrade(&admin(), &app(), &it, &to("2.0.0")).await;
    moved.unwrap();
    saved(&world, "2.0.0", &it, json!({"image": "a", "zone": "b"})).await;
    let moved = engine.upgrade(&admin(), &app(), &it, &to("1.0.0")).await;
    moved.unwrap();
    // The list tells it; a mark would forbid every save.
    assert_eq!(shown(&world, &admin(), &it).await, marked("v1", &["/zone"]));
    let (found, _) = read(&world, &admin(), &it).await;
    let update = Update {
        revision: Some(found.revision),
        at: WriteVersion(found.version),
        ..Update::new(v("1.0.0"), json!({"image": "c"}))
    };
    let done = engine.update(&admin(), &app(), &it, &update).await;
    done.unwrap();
    let (found, _) = read(&world, &admin().at(v("2.0.0")), &it).await;
    let found: Value = serde_json::from_slice(&found.content).unwrap();
    assert_eq!(found, json!({"image": "c", "zone": "b"}));
}

pub(crate) async fn what_is_kept_with_the_secrets_marks_the_view_too(mut world: World) {
    let (_, ring) = keyring(&["k1"]);
    let settings = Settings {
        keyring: Some(ring),
        ..settings()
    };
    world.engine = world.another(settings).await;
    let new = "  schema: {type: object, properties: {image: {type: string}, token: {type: string, x-vcloud-restricted: secure}}}\n  conversion: {from: 1.0.0, steps: [{add: {path: /token}}]}\n";
    let files = [("1.0.0", OLD.to_owned()), ("2.0.0", new.to_owned())];
    registered(&world, &files).await;
    let it = made(&world, json!({"image": "a"})).await;
    saved(&world, "2.0.0", &it, json!({"image": "a", "token": "t"})).await;
    let told = shown(&world, &admin(), &it).await;
    assert_eq!(told, marked("v1+downgraded", &["/token"]));
}
