//! Other words that take a schema apart.

use crate::render::is_new;
use crate::reword::{less, object, with};
use jsonschema::Draft;
use serde_json::{Map, Value, json};

type Words = Map<String, Value>;

/// Keywords that mean something only beside each other.
const TOGETHER: [&[&str]; 5] = [
    &["properties", "patternProperties", "additionalProperties"],
    &["items", "prefixItems", "additionalItems"],
    &["if", "then", "else"],
    &["minimum", "exclusiveMinimum"],
    &["maximum", "exclusiveMaximum"],
];

/// Half of the words under `allOf`.
pub(crate) fn divided(map: &Words) -> Option<Words> {
    if map.contains_key("allOf")
        || map.contains_key("$ref")
        || map.contains_key("unevaluatedProperties")
    {
        return None;
    }
    let group = |word: &str| TOGETHER.iter().position(|words| words.contains(&word));
    let last = map.keys().next_back()?;
    let moved = |word: &str| word == last || (group(word).is_some() && group(word) == group(last));
    let (moved, rest): (Words, Words) = map.clone().into_iter().partition(|(word, _)| moved(word));
    (!rest.is_empty()).then(|| with(&rest, "allOf", json!([moved])))
}

/// The same whole numbers with and without the bound itself.
pub(crate) fn numbers(map: &Words, draft: Draft) -> Option<Words> {
    if map.get("type")? != "integer" {
        return None;
    }
    let sides = [
        ("minimum", "exclusiveMinimum", -1),
        ("maximum", "exclusiveMaximum", 1),
    ];
    for (inclusive, exclusive, away) in sides {
        if draft == Draft::Draft4 {
            let bound = map.get(inclusive).and_then(Value::as_i64);
            if let Some(bound) = bound.filter(|_| !map.contains_key(exclusive)) {
                let open = with(map, inclusive, json!(bound + away));
                return Some(with(&open, exclusive, json!(true)));
            }
        } else if let Some(bound) = map.get(inclusive).and_then(Value::as_i64) {
            return Some(with(&less(map, inclusive), exclusive, json!(bound + away)));
        } else if let Some(bound) = map.get(exclusive).and_then(Value::as_i64) {
            return Some(with(&less(map, exclusive), inclusive, json!(bound - away)));
        }
    }
    None
}

/// A bound for a few values that the values keep anyway.
pub(crate) fn whole_as_values(map: &Words) -> Option<Words> {
    let values = map.get("enum")?.as_array()?;
    let numbers: Option<Vec<i64>> = values.iter().map(Value::as_i64).collect();
    if let Some(numbers) = numbers {
        let wide = with(map, "minimum", json!(numbers.iter().min()?));
        return Some(with(&wide, "maximum", json!(numbers.iter().max()?)));
    }
    let texts: Option<Vec<&str>> = values.iter().map(Value::as_str).collect();
    texts?;
    (!map.contains_key("type")).then(|| with(map, "type", json!("string")))
}

/// One alternative for each type.
pub(crate) fn merged_types(map: &Words) -> Option<Words> {
    let types = map.get("type")?.as_array()?;
    let each = types.iter().map(|word| with(map, "type", word.clone()));
    let each: Vec<Words> = each.collect();
    (each.len() > 1 && map.len() < 5).then(|| object(json!({"anyOf": each})))
}

/// Conditions and dependencies as alternatives.
pub(crate) fn conditions(map: &Words, draft: Draft) -> Option<Words> {
    if map.contains_key("anyOf") {
        return None;
    }
    if let (Some(asked), Some(then)) = (map.get("if"), map.get("then")) {
        let rest = less(&less(map, "if"), "then");
        return Some(with(&rest, "anyOf", json!([{"not": asked}, then])));
    }
    let word = if is_new(draft) {
        "dependentRequired"
    } else {
        "dependencies"
    };
    let all = map.get(word)?.as_object()?;
    let (name, needed) = all.iter().next()?;
    let either = json!([{"not": {"required": [name]}}, {"required": needed}]);
    (all.len() == 1).then(|| with(&less(map, word), "anyOf", either))
}

/// Required fields and values of maps, said elsewhere.
pub(crate) fn lists(map: &Words, _: Draft) -> Option<Words> {
    if let Some(Value::Array(required)) = map.get("required")
        && required.len() > 1
        && !map.contains_key("allOf")
    {
        let each: Vec<Value> = required
            .iter()
            .map(|name| json!({"required": [name]}))
            .collect();
        return Some(with(&less(map, "required"), "allOf", Value::Array(each)));
    }
    let value = map.get("additionalProperties")?;
    let alone = !map.contains_key("properties") && !map.contains_key("patternProperties");
    (alone && value.is_object()).then(|| {
        with(
            &less(map, "additionalProperties"),
            "patternProperties",
            json!({"": value}),
        )
    })
}
