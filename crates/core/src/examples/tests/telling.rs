use super::{cluster, schema};
use crate::examples::Examples;
use crate::types::same;
use serde_json::{Value, json};

/// The first documents of a schema.
fn first(source: Value, count: usize) -> Vec<Value> {
    let schema = schema(source);
    Examples::of(&schema, 1).take(count).collect()
}

/// Whether all of these are among the first documents.
fn shows(source: Value, wanted: &[Value]) {
    let found = first(source.clone(), 120);
    for value in wanted {
        let shown = found.iter().any(|document| same(document, value));
        assert!(shown, "{source} shows no {value}: {found:?}");
    }
}

#[test]
fn the_smallest_and_the_fullest_come_first() {
    let found = first(cluster(), 2);
    let keys = |value: &Value| value.as_object().unwrap().len();
    assert_eq!(found[0]["spec"], json!({"pools": []}));
    assert_eq!((keys(&found[0]), keys(&found[1])), (3, 4));
    assert_eq!(keys(&found[1]["spec"]), 5);
    assert_eq!(found[1]["spec"]["pools"].as_array().unwrap().len(), 2);
    assert_eq!(keys(&found[1]["spec"]["pools"][0]), 3);
    assert_eq!(keys(&found[1]["metadata"]["labels"]), 2);
}

#[test]
fn every_optional_property_is_once_alone_there_and_once_alone_absent() {
    let names = ["a", "b", "c", "d"];
    let source = json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}, "c": {"enum": [1]}, "d": {"type": "object"}}});
    let found = first(source, 60);
    let keys = |document: &Value| {
        let mut keys: Vec<_> = document.as_object().unwrap().keys().cloned().collect();
        keys.sort();
        keys
    };
    for name in names {
        let others: Vec<_> = names.into_iter().filter(|other| *other != name).collect();
        assert!(found.iter().any(|document| keys(document) == [name]));
        assert!(found.iter().any(|document| keys(document) == others));
    }
}

#[test]
fn a_property_deep_inside_is_also_alone_absent() {
    let found = first(cluster(), 400);
    let fullest = &found[1];
    let without = |pointer: &str| {
        let mut expected = fullest.clone();
        let (around, name) = pointer.rsplit_once('/').unwrap();
        let around = expected.pointer_mut(around).unwrap();
        around.as_object_mut().unwrap().shift_remove(name).unwrap();
        found.iter().any(|document| same(document, &expected))
    };
    for pointer in [
        "/status",
        "/status/progress",
        "/metadata/labels",
        "/spec/endpoint",
        "/spec/pools/0/size",
        "/spec/services/cidrBlocks",
    ] {
        assert!(without(pointer), "{pointer}");
    }
}

#[test]
fn every_listed_value_is_there() {
    let listed = json!(["a", 1, null, {"b": []}, [2], true]);
    shows(json!({"enum": listed}), listed.as_array().unwrap());
    let found = first(
        json!({"properties": {"e": {"enum": (0..100).collect::<Vec<_>>()}}}),
        140,
    );
    for value in 0..100 {
        assert!(
            found.iter().any(|document| document["e"] == value),
            "{value}"
        );
    }
}

#[test]
fn numbers_are_there_at_their_bounds() {
    let bounded = json!({"type": "integer", "minimum": -3, "maximum": 70});
    shows(
        bounded,
        &[
            json!(-3),
            json!(-2),
            json!(-1),
            json!(0),
            json!(69),
            json!(70),
        ],
    );
    let between = json!({"type": "integer", "exclusiveMinimum": 4, "exclusiveMaximum": 9});
    shows(between, &[json!(5), json!(8)]);
    let old = json!({"type": "integer", "minimum": 4, "exclusiveMinimum": true, "maximum": 9, "exclusiveMaximum": true});
    shows(old, &[json!(5), json!(8)]);
    shows(
        json!({"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 30}),
        &[json!(7), json!(28)],
    );
    shows(
        json!({"type": "number", "minimum": 0.5, "maximum": 2.5}),
        &[json!(0.5), json!(2.5), json!(1)],
    );
    shows(
        json!({"type": "integer"}),
        &[
            json!(0),
            json!(-1),
            json!(i64::MIN),
            json!(i64::MAX),
            json!(u64::MAX),
        ],
    );
    let found = first(json!({"type": "integer"}), 40);
    assert!(found.iter().any(Value::is_f64), "1.0 is an integer too");
}

#[test]
fn texts_are_there_at_the_edges_of_their_length() {
    let found = first(
        json!({"type": "string", "minLength": 2, "maxLength": 9}),
        60,
    );
    let lengths: Vec<_> = found
        .iter()
        .map(|text| text.as_str().unwrap().chars().count())
        .collect();
    assert!(lengths.contains(&2) && lengths.contains(&9));
    shows(
        json!({"type": "string"}),
        &[
            json!(""),
            json!("8080"),
            json!("007"),
            json!("a/b"),
            json!("~0~1"),
            json!("a:b"),
            json!("a,b"),
        ],
    );
}

#[test]
fn every_alternative_is_there_with_what_is_inside() {
    let source = json!({"properties": {"p": {"oneOf": [
        {"type": "string"},
        {"type": "object", "properties": {"deep": {"anyOf": [{"const": 1}, {"enum": [2, 3]}]}}, "additionalProperties": false},
        {"type": "array", "items": {"type": "boolean"}},
    ]}}});
    let found = first(source, 150);
    let some = |wanted: fn(&Value) -> bool| found.iter().any(|document| wanted(&document["p"]));
    assert!(some(Value::is_string) && some(Value::is_array));
    for deep in 1..=3 {
        assert!(found.iter().any(|document| document["p"]["deep"] == deep));
    }
}

#[test]
fn every_type_and_both_branches_of_a_condition_are_there() {
    let found = first(json!({"type": ["string", "null", "boolean"]}), 40);
    assert!(found.iter().any(Value::is_null) && found.iter().any(Value::is_boolean));
    let source = json!({"type": "object", "if": {"properties": {"a": {"const": 1}}, "required": ["a"]}, "then": {"required": ["b"]}, "else": {"required": ["c"]}});
    let found = first(source, 40);
    for name in ["b", "c"] {
        assert!(
            found.iter().any(|document| document.get(name).is_some()),
            "{name}"
        );
    }
}

#[test]
fn lists_have_no_one_and_two_items_equal_and_different() {
    let found = first(json!({"type": "array", "items": {"type": "string"}}), 30);
    let items: Vec<_> = found.iter().map(|list| list.as_array().unwrap()).collect();
    assert!(items.iter().any(|list| list.is_empty()));
    assert!(items.iter().any(|list| list.len() == 1));
    assert!(
        items
            .iter()
            .any(|list| list.len() == 2 && list[0] == list[1])
    );
    assert!(
        items
            .iter()
            .any(|list| list.len() == 2 && list[0] != list[1])
    );
    let found = first(json!({"type": "array", "minItems": 2, "maxItems": 6}), 30);
    for length in [2, 6] {
        assert!(
            found
                .iter()
                .any(|list| list.as_array().unwrap().len() == length)
        );
    }
}

#[test]
fn maps_have_no_some_and_matching_keys() {
    let map = json!({"type": "object", "additionalProperties": {"type": "integer"}});
    let found = first(map, 30);
    for length in 0..=3 {
        assert!(
            found
                .iter()
                .any(|map| map.as_object().unwrap().len() == length)
        );
    }
    let source = json!({"type": "object", "patternProperties": {"^x-": {"type": "integer"}}, "additionalProperties": false});
    let found = first(source, 30);
    let mut keys = found.iter().flat_map(|map| map.as_object().unwrap().keys());
    assert!(keys.any(|key| key.starts_with("x-")));
}

#[test]
fn an_open_object_has_once_a_field_that_nobody_declared() {
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    assert!(
        first(open, 20)
            .iter()
            .any(|document| document.get("x1").is_some())
    );
}

#[test]
fn telling_documents_are_not_given_twice() {
    let found = first(cluster(), 150);
    for (number, document) in found.iter().enumerate() {
        let again = found.iter().skip(number + 1).any(|other| {
            same(other, document) && other.to_string().len() == document.to_string().len()
        });
        assert!(!again, "{document}");
    }
}
