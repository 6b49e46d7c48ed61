//! Watching resources by server-sent events.

use crate::events::Events;
use crate::visit::code;
use crate::world::World;
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

fn name(change: &Value) -> &str {
    change["put"]["metadata"]["name"].as_str().unwrap()
}

pub(crate) fn what_changes_is_told_and_a_watch_goes_on_across_a_restart(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let last = world.servers() - 1;
    let mut events = Events::open(&world, last, &alice, "/watch/app", &[]);
    assert_eq!(events.status, 200);
    assert!(events.head.contains("text/event-stream"), "{}", events.head);
    let live = events.next().unwrap();
    assert_eq!(
        (live.name.as_str(), &live.data["sequence"]),
        ("live", &json!(live.id))
    );
    world.app(&alice, "v1", "one", &json!({"image": "a"}));
    let made = events.changes();
    assert_eq!(name(&made.data["changes"][0]), "one");
    assert_eq!(made.data["sequence"], made.id.as_str());
    drop(events);
    // While nobody watches, and no server is up, things happen.
    let two = world.app(&alice, "v1", "two", &json!({"image": "a"}));
    let gone = world.ask(&alice, "DELETE", "/resources/app/one").send();
    assert_eq!(gone.status, 200);
    world.restart_with(&[]);
    // The browser sends its first query again, and how far it came.
    let path = format!("/watch/app?from={}", live.id);
    let resumed = [("last-event-id", made.id.as_str())];
    let mut events = Events::open(&world, 0, &alice, &path, &resumed);
    assert_eq!(events.status, 200, "{}", events.head);
    assert_eq!(name(&events.changes().data["changes"][0]), "two");
    let deleted = events.changes();
    let deleted = &deleted.data["changes"][0]["deleted"];
    assert!(
        deleted["id"]
            .as_str()
            .unwrap()
            .starts_with("urn:vcloud:entity:acme:app:")
    );
    // From the beginning nothing is missing and nothing comes twice.
    let mut again = Events::open(&world, 0, &alice, &path, &[]);
    assert_eq!(name(&again.changes().data["changes"][0]), "one");
    assert_eq!(name(&again.changes().data["changes"][0]), "two");
    assert!(again.changes().data["changes"][0]["deleted"].is_object());
    let id = two["metadata"]["id"].as_str().unwrap();
    let gone = world
        .ask(&alice, "DELETE", &format!("/resources/app/{id}"))
        .send();
    assert_eq!(gone.status, 200);
    assert_eq!(again.changes().data["changes"][0]["deleted"]["id"], id);
}

pub(crate) fn one_atomic_write_is_one_event_and_a_filter_tells_who_left(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let path = "/watch/app?filter=spec.image==a&version=v1&namePrefix=w";
    let mut events = Events::open(&world, 0, &alice, path, &[]);
    assert_eq!(events.next().unwrap().name, "live");
    let spec = json!({"image": "a", "region": "eu"});
    let mut web = world.app(&alice, "v1.1", "web", &spec);
    let made = events.changes();
    assert_eq!(made.data["changes"].as_array().unwrap().len(), 1);
    assert_eq!(
        made.data["changes"][0]["put"]["spec"],
        json!({"image": "a"})
    );
    web["spec"]["image"] = json!("b");
    assert_eq!(
        world.tell(&alice, "PUT", "/resources/app/web", &web).status,
        200
    );
    let left = events.changes();
    assert_eq!(left.data["changes"][0]["left"]["id"], web["metadata"]["id"]);
    // Somebody of another tenant hears nothing of it.
    let oscar = world.enter("oscar@other");
    let mut foreign = Events::open(&world, 0, &oscar, "/watch/app", &[]);
    assert_eq!(foreign.next().unwrap().name, "live");
    world.app(&alice, "v1", "w2", &json!({"image": "a"}));
    world.app(&oscar, "v1", "own", &json!({"image": "a"}));
    assert_eq!(name(&foreign.changes().data["changes"][0]), "own");
    // What can't be shown at the version is named.
    let denied = Events::open(&world, 0, &oscar, "/watch/app?namespace=acme", &[]);
    assert_eq!(denied.status, 404, "{}", denied.head);
}

pub(crate) fn a_watch_that_can_t_begin_is_refused_with_a_status(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    for (path, status) in [
        ("/watch/nothing", 404),
        ("/watch/app?from=x", 400),
        ("/watch/app?filter=(", 400),
        ("/watch/app?version=x", 400),
        ("/watch/app?label=x", 400),
        ("/watch/app?namespace=-", 403),
        ("/watch/app?storedVersion=x", 400),
    ] {
        let reply = world.ask(&alice, "GET", path).send();
        assert_eq!(reply.status, status, "{path}: {reply:?}");
        code(&reply);
    }
    let bad = world.ask(&alice, "GET", "/watch/app");
    assert_eq!(bad.header("last-event-id", "x").send().status, 400);
    let nobody = world.get("/v1/webapi/watch/app").send();
    assert_eq!(nobody.status, 401);
}

pub(crate) fn a_server_that_stops_ends_its_watches(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let mut events = Events::open(&world, 0, &alice, "/watch/app", &[]);
    assert_eq!(events.next().unwrap().name, "live");
    let pid = world.pid().to_string();
    let told = Command::new("kill").args(["-TERM", &pid]).status().unwrap();
    assert!(told.success());
    let begun = Instant::now();
    let rest = events.rest();
    assert!(begun.elapsed() < Duration::from_secs(10), "it did not end");
    assert!(!rest.contains("event: error"), "{rest}");
}

fn memory(world: &World) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", world.pid())).unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS"))
        .unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

pub(crate) fn who_does_not_read_takes_no_memory(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    let idle: Vec<Events> = (0..20)
        .map(|_| Events::open(&world, 0, &alice, "/watch/app", &[]))
        .collect();
    let spec = json!({"image": "x".repeat(200_000)});
    world.app(&alice, "v1", "warm", &spec);
    let before = memory(&world);
    for number in 0..60 {
        world.app(&alice, "v1", &format!("app-{number}"), &spec);
    }
    // 60 × 200 kB for each of 20 who don't read would be 240 MB.
    let grown = memory(&world).saturating_sub(before);
    assert!(grown < 150_000, "{grown} kB");
    drop(idle);
}
