//! Other words for one schema.

use crate::reword_parts::{conditions, divided, lists, merged_types, numbers, whole_as_values};
use jsonschema::Draft;
use serde_json::{Map, Value, json};

type Apply = fn(&Map<String, Value>, Draft) -> Option<Map<String, Value>>;

pub(crate) struct Reword {
    pub(crate) name: &'static str,
    /// None where it can't be said so.
    pub(crate) apply: Apply,
}

const fn reword(name: &'static str, apply: Apply) -> Reword {
    Reword { name, apply }
}

pub(crate) const REWORDS: [Reword; 24] = [
    reword("annotations", annotated),
    reword("marks", marked),
    reword("type as a list", |map, _| {
        let word = map.get("type")?.as_str()?;
        Some(with(map, "type", json!([word])))
    }),
    reword("types in another order", |map, _| reversed(map, "type")),
    reword("enum in another order", |map, _| reversed(map, "enum")),
    reword("required in another order", |map, _| {
        reversed(map, "required")
    }),
    reword("anyOf in another order", |map, _| reversed(map, "anyOf")),
    reword("oneOf in another order", |map, _| reversed(map, "oneOf")),
    reword("const as enum", |map, _| {
        let value = map.get("const")?;
        Some(with(&less(map, "const"), "enum", json!([value])))
    }),
    reword("oneOf as anyOf", |map, _| renamed(map, "oneOf", "anyOf")),
    reword("anyOf as oneOf", |map, _| {
        // Only the discriminator's way is surely exclusive; here types are.
        let types = |item: &Value| item.get("type").and_then(Value::as_str).map(str::to_owned);
        let mut all: Vec<String> = map
            .get("anyOf")?
            .as_array()?
            .iter()
            .map(types)
            .collect::<Option<_>>()?;
        let count = all.len();
        all.sort();
        all.dedup();
        (all.len() == count
            && !(all.contains(&"integer".to_owned()) && all.contains(&"number".to_owned())))
        .then(|| renamed(map, "anyOf", "oneOf"))?
    }),
    reword("anyOf nested", |map, _| {
        let all = map.get("anyOf")?.as_array()?;
        let (first, rest) = all.split_first()?;
        (!rest.is_empty()).then(|| with(map, "anyOf", json!([first, {"anyOf": rest}])))
    }),
    reword("inside of allOf", |map, _| wrapped("allOf", map)),
    reword("inside of anyOf", |map, _| wrapped("anyOf", map)),
    reword("allOf twice", |map, _| {
        (map.len() < 6).then(|| object(json!({"allOf": [map, map]})))
    }),
    reword("anyOf twice with less", |map, draft| {
        let bottom = if draft == Draft::Draft4 {
            json!({"not": {}})
        } else {
            json!(false)
        };
        Some(object(json!({"anyOf": [map, bottom]})))
    }),
    reword("split into allOf", |map, _| divided(map)),
    reword("bounds of whole numbers", numbers),
    reword("whole numbers as values", |map, _| whole_as_values(map)),
    reword("flag as values", |map, _| {
        (map.get("type")? == "boolean")
            .then(|| with(&less(map, "type"), "enum", json!([true, false])))
    }),
    reword("empty bounds", empty_bounds),
    reword("words of other types", other_types),
    reword("types as anyOf", |map, _| merged_types(map)),
    reword("conditions", |map, draft| {
        conditions(map, draft).or_else(|| lists(map, draft))
    }),
];

pub(crate) fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

pub(crate) fn with(map: &Map<String, Value>, word: &str, value: Value) -> Map<String, Value> {
    let mut map = map.clone();
    map.insert(word.to_owned(), value);
    map
}

pub(crate) fn less(map: &Map<String, Value>, word: &str) -> Map<String, Value> {
    let mut map = map.clone();
    map.shift_remove(word);
    map
}

fn renamed(map: &Map<String, Value>, from: &str, to: &str) -> Option<Map<String, Value>> {
    let value = map.get(from)?.clone();
    (!map.contains_key(to)).then(|| with(&less(map, from), to, value))
}

fn reversed(map: &Map<String, Value>, word: &str) -> Option<Map<String, Value>> {
    let mut items = map.get(word)?.as_array()?.clone();
    items.reverse();
    (items.len() > 1).then(|| with(map, word, Value::Array(items)))
}

fn wrapped(word: &str, map: &Map<String, Value>) -> Option<Map<String, Value>> {
    (!map.is_empty()).then(|| object(json!({word: [map]})))
}

fn annotated(map: &Map<String, Value>, _: Draft) -> Option<Map<String, Value>> {
    let map = with(map, "title", json!("Another title"));
    Some(with(&map, "description", json!("What it is for.")))
}

fn marked(map: &Map<String, Value>, _: Draft) -> Option<Map<String, Value>> {
    let map = with(
        map,
        "x-kubernetes-validations",
        json!([{"rule": "self != null"}]),
    );
    Some(with(&map, "x-order", json!(1)))
}

fn empty_bounds(map: &Map<String, Value>, draft: Draft) -> Option<Map<String, Value>> {
    let word = match map.get("type")?.as_str()? {
        "string" => "minLength",
        "array" => "minItems",
        "object" if !map.contains_key("additionalProperties") => {
            let open = if draft == Draft::Draft4 {
                json!({})
            } else {
                json!(true)
            };
            return Some(with(map, "additionalProperties", open));
        }
        "object" => "minProperties",
        _ => return None,
    };
    // What is required is counted too.
    let required = map
        .get("required")
        .and_then(Value::as_array)
        .map_or(0, Vec::len);
    let least = if word == "minProperties" { required } else { 0 };
    (!map.contains_key(word)).then(|| with(map, word, json!(least)))
}

fn other_types(map: &Map<String, Value>, _: Draft) -> Option<Map<String, Value>> {
    let (word, value) = match map.get("type")?.as_str()? {
        "string" => ("minimum", json!(3)),
        "object" | "boolean" => ("maxLength", json!(1)),
        "integer" | "number" => ("required", json!(["name"])),
        _ => ("pattern", json!("^z$")),
    };
    (!map.contains_key(word)).then(|| with(map, word, value))
}
