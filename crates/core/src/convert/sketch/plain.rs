//! Makes a schema plain enough to change a property in it: references are written out, and what
//! could speak of the property beside `properties` and `required` goes. Whatever goes allows more.

use super::source::SchemaSource;
use crate::types::compile_pattern;
use crate::types::limits::SCHEMA_CHAIN;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Writes out the reference that a schema is, if it is one. What stands beside it goes.
pub(crate) fn write_out(node: &mut Value, source: &SchemaSource) {
    for _ in 0..SCHEMA_CHAIN {
        let Some(Value::String(reference)) = node.get("$ref") else {
            return;
        };
        match source.resolve(reference) {
            Some(target) => *node = target.clone(),
            None => break,
        }
    }
    *node = Value::Bool(true);
}

/// Keywords that speak of an object as a whole.
const WHOLE: [&str; 9] = [
    "enum",
    "const",
    "minProperties",
    "maxProperties",
    "propertyNames",
    "unevaluatedProperties",
    "$dynamicRef",
    "$recursiveRef",
    "dependentRequired",
];
/// Keywords with schemas for the same object.
const CHOICES: [&str; 9] = [
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "dependencies",
    "dependentSchemas",
];

/// Takes out of an object's schema what could be untrue once properties change, except where it
/// speaks only of properties that stay; whether something went.
pub(crate) fn keep_choices(node: &mut Map<String, Value>, stays: &dyn Fn(&str) -> bool) -> bool {
    let before = node.len();
    // Keywords that speak of an object as a whole, such as the number of its properties, are
    // untrue once any property changes.
    node.retain(|word, _| !WHOLE.contains(&word.as_str()));
    // `Some` of no names: nothing has been spoken of yet. `None` means any name, and stays so.
    let mut spoken = Some(BTreeSet::new());
    let speaks_well = |names: &Option<BTreeSet<String>>| {
        let names = names.as_ref();
        names.is_some_and(|names| names.iter().all(|name| stays(name)))
    };
    // A condition and its consequences go together.
    for word in ["if", "then", "else"] {
        let names = node.get(word).map(|schema| names_in(schema, 0));
        if let Some(names) = names {
            spoken = both(spoken, names);
        }
    }
    let conditional = speaks_well(&spoken);
    node.retain(|word, value| match word.as_str() {
        "if" | "then" | "else" => conditional,
        // The alternatives are kept or dropped together: with one of them gone the others would
        // say more than before.
        "allOf" | "anyOf" | "oneOf" => {
            let list = value.as_array().into_iter().flatten();
            let names = list.map(|schema| names_in(schema, 0));
            speaks_well(&names.fold(Some(BTreeSet::new()), both))
        }
        "not" => speaks_well(&names_in(value, 0)),
        // Other choices can't be read by names, and go.
        word => !CHOICES.contains(&word),
    });
    node.len() != before
}

/// Takes out all that speaks of the value as a whole.
pub(crate) fn drop_choices(node: &mut Map<String, Value>) {
    node.retain(|word, _| !WHOLE.contains(&word.as_str()) && !CHOICES.contains(&word.as_str()));
}

fn both(
    one: Option<BTreeSet<String>>,
    other: Option<BTreeSet<String>>,
) -> Option<BTreeSet<String>> {
    let (mut one, other) = (one?, other?);
    one.extend(other);
    Some(one)
}

/// The properties that a schema speaks of; `None` if it may speak of any.
fn names_in(schema: &Value, depth: usize) -> Option<BTreeSet<String>> {
    let map = match schema {
        Value::Bool(_) => return Some(BTreeSet::new()),
        // Bounded, as schemas nest. Deeper than that it may speak of anything.
        Value::Object(map) if depth < 8 => map,
        _ => return None,
    };
    let mut names = BTreeSet::new();
    for (word, value) in map {
        match (word.as_str(), value) {
            ("properties", Value::Object(inner)) => names.extend(inner.keys().cloned()),
            ("required", Value::Array(list)) => {
                names.extend(list.iter().filter_map(Value::as_str).map(str::to_owned));
            }
            ("allOf" | "anyOf" | "oneOf", Value::Array(list)) => {
                for inner in list {
                    names.extend(names_in(inner, depth + 1)?);
                }
            }
            ("not" | "if" | "then" | "else", inner) => names.extend(names_in(inner, depth + 1)?),
            // Keywords that restrict no property.
            ("type" | "title" | "description" | "$comment", _) => {}
            // Whatever is not known may speak of any property.
            _ => return None,
        }
    }
    Some(names)
}

/// The schemas that an object's schema gives to a property.
pub(crate) fn property_parts<'v>(node: &'v Map<String, Value>, key: &str) -> Vec<&'v Value> {
    let own = node.get("properties").and_then(|map| map.get(key));
    let patterns = matching(node, key).into_iter().map(|(_, schema)| schema);
    let mut all: Vec<&Value> = own.into_iter().chain(patterns).collect();
    if all.is_empty() {
        all.extend(node.get("additionalProperties"));
    }
    all
}

/// The same as one schema; `true` if there is none.
pub(crate) fn property(node: &Map<String, Value>, key: &str) -> Value {
    match property_parts(node, key).as_slice() {
        [] => Value::Bool(true),
        [one] => (*one).clone(),
        all => serde_json::json!({"allOf": all}),
    }
}

fn matching<'v>(node: &'v Map<String, Value>, key: &str) -> Vec<(&'v String, &'v Value)> {
    let patterns = node.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flatten();
    // A pattern that can't be read matches everything, to be safe.
    let matches = |text: &String| {
        let compiled = compile_pattern(text).ok();
        compiled.is_none_or(|compiled| compiled.regex.is_match(key))
    };
    patterns.filter(|(text, _)| matches(text)).collect()
}

/// Gives a property a schema of its own, which is the only one that speaks of it.
pub(crate) fn set_property(node: &mut Map<String, Value>, key: &str, schema: Value) {
    let patterns = matching(node, key).into_iter();
    let patterns: Vec<String> = patterns.map(|(text, _)| text.clone()).collect();
    // The pattern has spoken of this name together with others: taken out, it restricts less,
    // which is safe.
    if !patterns.is_empty() {
        if let Some(Value::Object(map)) = node.get_mut("patternProperties") {
            map.retain(|text, _| !patterns.contains(text));
        }
        // What the pattern matched else would now be additional.
        node.shift_remove("additionalProperties");
    }
    // The name has a schema of its own now, so neither patterns nor `additionalProperties` speak
    // of it.
    let properties = node
        .entry("properties")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Some(map) = properties.as_object_mut() {
        map.insert(key.to_owned(), schema);
    }
}

pub(crate) fn is_required(node: &Map<String, Value>, key: &str) -> bool {
    let names = node.get("required").and_then(Value::as_array);
    names.is_some_and(|names| names.iter().any(|name| name.as_str() == Some(key)))
}

/// Whether a property must be there.
pub(crate) fn set_required(node: &mut Map<String, Value>, key: &str, required: bool) {
    // Unchanged, so that the order of the names stays what the author has written.
    if is_required(node, key) == required {
        return;
    }
    let mut names = match node.shift_remove("required") {
        Some(Value::Array(names)) => names,
        _ => Vec::new(),
    };
    names.retain(|name| name.as_str() != Some(key));
    if required {
        names.push(Value::from(key));
    }
    // An empty `required` is not allowed in draft 4.
    if !names.is_empty() {
        node.insert("required".to_owned(), Value::Array(names));
    }
}
