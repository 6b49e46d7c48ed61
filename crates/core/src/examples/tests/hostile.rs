//! Schemas made to hurt: they end soon, mostly with nothing.

use super::schema;
use crate::examples::Examples;
use crate::types::Schema;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};

/// Far more than any of these takes, also where everything is slow.
const LONG: Duration = Duration::from_secs(20);

fn documents(source: Value, count: usize) -> Vec<Value> {
    let schema = schema(source);
    let began = Instant::now();
    let mut examples = Examples::of(&schema, 1);
    let found: Vec<_> = examples.by_ref().take(count).collect();
    for document in &found {
        assert!(schema.validate(document).is_ok());
        examples.edit(document);
    }
    assert!(began.elapsed() < LONG, "{:?}", began.elapsed());
    found
}

#[test]
fn what_nothing_fits_gives_nothing() {
    for source in [
        json!(false),
        json!({"not": {}}),
        json!({"type": "string", "enum": [1]}),
        json!({"allOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"type": "integer", "minimum": 3, "maximum": 2}),
        json!({"type": "integer", "minimum": 1e300}),
        json!({"type": "integer", "maximum": -1e300, "multipleOf": 3}),
        json!({"type": "integer", "minimum": 0.1, "maximum": 0.9}),
        json!({"type": "array", "minItems": 1_000_000_000}),
        json!({"type": "array", "minItems": 1e18, "items": {"const": 1}}),
        json!({"type": "array", "uniqueItems": true, "minItems": 1_500, "items": {"type": "boolean"}}),
        json!({"type": "string", "minLength": 1_000_000_000}),
        json!({"type": "string", "pattern": "a^b"}),
        json!({"type": "object", "minProperties": 1_000_000_000}),
        json!({"type": "object", "minProperties": 3, "maxProperties": 2}),
        json!({"type": "object", "required": ["a"], "additionalProperties": false}),
        json!({"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
        json!({"type": "array", "items": {"$ref": "#"}, "minItems": 1}),
        json!({"anyOf": [false, false]}),
        json!({"oneOf": [{"type": "object"}, {"type": "object"}], "type": "object"}),
    ] {
        assert_eq!(documents(source.clone(), 1), [] as [Value; 0], "{source}");
    }
}

#[test]
fn an_optional_field_that_nothing_fits_is_left_out() {
    let found = documents(
        json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1_000_000_000}, "b": {"$ref": "#/definitions/endless"}, "c": {"type": "integer"}},
            "definitions": {"endless": {"type": "object", "properties": {"e": {"$ref": "#/definitions/endless"}}, "required": ["e"]}}}),
        200,
    );
    assert_eq!(found.len(), 200);
    assert!(found.iter().any(|document| document.get("c").is_some()));
}

#[test]
fn what_refers_to_itself_in_many_ways_ends() {
    let names = ["a", "b", "c", "d", "e", "f"];
    let again: Map<_, _> = names
        .iter()
        .map(|name| ((*name).to_owned(), json!({"$ref": "#"})))
        .collect();
    let found = documents(json!({"type": "object", "properties": again}), 300);
    assert_eq!(found.len(), 300);
    let found = documents(
        json!({"type": "array", "items": {"$ref": "#"}, "maxItems": 4}),
        300,
    );
    assert_eq!(found.len(), 300);
    let found = documents(
        json!({"anyOf": [{"type": "array", "items": {"$ref": "#"}, "minItems": 4}, {"type": "null"}]}),
        300,
    );
    assert!(found.len() > 200);
}

#[test]
fn schemas_whose_validation_multiplies_are_kept_cheap() {
    let one = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
    let many = vec![one; 10];
    for keyword in ["allOf", "anyOf"] {
        let found = documents(json!({keyword: many, "type": "object"}), 100);
        assert_eq!(found.len(), 100);
    }
}

#[test]
fn deep_and_wide_schemas_end() {
    let mut deep = json!({"type": "string"});
    for _ in 0..30 {
        deep = json!({"type": "object", "properties": {"a": deep}, "required": ["a"]});
    }
    assert_eq!(documents(deep, 20).len(), 20);

    let mut definitions = Map::new();
    for number in 0..300 {
        let next = json!({"$ref": format!("#/definitions/d{}", number + 1)});
        definitions.insert(
            format!("d{number}"),
            json!({"type": "object", "properties": {"a": next}, "required": ["a"]}),
        );
    }
    definitions.insert("d300".to_owned(), json!({"type": "string"}));
    let tall = json!({"definitions": definitions, "$ref": "#/definitions/d0"});
    assert_eq!(documents(tall, 1), [] as [Value; 0]);

    let wide: Map<_, _> = (0..3_000)
        .map(|n| (format!("p{n}"), json!({"type": "string"})))
        .collect();
    assert_eq!(
        documents(json!({"type": "object", "properties": wide}), 30).len(),
        30
    );

    let large = "x".repeat(100_000);
    let found = documents(
        json!({"type": "array", "items": {"const": large}, "minItems": 3}),
        5,
    );
    assert_eq!(found.len(), 5);
}

#[test]
fn alternatives_that_combine_without_end_are_not_all_remembered() {
    let choice = |n: usize| {
        let alternatives: Vec<_> = (0..10)
            .map(|m| json!({"properties": {format!("p{n}-{m}"): {"type": "string"}}}))
            .collect();
        json!({"anyOf": alternatives})
    };
    let all: Vec<_> = (0..20).map(choice).collect();
    assert_eq!(
        documents(json!({"type": "object", "allOf": all}), 500).len(),
        500
    );
}

fn any_schema() -> impl Strategy<Value = Value> {
    let limit = || {
        prop_oneof![
            (-3_i64..9).prop_map(Value::from),
            Just(json!(0.5)),
            Just(json!(-1e300)),
            Just(json!(u64::MAX))
        ]
    };
    let count = || prop_oneof![0_u64..4, Just(1_000_000_000_u64)];
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(false)),
        Just(json!({"$ref": "#"})),
        Just(json!({"enum": [null, "a", 1]})),
        Just(json!({"type": ["string", "null"], "pattern": "^a+b?$"})),
        (limit(), limit())
            .prop_map(|(low, high)| json!({"type": "number", "minimum": low, "maximum": high})),
        (limit(), 1_i64..9).prop_map(
            |(high, step)| json!({"type": "integer", "exclusiveMaximum": high, "multipleOf": step})
        ),
        (count(), count()).prop_map(
            |(least, most)| json!({"type": "string", "minLength": least, "maxLength": most})
        ),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let key = || proptest::sample::select(vec!["a", "b", "c"]);
        let object = (
            proptest::collection::btree_map(key(), inner.clone(), 0..4),
            proptest::sample::subsequence(vec!["a", "b", "z"], 0..3),
            inner.clone(),
            count(),
        );
        let list = proptest::collection::vec(inner.clone(), 1..4);
        let word = proptest::sample::select(vec!["allOf", "anyOf", "oneOf"]);
        prop_oneof![
            object.clone().prop_map(|(properties, required, rest, least)| json!({"type": "object", "properties": properties,
                "required": required, "additionalProperties": rest, "minProperties": least % 4})),
            object.prop_map(|(patterns, required, names, most)| json!({"patternProperties": patterns, "required": required,
                "propertyNames": names, "maxProperties": most, "dependencies": {"a": ["z"]}})),
            (inner.clone(), count(), any::<bool>()).prop_map(|(items, least, unique)| json!({"type": "array", "items": items,
                "minItems": least, "uniqueItems": unique})),
            list.clone().prop_map(|items| json!({"type": "array", "items": items, "additionalItems": false, "contains": {}})),
            (word, list.clone()).prop_map(|(word, list)| json!({word: list})),
            list.prop_map(|list| json!({"if": list.first(), "then": list.get(1).unwrap_or(&json!({})), "not": list.get(2).unwrap_or(&json!(false))})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn of_any_schema_every_document_and_every_edit_fits(source in any_schema(), seed in any::<u64>()) {
        let Ok(schema) = Schema::compile(source) else { return Ok(()) };
        let began = Instant::now();
        let mut examples = Examples::of(&schema, seed);
        let found: Vec<_> = examples.by_ref().take(20).collect();
        for document in found {
            prop_assert!(schema.validate(&document).is_ok());
            if let Some(after) = examples.edit(&document) {
                prop_assert!(schema.validate(&after).is_ok());
            }
        }
        prop_assert!(began.elapsed() < LONG);
    }
}
