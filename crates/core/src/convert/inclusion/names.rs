//! Which names a schema leaves to whoever writes a document.

use super::conjunction::Conjunction;
use super::is_unconstrained;
use crate::convert::sketch::{SchemaSource, property_parts};
use serde_json::{Map, Value};

/// Schemas that are looked into.
const LOOKED_INTO: usize = 500;

/// Keywords whose schemas speak of the same object.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const SINGLE: [&str; 5] = ["not", "if", "then", "else", "unevaluatedProperties"];
const MAPS: [&str; 2] = ["dependencies", "dependentSchemas"];

impl<'a> Conjunction<'a> {
    /// Whether a property may be there or not, and be anything, without a word about it.
    pub(super) fn leaves_open(&self, source: &'a SchemaSource, name: &str) -> bool {
        let mut todo: Vec<&Value> = self.parts.clone();
        // Bounded: for large schemas it is assumed that the name is spoken of, which is the strict
        // side.
        let mut looked_into = 0;
        while let Some(next) = todo.pop() {
            looked_into += 1;
            if looked_into > LOOKED_INTO {
                return false;
            }
            let Value::Object(map) = next else {
                continue;
            };
            if speaks_of(map, name) {
                return false;
            }
            if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                // What can't be followed may speak of it.
                match source.resolve(reference) {
                    Some(schema) => todo.push(schema),
                    None => return false,
                }
            }
            // All words that hold schemas for the same value, whichever of them applies.
            todo.extend(
                LISTS
                    .iter()
                    .filter_map(|word| map.get(*word)?.as_array())
                    .flatten(),
            );
            todo.extend(SINGLE.iter().filter_map(|word| map.get(*word)));
            let maps = MAPS.iter().filter_map(|word| map.get(*word)?.as_object());
            todo.extend(maps.flat_map(Map::values));
        }
        true
    }
}

fn speaks_of(map: &Map<String, Value>, name: &str) -> bool {
    // Any mention counts, since it could make the name required or forbid it.
    let is_name = |value: &Value| value.as_str() == Some(name);
    let listed = |value: &Value| {
        value
            .as_array()
            .is_some_and(|list| list.iter().any(is_name))
    };
    let rest = map
        .get("additionalProperties")
        .filter(|rest| is_unconstrained(rest));
    // The very schema of `additionalProperties`, and not an equal one that is said of the name
    // itself.
    let is_rest = |part: &Value| rest.is_some_and(|rest| std::ptr::eq(rest, part));
    let words = ["enum", "const", "$dynamicRef", "$recursiveRef"];
    property_parts(map, name).iter().any(|part| !is_rest(part))
        || map.get("required").is_some_and(listed)
        || map.contains_key("propertyNames")
        || words.iter().any(|word| map.contains_key(*word))
        || ["dependencies", "dependentRequired", "dependentSchemas"]
            .iter()
            .any(|word| {
                let rules = map.get(*word).and_then(Value::as_object);
                rules.is_some_and(|rules| rules.contains_key(name) || rules.values().any(listed))
            })
}
