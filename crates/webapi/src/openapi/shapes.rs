//! Words for schemas.

use serde_json::{Map, Value, json};

pub(super) fn text() -> Value {
    json!({ "type": "string" })
}

pub(super) fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

pub(super) fn flag() -> Value {
    json!({ "type": "boolean" })
}

pub(super) fn flag_or_null() -> Value {
    json!({ "type": ["boolean", "null"] })
}

pub(super) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(super) fn texts() -> Value {
    json!({ "type": "array", "items": text() })
}

pub(super) fn texts_or_null() -> Value {
    json!({ "type": ["array", "null"], "items": text() })
}

pub(super) fn list(name: &str) -> Value {
    json!({ "type": "array", "items": of(name) })
}

pub(super) fn of(name: &str) -> Value {
    coeval_api::rest::openapi::reference(name)
}

pub(super) fn or_null(schema: &Value) -> Value {
    json!({ "anyOf": [schema, { "type": "null" }] })
}

pub(super) fn any() -> Value {
    json!({})
}

pub(super) fn some_object() -> Value {
    json!({ "type": "object" })
}

/// What is answered: all of these are there, and more may come.
pub(super) fn answered(properties: Value) -> Value {
    let empty = Map::new();
    let keys = properties.as_object().unwrap_or(&empty).keys();
    let keys: Vec<&String> = keys.collect();
    json!({ "type": "object", "required": keys, "properties": properties })
}

/// The same, and these may be there.
pub(super) fn answered_and(properties: Value, perhaps: Value) -> Value {
    let mut schema = answered(properties);
    let map = schema.get_mut("properties").and_then(Value::as_object_mut);
    if let (Some(map), Value::Object(perhaps)) = (map, perhaps) {
        map.extend(perhaps);
    }
    schema
}

/// What is sent: these are needed, and nothing else is read.
pub(super) fn sent(needed: &[&str], properties: Value) -> Value {
    json!({
        "type": "object",
        "required": needed,
        "properties": properties,
        "additionalProperties": false,
    })
}
