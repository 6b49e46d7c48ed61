//! `coeval version` and `coeval server deprecations`, against a real server.

use crate::world::World;
use serde_json::{Value, json};

const RELEASE: &str = env!("CARGO_PKG_VERSION");

#[test]
fn both_releases_are_shown_and_a_server_of_this_one_lacks_nothing() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    let shown = alice.does(&["version"]);
    assert_eq!(shown, format!("client: {RELEASE}\nserver: {RELEASE}\n"));
    let shown: Value = serde_json::from_str(&alice.does(&["version", "-o", "json"])).unwrap();
    let expected = json!({"client": RELEASE, "server": RELEASE, "serverLacks": []});
    assert_eq!(shown, expected);
    assert_eq!(
        alice.does(&["version", "--client"]),
        format!("client: {RELEASE}\n")
    );
}

#[test]
fn a_server_that_is_not_there_leaves_the_programs_own_release() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    let nowhere = ["version", "--server", "http://127.0.0.1:1"];
    let ended = alice.runs(&nowhere);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert!(
        ended.err.contains(&format!("client: {RELEASE}")),
        "{ended:?}"
    );
    assert!(ended.err.contains("COEVAL-8090"), "{ended:?}");
}

#[test]
fn what_is_deprecated_is_a_list_that_may_be_empty() {
    let world = World::sqlite();
    let alice = world.person("alice@acme");
    let shown: Value =
        serde_json::from_str(&alice.does(&["server", "deprecations", "-o", "json"])).unwrap();
    for item in shown["items"].as_array().unwrap() {
        assert!(item["removedIn"].is_string(), "{item}");
    }
}
