//! Phased migrations, and the servers that take part.

use crate::stage::type_file;
use crate::visit::code;
use crate::world::World;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FIRST: &str =
    "  schema: {type: object, required: [image], properties: {image: {type: string}}}\n";
const SECOND: &str = "  schema: {type: object, required: [container], properties: {container: {type: object, required: [image], properties: {image: {type: string}}}}}\n  conversion: {from: 1.0.0, steps: [{nest: {paths: [/image], under: /container}}]}\n";

fn with_two_majors(world: &mut World) -> String {
    let files = [
        type_file("acme:app", "1.0.0", FIRST),
        type_file("acme:app", "2.0.0", SECOND),
    ];
    world.add_types(&["acme:app"], &files);
    world.enter("administrator@System")
}

/// Forward until all servers are at a phase, or it has ended.
fn forward_to(world: &World, admin: &str, phase: &Value) -> Value {
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let now = world.look(admin, "/migrations/acme:app");
        if now["low"] == *phase {
            return now;
        }
        let path = "/migrations/acme:app/advance";
        let moved = world.tell(admin, "POST", path, &json!({}));
        if moved.status != 200 {
            assert_eq!(moved.status, 409, "{moved:?}");
            assert!(Instant::now() < until, "{moved:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

pub(crate) fn a_migration_is_planned_begun_moved_and_finished(mut world: World) {
    let admin = with_two_majors(&mut world);
    for name in ["one", "two"] {
        world.app(&admin, "v1", name, &json!({"image": name}));
    }
    let plan = world.look(&admin, "/migrations/acme:app/plan?from=1&to=2");
    assert_eq!(
        plan["versions"],
        json!([{"version": "1.0.0", "resources": 2}])
    );
    assert_eq!((&plan["exact"], &plan["refused"]), (&json!(2), &json!(0)));
    assert_eq!(plan["toVersion"], "2.0.0");
    let begin = json!({"type": "acme:app", "rate": 5000});
    let begun = world.tell(&admin, "POST", "/migrations", &begin);
    assert_eq!(begun.status, 201, "{begun:?}");
    assert_eq!(begun.json["id"], "acme:app-1-2");
    assert_eq!(
        (&begun.json["low"], &begun.json["rate"]),
        (&json!("old"), &json!(5000))
    );
    let again = world.tell(&admin, "POST", "/migrations", &begin);
    assert_eq!((again.status, code(&again)), (409, "COEVAL-7005"));
    forward_to(&world, &admin, &json!("backfill"));
    // Those that were killed before it began are listed until their lease ends, and say nothing of it.
    let servers = world.look(&admin, "/servers");
    let items = servers["items"].as_array().unwrap().iter();
    let phases = items.map(|server| &server["phases"]["acme:app"]);
    let there: Vec<_> = phases.filter(|phase| !phase.is_null()).collect();
    assert_eq!(there.len(), world.servers(), "{servers}");
    assert!(there.iter().all(|phase| **phase == "backfill"), "{servers}");
    let until = Instant::now() + Duration::from_secs(60);
    let progress = loop {
        let now = world.look(&admin, "/migrations/acme:app");
        if now["forwardDone"] == true {
            break now["progress"].clone();
        }
        assert!(Instant::now() < until, "{now}");
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(
        (&progress["work"], &progress["done"]),
        (&json!("backfill"), &json!(true))
    );
    let found = world.look(&admin, "/migrations/acme:app/verify");
    assert_eq!(
        (&found["clean"], &found["same"]),
        (&json!(true), &json!(2)),
        "{found}"
    );
    let failed = world.look(&admin, "/migrations/acme:app/failed");
    assert_eq!(failed["items"], json!([]));
    forward_to(&world, &admin, &json!("cutover"));
    let loss = world.look(&admin, "/migrations/acme:app/loss");
    assert_eq!(
        (&loss["possible"], &loss["lost"]),
        (&json!(true), &json!(0)),
        "{loss}"
    );
    assert_eq!(
        (&loss["phase"], &loss["copyBack"]),
        (&json!("cutover"), &json!(true))
    );
    let ended = forward_to(&world, &admin, &Value::Null);
    assert_eq!(ended["state"], "finished", "{ended}");
    let listed = world.look(&admin, "/migrations?filter=state==finished");
    assert_eq!(listed["items"], json!([ended]));
    let back = world.tell(&admin, "POST", "/migrations/acme:app/back", &json!({}));
    assert_eq!((back.status, code(&back)), (409, "COEVAL-7004"));
}

pub(crate) fn a_migration_is_changed_and_undone(mut world: World) {
    let admin = with_two_majors(&mut world);
    world.app(&admin, "v1", "one", &json!({"image": "a"}));
    let none = world.ask(&admin, "GET", "/migrations/acme:app").send();
    assert_eq!(code(&none), "COEVAL-7019");
    let begun = world.tell(&admin, "POST", "/migrations", &json!({"type": "acme:app"}));
    assert_eq!(begun.status, 201, "{begun:?}");
    let path = "/migrations/acme:app";
    let wrong = [
        json!({"rate": -1}),
        json!({"rate": "fast"}),
        json!({"auto": 1}),
        json!({"to": 3}),
    ];
    for body in wrong {
        let told = world.tell(&admin, "PATCH", path, &body);
        assert_eq!(told.status, 400, "{body}: {told:?}");
    }
    let change = json!({"paused": true, "rate": 7, "until": "finished"});
    let changed = world.tell(&admin, "PATCH", path, &change);
    assert_eq!(changed.status, 200, "{changed:?}");
    for (key, value) in change.as_object().unwrap() {
        assert_eq!(&changed.json[key], value, "{changed:?}");
    }
    let wrong = json!({"phase": "nowhere"});
    let told = world.tell(&admin, "POST", &format!("{path}/advance"), &wrong);
    assert_eq!(told.status, 400, "{told:?}");
    forward_to(&world, &admin, &json!("mirror"));
    let id = "56bacbaa-8ddc-4bef-b7a5-e8f6758aff25";
    let retry = format!("{path}/failed/{id}/retry");
    let retried = world.tell(&admin, "POST", &retry, &json!({}));
    assert_eq!(
        (retried.status, &retried.json["converted"]),
        (200, &json!(true))
    );
    let resumed = world.tell(&admin, "PATCH", path, &json!({"paused": false, "rate": 0}));
    assert_eq!(resumed.status, 200, "{resumed:?}");
    let undo = world.tell(&admin, "POST", &format!("{path}/undo"), &json!({}));
    assert_eq!(undo.json["state"], "undoing", "{undo:?}");
    let until = Instant::now() + Duration::from_secs(60);
    while world.look(&admin, path)["state"] != "undone" {
        assert!(Instant::now() < until, "{}", world.look(&admin, path));
        std::thread::sleep(Duration::from_millis(20));
    }
}
