//! Clients of a newer release than the server: what they say that this release does not know.

use crate::visit::v1;
use crate::world::{Reply, World};
use serde_json::{Value, json};

/// A name that no release has.
const INVENTED: &str = "coevalInvented";

/// Every operation: its method, a path that leads to nothing, and what is described of it.
fn operations(world: &World) -> Vec<(String, String, Value)> {
    let document = world.get(&v1("/openapi.json")).send().json;
    let mut all = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let path: Vec<&str> = path
                .split('/')
                .map(|part| if part.starts_with('{') { "none" } else { part })
                .collect();
            all.push((method.to_uppercase(), path.join("/"), operation.clone()));
        }
    }
    assert!(all.len() > 80, "{}", all.len());
    all
}

fn knows_not(reply: &Reply) -> bool {
    let message = reply.json["message"].as_str().unwrap_or_default();
    (400..500).contains(&reply.status)
        && message.contains(INVENTED)
        && message.contains(env!("CARGO_PKG_VERSION"))
}

pub(crate) fn a_parameter_that_no_release_has_is_refused_at_every_route(world: World) {
    let admin = world.enter("administrator@System");
    for (method, path, operation) in operations(&world) {
        let asked = format!("{path}?{INVENTED}=1");
        let reply = world.sending(&method, &asked).by(&admin).send();
        assert!(knows_not(&reply), "{method} {path}: {reply:?}");
        assert_eq!(reply.json["code"], "COEVAL-8018", "{method} {path}");
        let to_go = operation.get("x-deprecated").is_some();
        assert_eq!(
            reply.header("deprecation").is_empty(),
            !to_go,
            "{method} {path}"
        );
        assert_eq!(reply.header("sunset").is_empty(), !to_go, "{method} {path}");
        // Watches have no end.
        if method != "GET" || path.contains("/watch/") {
            continue;
        }
        let ignorable = world.get(&asked).by(&admin);
        let reply = ignorable.header("coeval-ignorable", INVENTED).send();
        assert!(!knows_not(&reply), "{path}: {reply:?}");
        let warning = reply.header("coeval-warning");
        assert!(warning.contains(INVENTED), "{path}: {warning}");
        assert!(
            warning.contains(env!("CARGO_PKG_VERSION")),
            "{path}: {warning}"
        );
    }
}

pub(crate) fn a_field_that_no_release_has_is_never_dropped_silently(world: World) {
    let admin = world.enter("administrator@System");
    let mut tried = 0;
    for (method, path, operation) in operations(&world) {
        if operation.get("requestBody").is_none() {
            continue;
        }
        let body = json!({ INVENTED: 1 });
        let reply = world.sending(&method, &path).by(&admin).json(&body).send();
        assert!(
            (400..500).contains(&reply.status),
            "{method} {path}: {reply:?}"
        );
        let sending = world.sending(&method, &path).by(&admin).json(&body);
        let reply = sending.header("coeval-ignorable", INVENTED).send();
        assert!(!knows_not(&reply), "{method} {path}: {reply:?}");
        let warning = reply.header("coeval-warning");
        assert!(warning.contains(INVENTED), "{method} {path}: {warning}");
        tried += 1;
    }
    assert!(tried > 25, "{tried}");
}

pub(crate) fn what_is_ignored_changes_nothing_and_the_rest_is_done(world: World) {
    let admin = world.enter("administrator@System");
    let body = json!({ "name": "Kept", "rights": [], INVENTED: { "a": 1 } });
    let refused = world.tell(&admin, "POST", "/roles", &body);
    assert!(knows_not(&refused), "{refused:?}");
    let sending = world.ask(&admin, "POST", "/roles").json(&body);
    let done = sending.header("coeval-ignorable", INVENTED).send();
    assert_eq!(done.status, 201, "{done:?}");
    assert_eq!(done.json["name"], "Kept");
    // What the server knows is not ignored, whatever its sender says.
    let body = json!({ "name": "Read", "rights": [], "description": "read" });
    let sending = world.ask(&admin, "POST", "/roles").json(&body);
    let done = sending
        .header("coeval-ignorable", "description, name")
        .send();
    assert_eq!(done.json["description"], "read", "{done:?}");
    assert_eq!(done.header("coeval-warning"), "");
}

pub(crate) fn tasks_are_listed_by_their_resource(mut world: World) {
    world.add_app();
    let alice = world.enter("alice@acme");
    // Entities that are made by the RDE API have a task each.
    let path = "/cloudapi/1.0.0/entityTypes/urn:vcloud:type:acme:app:1.0.0";
    for name in ["web", "db"] {
        let body = json!({"name": name, "entity": {"image": "a"}});
        let made = world.post(path).by(&alice).json(&body).send();
        assert_eq!(made.status, 202, "{made:?}");
    }
    let all = world.look(&alice, "/tasks");
    let about = |task: &Value| task["about"]["resource"].as_str().map(str::to_owned);
    let resources: Vec<String> = all["items"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(about)
        .collect();
    assert_eq!(resources.len(), 2, "{all}");
    for resource in resources {
        let found = world.look(&alice, &format!("/tasks?resource={resource}"));
        let found: Vec<_> = found["items"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(about)
            .collect();
        assert_eq!(found, [resource]);
    }
    let none = world.look(&alice, "/tasks?resource=urn:vcloud:entity:acme:app:none");
    assert_eq!(none["items"], json!([]));
}

pub(crate) fn what_is_deprecated_is_listed(world: World) {
    let admin = world.enter("administrator@System");
    let found = world.look(&admin, "/deprecations?pageSize=10&orderBy=name");
    // Whatever there is has its releases; the tables are tested where they are.
    for item in found["items"].as_array().unwrap() {
        assert!(item["deprecation"]["removedIn"].is_string(), "{item}");
    }
    assert!(found.get("nextPageToken").is_some(), "{found}");
}
