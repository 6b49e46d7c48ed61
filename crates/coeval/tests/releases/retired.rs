//! Retired type versions, deprecations and columns, as the release before meets them: it shows them
//! not, changes them not, and misreads nothing.

use crate::installation::{Installation, Server, register_types};
use crate::release::Release;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const MIDDLE: &str = "/v1/webapi/types/acme:app/versions/1.1.0";

fn create(server: &Server, token: &str, version: &str, name: &str, spec: &Value) {
    let body = json!({"version": version, "metadata": {"name": name}, "spec": spec});
    server.post("resources/app", token, &body);
}

fn spec_at(server: &Server, token: &str, name: &str, version: &str) -> Value {
    let found = server.get(&format!("resources/app/{name}?version={version}"), token);
    found["spec"].clone()
}

fn versions(server: &Server, token: &str) -> Vec<String> {
    let shown = server.get("types/acme:app", token);
    let all = shown["versions"].as_array().unwrap().iter();
    all.map(|one| one["version"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn annotations_outlive_a_previous_server_that_knows_none() {
    let on = Installation::on_sqlite();
    let new = on.start(Release::Current);
    let admin = new.log_in("administrator", "System");
    register_types(&on, Release::Current, &new, &admin);
    let deprecate = ["type", "deprecate", "app:1.1.0", "--message", "Use 2.0.0."];
    on.does(Release::Current, &new, &admin, &deprecate);
    let columns = ["type", "columns", "app:1.1.0", "--set", "Image=/image"];
    on.does(Release::Current, &new, &admin, &columns);
    let before = new.ask("GET", MIDDLE, &admin, None).json;
    assert_eq!(before["deprecated"]["message"], "Use 2.0.0.");
    new.stop();

    // It serves the version as ever, and writes its record.
    let old = on.start(Release::Previous);
    let shown = old.ask("GET", MIDDLE, &admin, None);
    assert_eq!(shown.status, 200, "{shown:?}");
    assert_eq!(shown.json.get("deprecated"), None);
    let alice = old.log_in("alice", "acme");
    let spec = json!({"image": "a", "region": "eu"});
    create(&old, &alice, "v1.1", "web", &spec);
    let unpublish = ["type", "unpublish", "acme:app", "--org", "acme"];
    on.does(Release::Previous, &old, &admin, &unpublish);
    old.stop();

    let new = on.start(Release::Current);
    let after = new.ask("GET", MIDDLE, &admin, None).json;
    assert_eq!(after["deprecated"], before["deprecated"]);
    assert_eq!(after["columns"], before["columns"]);
}

#[test]
fn a_previous_server_does_not_misread_what_is_converted_through_a_retired_version() {
    let on = Installation::on_sqlite();
    let new = on.start(Release::Current);
    let admin = new.log_in("administrator", "System");
    register_types(&on, Release::Current, &new, &admin);
    let alice = new.log_in("alice", "acme");
    create(&new, &alice, "v1", "low", &json!({"image": "a"}));
    let spec = json!({"container": {"image": "b"}, "region": "eu"});
    create(&new, &alice, "v2", "high", &spec);
    on.does(
        Release::Current,
        &new,
        &admin,
        &["type", "retire", "app:1.1.0"],
    );
    assert_eq!(versions(&new, &admin), ["1.0.0", "2.0.0"]);
    let up = json!({"container": {"image": "a"}});
    assert_eq!(spec_at(&new, &alice, "low", "v2"), up);
    assert_eq!(spec_at(&new, &alice, "high", "v1"), json!({"image": "b"}));
    new.stop();

    // Neither the retired version is there nor what is converted from it; the rest is served.
    let old = on.start(Release::Previous);
    assert_eq!(versions(&old, &admin), ["1.0.0"]);
    assert_eq!(old.ask("GET", MIDDLE, &admin, None).status, 404);
    assert_eq!(spec_at(&old, &alice, "low", "v1"), json!({"image": "a"}));
    for path in ["low?version=v2", "high", "high?version=v1"] {
        let refused = old.ask(
            "GET",
            &format!("/v1/webapi/resources/app/{path}"),
            &alice,
            None,
        );
        let code = refused.json["code"].as_str().unwrap_or_default();
        assert!(
            refused.status >= 400 && code.starts_with("COEVAL-"),
            "{path}: {refused:?}"
        );
    }
    let listed = old.get("resources/app", &alice);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(
        listed["quarantined"].as_array().unwrap().len(),
        1,
        "{listed}"
    );
    let file = std::fs::read_to_string(on.folder().join("app-1.1.0.yaml")).unwrap();
    let register = json!({"file": file});
    let refused = old.ask("POST", "/v1/webapi/types", &admin, Some(&register));
    let code = refused.json["code"].as_str().unwrap_or_default();
    assert!(
        refused.status >= 400 && code.starts_with("COEVAL-"),
        "{refused:?}"
    );
    old.stop();

    // Once it is back, so is everything, for both.
    let new = on.start(Release::Current);
    assert_eq!(spec_at(&new, &alice, "low", "v2"), up);
    on.does(
        Release::Current,
        &new,
        &admin,
        &["type", "register", "app-1.1.0.yaml"],
    );
    let all = ["1.0.0", "1.1.0", "2.0.0"];
    assert_eq!(versions(&new, &admin), all);
    new.stop();
    let old = on.start(Release::Previous);
    assert_eq!(versions(&old, &admin), all);
    assert_eq!(spec_at(&old, &alice, "low", "v2"), up);
    assert_eq!(spec_at(&old, &alice, "high", "v1"), json!({"image": "b"}));
}

#[test]
fn a_retirement_waits_for_the_last_previous_server_on_postgres() {
    let on = Installation::on_postgres();
    let (old, new) = (on.start(Release::Previous), on.start(Release::Current));
    let admin = new.log_in("administrator", "System");
    register_types(&on, Release::Current, &new, &admin);
    let delete = || new.ask("DELETE", MIDDLE, &admin, None);
    let refused = delete();
    assert_eq!(
        (refused.status, &refused.json["code"]),
        (409, &json!("COEVAL-2307")),
        "{refused:?}"
    );
    let told = refused.json["message"].as_str().unwrap();
    assert!(told.contains("release 0.1.0"), "{told}");
    let all = ["1.0.0", "1.1.0", "2.0.0"];
    for server in [&old, &new] {
        assert_eq!(versions(server, &admin), all);
    }
    old.stop();
    let until = Instant::now() + Duration::from_secs(30);
    while delete().status != 204 {
        assert!(Instant::now() < until, "{:?}", delete());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(versions(&new, &admin), ["1.0.0", "2.0.0"]);
}
