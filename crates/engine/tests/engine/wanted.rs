//! What callers of other releases get, and what force and strict types do.

use crate::world::{World, admin, app, app_1_0, app_1_1, app_file, v};
use coeval_codes::Coded;
use coeval_core::version::WriteVersion;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Caller, Settings, Target, WantedVersions};
use serde_json::{Value, json};

async fn registered(world: &World, files: &[String]) {
    for file in files {
        let registration = Registration::of(file.clone()).warn();
        world.engine.register(&admin(), registration).await.unwrap();
    }
}

async fn made(world: &World, at: &str, content: Value) -> Target {
    let create = Create::new(v(at), "it", content);
    let made = world.engine.create(&admin(), &app(), create).await.unwrap();
    Target::Id(made.resource.id)
}

/// A client that says only of which release it is.
fn of_release(text: &str) -> Caller {
    let mut caller = admin();
    caller.wanted = WantedVersions {
        release: Some(semver::Version::parse(text).unwrap()),
        ..WantedVersions::default()
    };
    caller
}

pub(crate) async fn a_clients_release_tells_what_it_understands(world: World) {
    let new = app_1_1() + "  clients: \">=14.0.0\"\n";
    registered(&world, &[app_1_0(), new]).await;
    let id = made(&world, "1.1.0", json!({"image": "a", "region": "eu"})).await;
    for (release, version) in [("13.9.0", "v1+downgraded"), ("14.2.0", "v1.1")] {
        let read = world
            .engine
            .get(&of_release(release), &app(), &id)
            .await
            .unwrap();
        assert_eq!(read.version.to_string(), version, "{release}");
    }
}

pub(crate) async fn a_restricted_view_is_shown_with_its_reason_and_not_written_back(world: World) {
    let new = app_file(
        "2.0.0",
        "  schema: {type: object}\n  conversion: {from: 1.0.0, steps: []}\n  restrictedView: {below: 2.0.0, content: {image: hidden}, reason: too new for you}\n",
    );
    registered(&world, &[app_1_0(), new]).await;
    let id = made(&world, "2.0.0", json!({"image": "a"})).await;
    let old = admin().at(v("1.0.0"));
    let read = world.engine.get(&old, &app(), &id).await.unwrap();
    let content: Value = serde_json::from_slice(&read.content).unwrap();
    assert_eq!(content, json!({"image": "hidden"}));
    assert_eq!(read.restricted.as_deref(), Some("too new for you"));
    for force in [false, true] {
        let update = Update {
            force,
            ..Update::new(v("1.0.0"), json!({"image": "b"})).on(read.revision)
        };
        let refused = world
            .engine
            .update(&old, &app(), &id, &update)
            .await
            .unwrap_err();
        assert_eq!(refused.code(), coeval_codes::RESTRICTED_VIEW);
    }
}

pub(crate) async fn a_strict_type_takes_edits_at_its_own_version_alone(world: World) {
    let new = app_1_1() + "  skew: strict\n";
    registered(&world, &[app_1_0(), new]).await;
    let id = made(&world, "1.1.0", json!({"image": "a", "region": "eu"})).await;
    let update = Update::new(v("1.0.0"), json!({"image": "b"}));
    let refused = world
        .engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::SKEW_STRICT);
    let update = Update::new(v("1.1.0"), json!({"image": "b", "region": "eu"}));
    world
        .engine
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap();
}

pub(crate) async fn force_over_an_unknown_version_keeps_the_record_whole(mut world: World) {
    registered(&world, &[app_1_0(), app_1_1()]).await;
    let id = made(&world, "1.1.0", json!({"image": "a", "region": "eu"})).await;
    let settings = Settings {
        emulate: [(app(), v("1.0.0"))].into(),
        ..crate::world::settings()
    };
    let older = world.another(settings).await;
    let read = older.get(&admin(), &app(), &id).await.unwrap();
    let mut update = Update::new(v("1.0.0"), json!({"image": "b"})).on(read.revision);
    update.at = WriteVersion::parse(&read.version.to_string()).unwrap();
    let refused = older
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), coeval_codes::MARKED_BODY);
    update.force = true;
    let forced = older
        .update(&admin(), &app(), &id, &update)
        .await
        .unwrap()
        .done()
        .unwrap();
    assert!(forced.overrode.is_some());
    let after = world.engine.get(&admin(), &app(), &id).await.unwrap();
    assert_eq!(after.header.version, v("1.0.0"));
    // What was replaced is in the history, at its own version.
    let history = world.engine.history(&admin(), &app(), &id).await.unwrap();
    let before: Value = serde_json::from_slice(&history.revisions[1].content).unwrap();
    assert_eq!(before, json!({"image": "a", "region": "eu"}));
}
