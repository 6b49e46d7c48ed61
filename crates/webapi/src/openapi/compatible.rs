//! What may change between two releases of an API's description: routes, fields and parameters are
//! added; none is removed, changes its type, or becomes needed.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// What breaks clients of the older document, a sentence each.
pub(super) fn broken(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    for (path, operations) in entries(&old["paths"]) {
        for (method, operation) in entries(operations) {
            let what = format!("{} {path}", method.to_uppercase());
            match new["paths"][path].get(method) {
                None => found.push(format!("{what} is gone")),
                Some(now) => operations_differ(&what, operation, now, &mut found),
            }
        }
    }
    let sent = sent_schemas(old);
    for (name, schema) in entries(&old["components"]["schemas"]) {
        match new["components"]["schemas"].get(name) {
            None => found.push(format!("the schema {name} is gone")),
            Some(now) => schemas_differ(name, schema, now, sent.contains(name), &mut found),
        }
    }
    found
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn operations_differ(what: &str, old: &Value, new: &Value, found: &mut Vec<String>) {
    let named = |all: &Value, one: &Value| {
        let same = |other: &&Value| other["name"] == one["name"] && other["in"] == one["in"];
        items(all).find(same).cloned()
    };
    for parameter in items(&old["parameters"]) {
        let name = &parameter["name"];
        match named(&new["parameters"], parameter) {
            None => found.push(format!("{what}: the parameter {name} is gone")),
            Some(now) if now["schema"]["type"] != parameter["schema"]["type"] => {
                found.push(format!("{what}: the parameter {name} has another type"));
            }
            Some(_) => {}
        }
    }
    for parameter in items(&new["parameters"]) {
        let needed = parameter["required"] == true;
        if needed && named(&old["parameters"], parameter).is_none() {
            found.push(format!(
                "{what}: the parameter {} is needed now",
                parameter["name"]
            ));
        }
    }
    if old["requestBody"]["content"] != new["requestBody"]["content"] {
        found.push(format!("{what} takes another body"));
    }
    for (status, answer) in entries(&old["responses"]) {
        let now = &new["responses"][status];
        if now["content"] != answer["content"] || now["$ref"] != answer["$ref"] {
            found.push(format!("{what} answers {status} with something else"));
        }
    }
}

/// The schemas of what is sent.
fn sent_schemas(document: &Value) -> BTreeSet<String> {
    let operations = entries(&document["paths"]).flat_map(|(_, operations)| entries(operations));
    let bodies =
        operations.flat_map(|(_, operation)| entries(&operation["requestBody"]["content"]));
    let names = bodies.filter_map(|(_, body)| body["schema"]["$ref"].as_str());
    names
        .filter_map(|name| Some(name.rsplit('/').next()?.to_owned()))
        .collect()
}

fn needed(schema: &Value) -> BTreeSet<&str> {
    items(&schema["required"])
        .filter_map(Value::as_str)
        .collect()
}

fn schemas_differ(what: &str, old: &Value, new: &Value, sent: bool, found: &mut Vec<String>) {
    for key in ["type", "$ref", "enum"] {
        if old[key] != new[key] {
            found.push(format!("{what} has another {key}"));
        }
    }
    for (name, property) in entries(&old["properties"]) {
        match new["properties"].get(name) {
            None => found.push(format!("{what}.{name} is gone")),
            Some(now) => schemas_differ(&format!("{what}.{name}"), property, now, sent, found),
        }
    }
    let (before, now) = (needed(old), needed(new));
    match sent {
        true => found.extend(
            now.difference(&before)
                .map(|name| format!("{what}.{name} is needed now")),
        ),
        false => found.extend(
            before
                .difference(&now)
                .map(|name| format!("{what}.{name} is not always there any more")),
        ),
    }
    if let Some(inner) = old.get("items") {
        schemas_differ(&format!("{what}[]"), inner, &new["items"], sent, found);
    }
    for key in ["anyOf", "allOf"] {
        for (number, inner) in items(&old[key]).enumerate() {
            let now = new[key].get(number).unwrap_or(&Value::Null);
            schemas_differ(&format!("{what}|{number}"), inner, now, sent, found);
        }
    }
}

#[test]
fn what_is_added_breaks_nobody_and_everything_else_does() {
    use serde_json::json;
    let old = json!({
        "paths": { "/a": { "post": {
            "parameters": [{ "name": "p", "in": "query", "schema": { "type": "string" } }],
            "requestBody": { "content": { "j": { "schema": { "$ref": "#/components/schemas/In" } } } },
            "responses": { "200": { "content": { "j": { "schema": { "$ref": "#/components/schemas/Out" } } } } },
        } } },
        "components": { "schemas": {
            "In": { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } },
            "Out": { "type": "object", "required": ["a"], "properties": {
                "a": { "type": "array", "items": { "type": "string" } } } },
        } },
    });
    assert!(broken(&old, &old).is_empty());
    let changed = |pointer: &str, to: Option<Value>| {
        let mut new = old.clone();
        let (around, key) = pointer.rsplit_once('/').unwrap();
        let around = new.pointer_mut(around).unwrap();
        match (around, to) {
            (Value::Object(map), Some(to)) => drop(map.insert(key.to_owned(), to)),
            (Value::Object(map), None) => drop(map.remove(key)),
            _ => unreachable!(),
        }
        broken(&old, &new)
    };
    let schemas = "/components/schemas";
    for (pointer, to) in [
        ("/paths/~1b".replace("~1", "/"), json!({})),
        (
            format!("{schemas}/Out/properties/b"),
            json!({ "type": "string" }),
        ),
        (
            format!("{schemas}/In/properties/b"),
            json!({ "type": "string" }),
        ),
        (format!("{schemas}/Out/required"), json!(["a", "b"])),
        (format!("{schemas}/In/required"), json!([])),
    ] {
        let pointer = pointer.replace("/paths//b", "/paths/b");
        assert_eq!(
            changed(&pointer, Some(to)),
            Vec::<String>::new(),
            "{pointer}"
        );
    }
    for (pointer, to) in [
        ("/paths/~1a/post".to_owned(), None),
        ("/paths/~1a/post/parameters".to_owned(), None),
        (
            "/paths/~1a/post/parameters".to_owned(),
            Some(json!([{ "name": "p", "in": "query", "schema": { "type": "integer" } }])),
        ),
        (
            "/paths/~1a/post/parameters".to_owned(),
            Some(json!([
                { "name": "p", "in": "query", "schema": { "type": "string" } },
                { "name": "q", "in": "query", "required": true },
            ])),
        ),
        ("/paths/~1a/post/responses".to_owned(), Some(json!({}))),
        ("/paths/~1a/post/requestBody".to_owned(), Some(json!({}))),
        (format!("{schemas}/Out"), None),
        (format!("{schemas}/Out/properties/a"), None),
        (
            format!("{schemas}/Out/properties/a/type"),
            Some(json!("object")),
        ),
        (
            format!("{schemas}/Out/properties/a/items/type"),
            Some(json!("integer")),
        ),
        (format!("{schemas}/Out/required"), Some(json!([]))),
        (format!("{schemas}/In/required"), Some(json!(["a", "b"]))),
    ] {
        assert!(!changed(&pointer, to).is_empty(), "{pointer}");
    }
}
