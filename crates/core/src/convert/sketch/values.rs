//! Schemas that list their values, and schemas made of others.

use super::kinds::JsonKinds;
use crate::types::{same, whole};
use serde_json::{Value, json};

/// The values that a schema lists, those that its `type` excludes left out; `None` if it does not
/// list them.
pub(crate) fn finite(schema: &Value) -> Option<Vec<Value>> {
    let listed = match (schema.get("const"), schema.get("enum")) {
        (Some(one), _) => std::slice::from_ref(one),
        (None, Some(Value::Array(values))) => values.as_slice(),
        _ => return None,
    };
    let kinds = JsonKinds::of(schema);
    let fits = |value: &&Value| JsonKinds::of_value(value).within(kinds);
    Some(listed.iter().filter(fits).cloned().collect())
}

/// A schema that lists values.
pub(crate) fn listed(values: impl IntoIterator<Item = Value>) -> Value {
    let mut distinct: Vec<Value> = Vec::new();
    for value in values {
        if !distinct.iter().any(|known| same(known, &value)) {
            distinct.push(value);
        }
    }
    if distinct.is_empty() {
        return Value::Bool(false);
    }
    json!({"enum": distinct})
}

/// Whether a number is an integer, also where it is written as 1.0.
pub(crate) fn whole_number(value: &Value) -> bool {
    whole(value).is_some()
}

/// What fits one of several schemas.
pub(crate) fn one_of(mut schemas: Vec<Value>) -> Value {
    schemas.retain(|schema| *schema != Value::Bool(false));
    let mut distinct: Vec<Value> = Vec::new();
    for schema in schemas {
        // What fits everything makes the others superfluous.
        if schema == Value::Bool(true) || schema == json!({}) {
            return Value::Bool(true);
        }
        if !distinct.contains(&schema) {
            distinct.push(schema);
        }
    }
    // One alternative needs no choice around it, which steps would have to look into again.
    match distinct.len() {
        0 => Value::Bool(false),
        1 => distinct.pop().unwrap_or_default(),
        _ => json!({"anyOf": distinct}),
    }
}

/// The schemas that a list's items have, in order; the last one is for all others.
pub(crate) fn item_parts(schema: &Value) -> Vec<&Value> {
    static ANYTHING: Value = Value::Bool(true);
    let list = |word| schema.get(word).and_then(Value::as_array);
    let rest = |word| schema.get(word).unwrap_or(&ANYTHING);
    match (list("prefixItems"), list("items")) {
        (Some(first), _) => first.iter().chain([rest("items")]).collect(),
        (None, Some(first)) => first.iter().chain([rest("additionalItems")]).collect(),
        (None, None) => vec![rest("items")],
    }
}

/// The same, to be changed.
pub(crate) fn item_schemas(schema: &Value) -> Vec<Value> {
    item_parts(schema).into_iter().cloned().collect()
}
