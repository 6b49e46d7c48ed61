//! Revisions: a change is of what was read.

use crate::visit::code;
use crate::world::World;
use serde_json::json;

pub(crate) fn a_stale_revision_is_409_and_412_with_if_match(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let mut read = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let first = read["metadata"]["revision"].as_str().unwrap().to_owned();
    read["spec"]["image"] = json!("b");
    let saved = world.tell(&alice, "PUT", "/resources/app/web", &read);
    assert_eq!(saved.status, 200, "{saved:?}");
    let now = saved.json["resource"]["metadata"]["revision"].clone();
    assert_eq!(
        saved.header("etag"),
        format!("\"{}\"", now.as_str().unwrap())
    );
    // What was read first is stale.
    let stale = world.tell(&alice, "PUT", "/resources/app/web", &read);
    assert_eq!(stale.status, 409, "{stale:?}");
    assert_eq!(stale.json["details"]["currentRevision"], now);
    let said = code(&stale).to_owned();
    read["metadata"]["revision"] = json!(null);
    for if_match in [
        format!("\"{first}\""),
        first.clone(),
        "\"x\"".into(),
        format!("W/\"{first}\""),
    ] {
        let sent = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
        let stale = sent.header("if-match", &if_match).send();
        assert_eq!(
            (stale.status, code(&stale)),
            (412, said.as_str()),
            "{if_match}"
        );
    }
    let deleted = world.ask(&alice, "DELETE", "/resources/app/web");
    let deleted = deleted.header("if-match", &format!("\"{first}\"")).send();
    assert_eq!(deleted.status, 412, "{deleted:?}");
    let path = format!("/resources/app/web?revision={first}");
    let deleted = world.ask(&alice, "DELETE", &path).send();
    assert_eq!(deleted.status, 409, "{deleted:?}");
    let sent = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
    let saved = sent.header("if-match", saved.header("etag")).send();
    assert_eq!(saved.status, 200, "{saved:?}");
}

pub(crate) fn a_change_needs_a_revision_and_one_alone(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let mut read = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let revision = read["metadata"]["revision"].as_str().unwrap().to_owned();
    read["metadata"]["revision"] = json!(null);
    let without = world.tell(&alice, "PUT", "/resources/app/web", &read);
    assert_eq!(without.status, 400, "{without:?}");
    let star = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
    assert_eq!(star.header("if-match", "*").send().status, 400);
    read["metadata"]["revision"] = json!(revision);
    let two = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
    assert_eq!(two.header("if-match", "\"x\"").send().status, 400);
    let same = world.ask(&alice, "PUT", "/resources/app/web").json(&read);
    let same = same.header("if-match", &format!("\"{revision}\"")).send();
    assert_eq!(same.status, 200, "{same:?}");
}

pub(crate) fn an_earlier_revision_is_restored(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let mut read = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let first = read["metadata"]["revision"].clone();
    read["spec"]["image"] = json!("b");
    let saved = world.tell(&alice, "PUT", "/resources/app/web", &read);
    let second = saved.json["resource"]["metadata"]["revision"].clone();
    let history = world.look(&alice, "/resources/app/web/history");
    let images = history["items"].as_array().unwrap().iter();
    let images: Vec<_> = images.map(|one| one["spec"]["image"].clone()).collect();
    assert_eq!(images, ["b", "a"]);
    let path = "/resources/app/web/restore";
    let stale = json!({"revision": first, "present": first});
    assert_eq!(world.tell(&alice, "POST", path, &stale).status, 409);
    let unknown = json!({"revision": "00000000000000000000000000000000"});
    assert_eq!(world.tell(&alice, "POST", path, &unknown).status, 404);
    let restored = json!({"revision": first, "present": second});
    let restored = world.tell(&alice, "POST", path, &restored);
    assert_eq!(restored.status, 200, "{restored:?}");
    assert_eq!(restored.json["resource"]["spec"], json!({"image": "a"}));
}

pub(crate) fn a_resource_is_stored_at_another_version(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let made = world.app(&alice, "v1", "web", &json!({"image": "a"}));
    let path = "/resources/app/web/upgrade";
    let tried = world.tell(&alice, "POST", path, &json!({"dryRun": true}));
    assert_eq!(tried.status, 200, "{tried:?}");
    assert_eq!(tried.json["resource"]["version"], "v1.1");
    let there = world.look(&alice, "/resources/app/web");
    assert_eq!(there["metadata"], made["metadata"]);
    assert_eq!(there["status"], made["status"]);
    let stale = json!({"version": "1.1", "revision": "00000000000000000000000000000000"});
    assert_eq!(world.tell(&alice, "POST", path, &stale).status, 409);
    for version in ["1.1", "1.0", "v1.1", "1", "1.1.0"] {
        let done = world.tell(&alice, "POST", path, &json!({"version": version}));
        assert_eq!(done.status, 200, "{done:?}");
        let seen = world.look(&alice, &format!("/resources/app/web?version={version}"));
        let stored = world.look(&alice, "/resources/app/web");
        assert_eq!(seen["version"], stored["version"], "{version}");
        assert_eq!(done.json["resource"]["spec"], stored["spec"], "{version}");
        assert_eq!(done.json["resource"]["metadata"], stored["metadata"]);
    }
}

pub(crate) fn resources_that_a_filter_matches_are_upgraded_by_a_task(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    // A resource that is called as the route.
    for name in ["web", "upgrade"] {
        world.app(&alice, "v1", name, &json!({"image": "a"}));
    }
    world.app(&alice, "v1", "other", &json!({"image": "b"}));
    let path = "/resources/app/upgrade?filter=spec.image==a";
    let started = world.tell(&alice, "POST", path, &json!({"version": "1.1"}));
    assert_eq!(started.status, 202, "{started:?}");
    assert_eq!(started.json["operation"], "upgradeResources");
    let at = format!("/tasks/{}", started.json["id"].as_str().unwrap());
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    let task = loop {
        let task = world.look(&alice, &at);
        if task["status"] == "success" {
            break task;
        }
        assert!(std::time::Instant::now() < deadline, "{task}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    let expected = json!({"dryRun": false, "version": "1.1.0", "upgraded": 2, "unchanged": 0, "refused": 0, "unlisted": 0, "entries": []});
    assert_eq!(task["result"], expected);
    for (name, version) in [("web", "v1.1"), ("upgrade", "v1.1"), ("other", "v1")] {
        let seen = world.look(&alice, &format!("/resources/app/{name}"));
        assert_eq!(seen["version"], version, "{name}");
    }
    // Only that one path takes a POST.
    let nothing = world.tell(&alice, "POST", "/resources/app/web", &json!({}));
    assert_eq!(nothing.status, 405, "{nothing:?}");
}
