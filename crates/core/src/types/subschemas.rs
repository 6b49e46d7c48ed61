//! Where schemas stand inside a schema, for those who change them.

use serde_json::{Map, Value};

const MAPS: [&str; 6] = [
    "properties",
    "patternProperties",
    "definitions",
    "$defs",
    "dependentSchemas",
    "dependencies",
];
const LISTS: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE: [&str; 12] = [
    "additionalProperties",
    "unevaluatedProperties",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "propertyNames",
    "contentSchema",
    "not",
    "if",
    "then",
    "else",
    "items",
];

/// Calls `visit` for every schema directly inside of one.
pub(crate) fn each_inside(schema: &mut Map<String, Value>, visit: &mut dyn FnMut(&mut Value)) {
    for (keyword, value) in schema.iter_mut() {
        let word = keyword.as_str();
        match value {
            Value::Object(map) if MAPS.contains(&word) => {
                let schemas = map.values_mut().filter(|inner| !inner.is_array());
                schemas.for_each(&mut *visit);
            }
            Value::Array(list) if LISTS.contains(&word) || word == "items" => {
                list.iter_mut().for_each(&mut *visit);
            }
            Value::Object(_) | Value::Bool(_) if SINGLE.contains(&word) => visit(value),
            _ => {}
        }
    }
}

/// Every object in a schema, those that only stand in values included. It does not recurse, because
/// schemas come from outside.
pub(crate) fn objects_in(schema: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let mut todo = vec![schema];
    std::iter::from_fn(move || {
        while let Some(next) = todo.pop() {
            match next {
                Value::Object(map) => {
                    todo.extend(map.values());
                    return Some(map);
                }
                Value::Array(items) => todo.extend(items),
                _ => {}
            }
        }
        None
    })
}

/// Whether a schema refers to another, here or inside. Values count too: it only costs a shortcut.
pub(crate) fn has_reference(schema: &Value) -> bool {
    let words = ["$ref", "$dynamicRef", "$recursiveRef"];
    objects_in(schema).any(|map| words.iter().any(|word| map.contains_key(*word)))
}
