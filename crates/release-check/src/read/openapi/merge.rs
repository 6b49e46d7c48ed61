//! `allOf`: what fits all of several schemas is described by one.
//!
//! A page is `Page` and a schema that says what its items are; only together do they say what is
//! answered. They are merged as schemas, keyword by keyword: what both say must hold, what only one
//! says holds too.

use super::references::{MOST_STEPS, target};
use super::{DocumentProblem, items, member};
use serde_json::{Map, Value};

/// Keywords that say what a value may be; the others are remarks.
const STRUCTURE: [&str; 9] = [
    "type",
    "properties",
    "required",
    "items",
    "additionalProperties",
    "enum",
    "const",
    "anyOf",
    "oneOf",
];

/// Whether it says anything about values beside what it refers to.
pub(super) fn has_structure(schema: &Value) -> bool {
    STRUCTURE.iter().any(|key| schema.get(key).is_some())
}

/// One schema in place of `allOf`, and of a reference beside other keywords.
pub(super) fn merged(document: &Value, schema: &Value) -> Result<Value, DocumentProblem> {
    merged_within(document, schema, MOST_STEPS)
}

fn merged_within(document: &Value, schema: &Value, steps: usize) -> Result<Value, DocumentProblem> {
    // A schema may lead back to itself.
    let Some(steps) = steps.checked_sub(1) else {
        return Err(DocumentProblem::new(
            "schemas that contain themselves by allOf or $ref",
        ));
    };
    let Value::Object(map) = schema else {
        return Ok(schema.clone());
    };
    let mut own = map.clone();
    let parts = own.remove("allOf").unwrap_or_default();
    let reference = own.remove("$ref");
    let mut whole = Value::Object(own);
    if let Some(reference) = reference.as_ref().and_then(Value::as_str) {
        let other = merged_within(document, target(document, reference)?, steps)?;
        whole = both(other, whole);
    }
    for part in items(&parts) {
        let part = merged_within(document, part, steps)?;
        whole = both(whole, part);
    }
    Ok(whole)
}

/// What fits both.
pub(super) fn both(first: Value, second: Value) -> Value {
    let (mut whole, second) = match (first, second) {
        (Value::Object(first), Value::Object(second)) => (first, second),
        // `true` says nothing, and what is no schema says nothing that can be merged.
        (Value::Object(first), _) => return Value::Object(first),
        (_, second) => return second,
    };
    for (key, value) in second {
        let merged = match (whole.remove(&key), key.as_str()) {
            (None, _) => value,
            (Some(old), "properties") => both_properties(old, value),
            (Some(old), "items" | "additionalProperties") => both(old, value),
            // What either needs is needed.
            (Some(old), "required") => union(&old, &value),
            // Only what both allow is left.
            (Some(old), "type" | "enum") => intersection(&old, &value),
            (Some(old), _) => old,
        };
        whole.insert(key, merged);
    }
    Value::Object(whole)
}

fn both_properties(first: Value, second: Value) -> Value {
    let (Value::Object(mut whole), Value::Object(second)) = (first, second) else {
        return Value::Object(Map::new());
    };
    for (name, schema) in second {
        let merged = match whole.remove(&name) {
            // References inside are merged when the property is read.
            Some(old)
                if member(&old, "$ref").is_string() || member(&schema, "$ref").is_string() =>
            {
                serde_json::json!({ "allOf": [old, schema] })
            }
            Some(old) => both(old, schema),
            None => schema,
        };
        whole.insert(name, merged);
    }
    Value::Object(whole)
}

fn listed(value: &Value) -> Vec<Value> {
    match value {
        Value::Array(all) => all.clone(),
        one => vec![one.clone()],
    }
}

fn union(first: &Value, second: &Value) -> Value {
    let mut all = listed(first);
    let more: Vec<Value> = listed(second)
        .into_iter()
        .filter(|one| !all.contains(one))
        .collect();
    all.extend(more);
    Value::Array(all)
}

fn intersection(first: &Value, second: &Value) -> Value {
    let second = listed(second);
    let common = listed(first).into_iter().filter(|one| second.contains(one));
    Value::Array(common.collect())
}
