//! What a command printed, as types by path: `items[].metadata.name` is a `string`.
//!
//! A sample shows what is there, not all that may be. So the same commands are run in the same
//! order on the same example for every release, and what they print is compared path by path.

use crate::model::CommandOutputs;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// In place of a type: not all elements of the list have the field.
pub(crate) const ABSENT: &str = "absent";

/// Somebody's own data: below it anything may be.
const FREE: &str = "free";

/// Fields that hold somebody's own data, or are keyed by it, where they have parts.
const FREE_FIELDS: [&str; 12] = [
    "spec",
    "labels",
    "annotations",
    "entity",
    "schema",
    "phases",
    "known",
    "refused",
    "indexes",
    "hooks",
    "result",
    "witness",
];

/// The types of the fields of all of these, by path.
#[must_use]
pub fn types_by_path(sample: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut found = BTreeMap::new();
    collect("", &[sample], &mut found);
    found
}

/// All values at one path. JSON has a limit of levels when it is read, so this ends.
fn collect(path: &str, values: &[&Value], found: &mut BTreeMap<String, BTreeSet<String>>) {
    let types = found.entry(path.to_owned()).or_default();
    types.extend(values.iter().map(|value| kind_of(value).to_owned()));
    let elements: Vec<&Value> = values
        .iter()
        .filter_map(|value| value.as_array())
        .flatten()
        .collect();
    if !elements.is_empty() {
        collect(&format!("{path}[]"), &elements, found);
    }
    let objects: Vec<&Map<String, Value>> = values
        .iter()
        .filter_map(|value| value.as_object())
        .collect();
    let names: BTreeSet<&String> = objects.iter().flat_map(|object| object.keys()).collect();
    for name in names {
        let dot = if path.is_empty() { "" } else { "." };
        let path = format!("{path}{dot}{name}");
        let inner: Vec<&Value> = objects
            .iter()
            .filter_map(|object| object.get(name))
            .collect();
        let has_parts = |value: &&Value| value.is_object() || value.is_array();
        // What somebody's own data looks like is no promise of ours.
        if FREE_FIELDS.contains(&name.as_str()) && inner.iter().any(has_parts) {
            found.insert(path.clone(), [FREE.to_owned()].into());
        } else {
            collect(&path, &inner, found);
        }
        // Not in every object: scripts must be ready for that.
        if inner.len() < objects.len() {
            found.entry(path).or_default().insert(ABSENT.to_owned());
        }
    }
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        // A sample of a number with a fraction may have none.
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

/// As `outputs.json` has it.
#[must_use]
pub fn print_outputs(outputs: &CommandOutputs) -> Value {
    let joined = |types: &BTreeSet<String>| {
        let all: Vec<&str> = types.iter().map(String::as_str).collect();
        json!(all.join(" | "))
    };
    let command = |paths: &BTreeMap<String, BTreeSet<String>>| {
        let paths = paths
            .iter()
            .map(|(path, types)| (path.clone(), joined(types)));
        Value::Object(paths.collect())
    };
    let all = outputs
        .iter()
        .map(|(name, paths)| (name.clone(), command(paths)));
    Value::Object(all.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_its_paths_with_all_types_that_were_seen() {
        let sample = json!({ "items": [
            { "name": "a", "note": null, "spec": { "mine": 1 }, "refused": 0 },
            { "name": "b", "note": "x", "spec": {}, "more": [1, 2.5], "refused": 1 },
        ] });
        let printed = print_outputs(&[("c".to_owned(), types_by_path(&sample))].into());
        let expected = json!({ "c": {
            "": "object",
            "items": "list",
            "items[]": "object",
            "items[].more": "absent | list",
            "items[].more[]": "number",
            "items[].name": "string",
            "items[].note": "null | string",
            "items[].refused": "number",
            "items[].spec": "free",
        } });
        assert_eq!(printed, expected);
        let read = crate::read_outputs(&printed).unwrap();
        assert_eq!(print_outputs(&read), expected);
    }
}
