//! Servers of both releases on one embedded store, one after the other: each reads all that the
//! other wrote.

use crate::installation::{Installation, PASSWORD, Server, register_types};
use crate::release::Release;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Who asks: by sessions that either release has begun.
struct Sessions {
    admin: String,
    alice: String,
}

/// Everything that can be read, by its path. Only who serves it differs, and how far the store is:
/// a server that starts says so there.
type Everything = BTreeMap<String, Value>;

const BY_ADMIN: [&str; 12] = [
    "types",
    "types/acme:app",
    "types/acme:app/versions/1.0.0",
    "types/acme:app/versions/1.1.0",
    "types/acme:app/versions/2.0.0",
    "organizations",
    "users?organization=acme",
    "users?organization=System",
    "roles?organization=acme",
    "bundles",
    "migrations",
    "migrations/acme:app",
];

const BY_ALICE: [&str; 3] = ["tasks", "resources/app?count=true&orderBy=name", "rights"];

fn without_what_differs(value: Value) -> Value {
    // The last one is new in this release.
    let differs = ["release", "servers", "sequence", "withoutAccess"];
    match value {
        Value::Object(fields) => {
            let fields = fields.into_iter();
            let fields = fields.filter(|(name, _)| !differs.contains(&name.as_str()));
            fields
                .map(|(name, value)| (name, without_what_differs(value)))
                .collect()
        }
        Value::Array(items) => items.into_iter().map(without_what_differs).collect(),
        other => other,
    }
}

fn everything(server: &Server, by: &Sessions) -> Everything {
    let mut all = Everything::new();
    let mut look = |path: &str, token: &str| {
        let seen = without_what_differs(server.get(path, token));
        all.insert(path.to_owned(), seen.clone());
        seen
    };
    for path in BY_ADMIN {
        look(path, &by.admin);
    }
    for path in BY_ALICE {
        look(path, &by.alice);
    }
    let listed = look("resources/app?pageSize=100", &by.alice);
    for one in listed["items"].as_array().unwrap() {
        let path = format!(
            "resources/app/{}",
            one["metadata"]["name"].as_str().unwrap()
        );
        for version in ["v1", "v1.1", "v2"] {
            look(&format!("{path}?version={version}"), &by.alice);
        }
        look(&path, &by.alice);
        look(&format!("{path}/history"), &by.alice);
        look(&format!("{path}/acl"), &by.alice);
    }
    all
}

fn assert_same(before: &Everything, after: &Everything) {
    for (path, seen) in before {
        assert_eq!(Some(seen), after.get(path), "{path}");
    }
    assert_eq!(before.len(), after.len());
}

/// The records of who did what so far, newest or oldest first as they come.
fn audited(server: &Server, admin: &str) -> Vec<Value> {
    let page = server.get("audit?pageSize=500", admin);
    page["items"].as_array().unwrap().clone()
}

fn app(name: &str, version: &str, spec: &Value) -> Value {
    json!({"kind": "acme:app", "version": version, "metadata": {"name": name}, "spec": spec})
}

/// A change as an older client makes it: it reads at 1.0 and saves that.
fn set_image(server: &Server, alice: &str, name: &str, image: &str) {
    let path = format!("resources/app/{name}");
    let seen = server.get(&format!("{path}?version=v1"), alice);
    let mut resource = seen.get("resource").unwrap_or(&seen).clone();
    resource["spec"]["image"] = image.into();
    let path = format!("/v1/webapi/{path}");
    let reply = server.ask("PUT", &path, alice, Some(&resource));
    assert_eq!(reply.status, 200, "{reply:?}");
}

fn ended_task(server: &Server, token: &str, begun: &Value) -> Value {
    let id = begun["id"]
        .as_str()
        .or(begun["task"]["id"].as_str())
        .unwrap();
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let task = server.get(&format!("tasks/{id}"), token);
        if task["status"] != "queued" && task["status"] != "running" {
            return task;
        }
        assert!(Instant::now() < until, "{task}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Fills a fresh store: types, resources of several versions, people, a task, history, a migration.
fn fill(on: &Installation, server: &Server) -> Sessions {
    let admin = server.log_in("administrator", "System");
    register_types(on, Release::Previous, server, &admin);
    let alice = server.log_in("alice", "acme");
    for number in 0..5 {
        let spec = json!({"image": "a", "replicas": number});
        let old = app(&format!("old-{number}"), "v1", &spec);
        server.post("resources/app", &alice, &old);
        let spec = json!({"image": "b", "replicas": number, "region": "eu"});
        let new = app(&format!("new-{number}"), "v1.1", &spec);
        server.post("resources/app", &alice, &new);
    }
    for image in ["c", "d", "e"] {
        set_image(server, &alice, "new-1", image);
    }
    let role = [
        "role",
        "create",
        "Reader",
        "-n",
        "acme",
        "--right",
        "acme:app: View",
    ];
    on.does(Release::Previous, server, &admin, &role);
    let bob =
        json!({"name": "bob", "organization": "acme", "roles": ["Reader"], "password": PASSWORD});
    server.post("users", &admin, &bob);
    let grant = ["access", "grant", "app", "new-1", "user:bob", "read-only"];
    on.does(Release::Previous, server, &alice, &grant);
    let moved = json!({"from": "1.0.0", "to": "v1.1", "dryRun": true});
    let begun = server.post("types/acme:app/migrations", &alice, &moved);
    assert_eq!(ended_task(server, &alice, &begun)["status"], "success");
    on.does(
        Release::Previous,
        server,
        &admin,
        &["migrate", "start", "acme:app"],
    );
    Sessions { admin, alice }
}

/// The first page of a listing: names, and the token of the next one.
fn first_page(server: &Server, alice: &str) -> (Vec<String>, String) {
    let page = server.get("resources/app?orderBy=name&pageSize=3", alice);
    let token = page["nextPageToken"].as_str().unwrap().to_owned();
    (names(&page), token)
}

fn names(page: &Value) -> Vec<String> {
    let items = page["items"].as_array().unwrap().iter();
    let name = |one: &Value| one["metadata"]["name"].as_str().unwrap().to_owned();
    items.map(name).collect()
}

/// The rest of it, by a token that the other release made.
fn next_pages(server: &Server, alice: &str, mut token: String) -> Vec<String> {
    let mut all = Vec::new();
    loop {
        let path = format!("resources/app?orderBy=name&pageSize=3&pageToken={token}");
        let page = server.get(&path, alice);
        all.extend(names(&page));
        match page["nextPageToken"].as_str() {
            Some(next) => next.clone_into(&mut token),
            None => return all,
        }
    }
}

fn advance(on: &Installation, by: Release, server: &Server, admin: &str) {
    let step = ["migrate", "advance", "acme:app", "--wait", "--yes"];
    on.does(by, server, admin, &step);
}

#[test]
fn the_previous_and_this_release_read_each_other_on_one_store() {
    let on = Installation::on_sqlite();
    let server = on.start(Release::Previous);
    server.is_of(Release::Previous);
    let by = fill(&on, &server);
    let token = json!({"name": "ci", "expires": "2126-01-01T00:00:00.000Z"});
    let token = server.post("tokens", &by.alice, &token);
    let token = token["token"].as_str().unwrap().to_owned();
    let before = everything(&server, &by);
    for (path, least) in [
        ("tasks", 1),
        ("users?organization=acme", 2),
        ("resources/app/new-1/history", 4),
        ("resources/app/new-1/acl", 1),
        ("migrations", 1),
    ] {
        let items = before[path]["items"].as_array().unwrap();
        assert!(items.len() >= least, "{path}: {items:?}");
    }
    let (mut listed, next) = first_page(&server, &by.alice);
    let audited_before = audited(&server, &by.admin);
    server.stop();

    // This release: the same, by the same sessions, and the listing goes on.
    let server = on.start(Release::Current);
    server.is_of(Release::Current);
    assert_same(&before, &everything(&server, &by));
    listed.extend(next_pages(&server, &by.alice, next));
    let mut sorted = listed.clone();
    sorted.sort();
    assert_eq!((listed.len(), &listed), (10, &sorted));
    let audited_after = audited(&server, &by.admin);
    assert!(audited_before.iter().all(|one| audited_after.contains(one)));
    assert_eq!(
        server.get("sessions/current", &token)["user"]["name"],
        "alice"
    );
    let bob = server.log_in("bob", "acme");
    server.get("resources/app?pageSize=1", &bob);
    // It writes, at all versions.
    set_image(&server, &by.alice, "new-1", "f");
    set_image(&server, &by.alice, "old-2", "f");
    let spec = json!({"image": "g", "replicas": 1, "region": "us"});
    server.post("resources/app", &by.alice, &app("made", "v1.1", &spec));
    let gone = server.ask("DELETE", "/v1/webapi/resources/app/old-4", &by.alice, None);
    assert!(gone.status < 300, "{gone:?}");
    advance(&on, Release::Current, &server, &by.admin);
    let carol =
        json!({"name": "carol", "organization": "acme", "roles": ["Reader"], "password": PASSWORD});
    server.post("users", &by.admin, &carol);
    let by = Sessions {
        admin: server.log_in("administrator", "System"),
        alice: server.log_in("alice", "acme"),
    };
    let between = everything(&server, &by);
    let (mut listed, next) = first_page(&server, &by.alice);
    server.stop();

    // And back: all of it, with what the newer one wrote.
    let server = on.start(Release::Previous);
    server.is_of(Release::Previous);
    assert_same(&between, &everything(&server, &by));
    listed.extend(next_pages(&server, &by.alice, next));
    assert_eq!(listed.len(), 10);
    assert!(listed.contains(&"made".to_owned()) && !listed.contains(&"old-4".to_owned()));
    assert_eq!(
        server.get("sessions/current", &token)["user"]["name"],
        "alice"
    );
    server.log_in("carol", "acme");
    let seen = server.get("resources/app/new-1?version=v1.1", &by.alice);
    let seen = seen.get("resource").unwrap_or(&seen);
    let whole = json!({"image": "f", "replicas": 1, "region": "eu"});
    assert_eq!(seen["spec"], whole);
    advance(&on, Release::Previous, &server, &by.admin);
    server.stop();
    for release in [Release::Previous, Release::Current] {
        let mut check = release.command(on.folder());
        check.args(["store", "check", "--store", &on.store]);
        let output = check.output().unwrap();
        let told = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(told.contains(", 0 wrong"), "{output:?}");
    }
}
