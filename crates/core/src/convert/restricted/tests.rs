//! What callers see and change of restricted fields, as they meet it.

mod bodies;
mod laws;
mod secrets;
mod views;
mod world;

use crate::convert::refusal::Carried;
use crate::convert::tests::{file, record, v, versions};
use crate::convert::{PutOutcome, Versions};
use crate::types::Visibility;
use serde_json::{Value, json};

/// One field of every class, at the top and in a list that has a key, in two versions.
fn clusters() -> Versions {
    let classes = |extra: Value| {
        let mut properties = json!({
            "name": {"type": "string"},
            "phase": {"type": "string", "x-vcloud-restricted": "protected"},
            "quota": {"type": "integer", "x-vcloud-restricted": "private"},
            "token": {"type": "string", "x-vcloud-restricted": "secure"},
            "key": {"type": "string", "x-vcloud-restricted": ["protected", "secure"]},
        });
        for (key, value) in extra.as_object().unwrap() {
            properties[key] = value.clone();
        }
        json!({"type": "object", "properties": properties})
    };
    let nodes = |key: &str| json!({key: {"type": "array", "items": classes(json!({}))}});
    let items = json!({"items": {"type": "array", "items": classes(json!({}))}});
    let schema = |key: &str| {
        let mut schema = classes(nodes(key));
        schema["properties"]["items"] = items["items"].clone();
        schema
    };
    let steps = json!([
        {"rename": {"path": "/hosts", "to": "nodes"}},
        {"each": {"path": "/nodes", "key": "name"}},
    ]);
    versions(vec![
        file("1.0.0", &schema("hosts"), None),
        file("2.0.0", &schema("nodes"), Some(("1.0.0", steps))),
    ])
}

fn stored() -> Value {
    json!({
        "name": "c", "phase": "up", "quota": 1, "token": "t", "key": "k",
        "nodes": [{"name": "a", "phase": "on", "quota": 2, "token": "ta"}, {"name": "b", "size": 3}],
    })
}

fn put(at: &str, body: Value, sees: Visibility) -> Carried<PutOutcome> {
    clusters().put_for(record("2.0.0", stored()), v(at), body, sees)
}
