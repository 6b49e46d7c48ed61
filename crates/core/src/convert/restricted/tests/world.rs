//! Random types with restricted fields, documents of them, and edits. Every text in a document is
//! there once, so that it can be followed.

use super::*;
use crate::types::TypeVersion;
use fastrand::Rng;
use serde_json::Map;

const MARKS: [&str; 5] = ["public", "protected", "private", "secure", "private secure"];

/// A schema of a field: a text, an object, a list of objects with or without a key, or a map.
fn field(rng: &mut Rng, levels: usize, marked: bool) -> Value {
    let mut schema = match rng.u8(..if levels == 0 { 3 } else { 8 }) {
        0..=2 => json!({"type": "string"}),
        3 | 4 => object(rng, levels - 1, marked),
        5 | 6 => {
            let mut item = object(rng, levels - 1, marked);
            item["properties"]["name"] = json!({"type": "string"});
            json!({"type": "array", "items": item})
        }
        _ => json!({"type": "object", "additionalProperties": object(rng, levels - 1, marked)}),
    };
    if marked && rng.u8(..3) == 0 {
        let mark = MARKS[rng.usize(..MARKS.len())];
        schema["x-vcloud-restricted"] = json!(mark.split(' ').collect::<Vec<_>>());
    }
    schema
}

fn object(rng: &mut Rng, levels: usize, marked: bool) -> Value {
    let mut properties = Map::new();
    for name in ["a", "b", "c", "d"] {
        if rng.u8(..5) > 0 {
            properties.insert(name.to_owned(), field(rng, levels, marked));
        }
    }
    json!({"type": "object", "properties": properties})
}

pub(super) struct World {
    pub(super) versions: Versions,
    pub(super) stored: Value,
}

impl World {
    /// Three versions: 1.1.0 has a field more than 1.0.0; 2.0.0 has fields in other places. `None`
    /// if the steps can't be made.
    pub(super) fn new(rng: &mut Rng, marked: bool) -> Option<Self> {
        let first = object(rng, 2, marked);
        let mut second = first.clone();
        second["properties"]["e"] = field(rng, 1, marked);
        let mut third = second.clone();
        let mut steps = Vec::new();
        let properties = third["properties"].as_object_mut()?;
        for (name, schema) in second["properties"].as_object()? {
            if schema["type"] == "array" && rng.bool() {
                let path = format!("/{name}");
                let inner = json!([{"rename": {"path": "/a", "to": "z"}}]);
                steps.push(json!({"each": {"path": path, "key": "name", "steps": inner}}));
                let fields = properties[name]["items"]["properties"].as_object_mut()?;
                if let Some(field) = fields.shift_remove("a") {
                    fields.insert("z".to_owned(), field);
                }
            }
            match rng.u8(..5) {
                0 => {
                    let to = format!("{name}2");
                    steps.push(json!({"rename": {"path": format!("/{name}"), "to": to}}));
                    let schema = properties.shift_remove(name)?;
                    properties.insert(to, schema);
                }
                1 => {
                    let under = format!("/{name}n");
                    steps.push(json!({"nest": {"paths": [format!("/{name}")], "under": under}}));
                    let schema = properties.shift_remove(name)?;
                    let nested = json!({"type": "object", "properties": {name: schema}});
                    properties.insert(format!("{name}n"), nested);
                }
                2 if marked && rng.bool() => {
                    // A mark that nobody would let through.
                    properties[name]
                        .as_object_mut()?
                        .shift_remove("x-vcloud-restricted");
                }
                _ => {}
            }
        }
        let mut files: Vec<TypeVersion> = vec![
            file("1.0.0", &first, None),
            file("1.1.0", &second, Some(("1.0.0", json!([])))),
        ];
        files.push(file("2.0.0", &third, Some(("1.1.0", Value::Array(steps)))));
        let mut texts = 0;
        let stored = document(rng, &second, &mut texts);
        Some(Self {
            versions: Versions::of_files(files).ok()?,
            stored,
        })
    }
}

fn text(texts: &mut usize) -> Value {
    *texts += 1;
    json!(format!("<{texts}>"))
}

fn document(rng: &mut Rng, schema: &Value, texts: &mut usize) -> Value {
    if let Some(items) = schema.get("items") {
        return (0..rng.usize(..4))
            .map(|_| document(rng, items, texts))
            .collect();
    }
    if let Some(values) = schema.get("additionalProperties") {
        let keys = ["k", "l"].iter().take(rng.usize(..3));
        let pairs = keys.map(|key| (String::from(*key), document(rng, values, texts)));
        return Value::Object(pairs.collect());
    }
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return text(texts);
    };
    let mut map = Map::new();
    for (key, schema) in properties {
        if key == "name" || rng.u8(..5) > 0 {
            map.insert(key.clone(), document(rng, schema, texts));
        }
    }
    Value::Object(map)
}

/// One small change of a document that somebody sees.
pub(super) fn edit(rng: &mut Rng, value: &mut Value) {
    match value {
        Value::Object(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            let Some(key) = rng.choice(keys) else {
                map.insert("stray".to_owned(), json!("new"));
                return;
            };
            match rng.u8(..6) {
                0 => {
                    map.shift_remove(&key);
                }
                1 => {
                    map.insert("stray".to_owned(), json!("new"));
                }
                _ => edit(rng, &mut map[&key]),
            }
        }
        Value::Array(items) => match rng.u8(..6) {
            0 => rng.shuffle(items),
            1 => items.insert(0, json!({"name": "new"})),
            2 if !items.is_empty() => {
                items.remove(rng.usize(..items.len()));
            }
            _ => {
                if let Some(item) = rng.choice(items.iter_mut()) {
                    edit(rng, item);
                }
            }
        },
        other => *other = json!("new"),
    }
}

/// All texts of a document, each with the keys on the way to it; items by their name.
pub(super) fn texts(value: &Value, at: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                texts(inner, &format!("{at}/{key}"), found);
            }
        }
        Value::Array(items) => {
            for inner in items {
                let name = inner.get("name").map(ToString::to_string);
                texts(inner, &format!("{at}/{}", name.unwrap_or_default()), found);
            }
        }
        Value::String(text) => found.push((at.to_owned(), text.clone())),
        _ => {}
    }
}
