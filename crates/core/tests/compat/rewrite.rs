//! Other words for the same documents, put into a schema at a random place.

use crate::render::{is_new, shelf};
use crate::reword::{REWORDS, Reword};
use fastrand::Rng;
use jsonschema::Draft;
use serde_json::{Map, Value, json};

/// Says it in other words once, if there is a place for it; how, in a few words.
pub(crate) fn rewrite(schema: &mut Value, draft: Draft, rng: &mut Rng) -> Option<&'static str> {
    for _ in 0..20 {
        let places = places(schema);
        let pointer = places[rng.usize(..places.len())].clone();
        let done = match rng.u8(..12) {
            0 => extract(schema, &pointer, draft, rng),
            1 => inline(schema, rng),
            2 => Some(reorder(schema)),
            _ => {
                let reword = &REWORDS[rng.usize(..REWORDS.len())];
                reworded(schema, &pointer, draft, reword)
            }
        };
        if done.is_some() {
            return done;
        }
    }
    None
}

fn reworded(
    schema: &mut Value,
    pointer: &str,
    draft: Draft,
    reword: &Reword,
) -> Option<&'static str> {
    let place = schema.pointer_mut(pointer)?;
    let map = place.as_object()?;
    // Nothing is heard that stands beside a reference.
    if map.contains_key("$ref") && !is_new(draft) {
        return None;
    }
    // What only the root has, and what is known by its place.
    let (kept, inner): (Map<String, Value>, Map<String, Value>) =
        map.clone().into_iter().partition(|(word, _)| {
            ["$schema", "definitions", "$defs", "default"].contains(&word.as_str())
        });
    let mut new = (reword.apply)(&inner, draft)?;
    new.extend(kept);
    *place = Value::Object(new);
    Some(reword.name)
}

/// Where the schemas are, but for conditions.
pub(crate) fn places(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut todo = vec![String::new()];
    while let Some(pointer) = todo.pop() {
        let Some(Value::Object(map)) = schema.pointer(&pointer) else {
            continue;
        };
        for (word, value) in map {
            match (word.as_str(), value) {
                (
                    "properties" | "patternProperties" | "definitions" | "$defs",
                    Value::Object(inner),
                ) => {
                    let inner = inner
                        .keys()
                        .map(|name| name.replace('~', "~0").replace('/', "~1"));
                    todo.extend(inner.map(|name| format!("{pointer}/{word}/{name}")));
                }
                ("items" | "prefixItems" | "allOf" | "anyOf" | "oneOf", Value::Array(inner)) => {
                    todo.extend(
                        (0..inner.len()).map(|number| format!("{pointer}/{word}/{number}")),
                    );
                }
                ("items" | "additionalItems" | "additionalProperties", Value::Object(_)) => {
                    todo.push(format!("{pointer}/{word}"));
                }
                _ => {}
            }
        }
        found.push(pointer);
    }
    found
}

fn extract(schema: &mut Value, pointer: &str, draft: Draft, rng: &mut Rng) -> Option<&'static str> {
    if pointer.is_empty() {
        return None;
    }
    let place = schema.pointer_mut(pointer)?;
    let name = format!("part{}", rng.u16(..));
    let part = std::mem::replace(place, json!({"$ref": format!("#/{}/{name}", shelf(draft))}));
    let mut part = part;
    // A default is told where the field is.
    if let Some(default) = part
        .as_object_mut()
        .and_then(|part| part.shift_remove("default"))
    {
        let mut outer = json!({"allOf": [schema.pointer(pointer)?]});
        outer["default"] = default;
        *schema.pointer_mut(pointer)? = outer;
    }
    schema[shelf(draft)][name] = part;
    Some("$ref extracted")
}

fn inline(schema: &mut Value, rng: &mut Rng) -> Option<&'static str> {
    let mut places = places(schema);
    places.retain(|pointer| {
        schema
            .pointer(pointer)
            .is_some_and(|place| place.get("$ref").is_some())
    });
    let pointer = places.get(rng.usize(..places.len().max(1)))?;
    let place = schema.pointer(pointer)?;
    if place.as_object()?.len() > 1 {
        return None;
    }
    let target = place.get("$ref")?.as_str()?.strip_prefix('#')?;
    let part = schema.pointer(target)?.clone();
    *schema.pointer_mut(pointer)? = part;
    Some("$ref inlined")
}

fn reorder(schema: &mut Value) -> &'static str {
    let Value::Object(map) = schema else {
        return "keys reordered";
    };
    let values = ["enum", "const", "default"];
    for (word, value) in map.iter_mut() {
        match value {
            Value::Object(_) if !values.contains(&word.as_str()) => {
                reorder(value);
            }
            Value::Array(items) if !values.contains(&word.as_str()) => {
                for item in items {
                    reorder(item);
                }
            }
            _ => {}
        }
    }
    *map = std::mem::take(map).into_iter().rev().collect();
    "keys reordered"
}
