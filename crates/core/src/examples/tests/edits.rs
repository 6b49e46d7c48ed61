use super::{cluster, many, schema};
use crate::examples::Examples;
use crate::types::same;
use serde_json::{Value, json};
use std::collections::BTreeSet;

#[test]
fn edits_fit_and_differ() {
    for source in many() {
        let schema = schema(source.clone());
        let mut examples = Examples::of(&schema, 1);
        let documents: Vec<_> = examples.by_ref().take(200).collect();
        let mut edited = 0;
        for document in &documents {
            if let Some(after) = examples.edit(document) {
                assert!(
                    schema.validate(&after).is_ok(),
                    "{source} {document} {after}"
                );
                assert!(!same(document, &after));
                edited += 1;
            }
        }
        let single = source["minimum"].is_u64() && source.get("maximum").is_none();
        assert!(edited > 180 || single, "{source}: {edited}");
    }
}

/// What an edit did, in a word.
fn kinds(before: &Value, after: &Value, found: &mut BTreeSet<&'static str>) {
    match (before, after) {
        (Value::Object(a), Value::Object(b)) => {
            let added: Vec<_> = b.keys().filter(|key| !a.contains_key(*key)).collect();
            let removed = a.keys().filter(|key| !b.contains_key(*key)).count();
            match (added.first(), removed) {
                (Some(key), 0) if key.starts_with('x') => found.insert("add undeclared"),
                (Some(key), 0) if key.starts_with("opt") => found.insert("add declared"),
                (Some(_), 0) => found.insert("add key"),
                (None, 1) => found.insert("remove"),
                (Some(_), 1) => found.insert("rename"),
                _ => false,
            };
            for (key, value) in a.iter().filter(|(key, _)| b.contains_key(*key)) {
                kinds(value, &b[key], found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a != b => {
            let known = |item: &&Value| a.contains(item);
            let all_known = b.iter().filter(known).count() == b.len();
            found.insert(match (b.len().cmp(&a.len()), all_known) {
                (std::cmp::Ordering::Less, _) => "delete item",
                (std::cmp::Ordering::Greater, true) => "duplicate item",
                (std::cmp::Ordering::Greater, false) => "insert item",
                (std::cmp::Ordering::Equal, true) => "move item",
                (std::cmp::Ordering::Equal, false) => "edit item",
            });
        }
        (before, after) if before != after => {
            found.insert("change scalar");
        }
        _ => {}
    }
}

#[test]
fn all_kinds_of_edits_occur() {
    let schema = schema(
        json!({"type": "object", "required": ["map", "list", "text"], "properties": {
            "map": {"type": "object", "additionalProperties": {"type": "integer"}},
            "list": {"type": "array", "items": {"type": "integer"}},
            "text": {"type": "string"},
            "opt1": {"type": "boolean"},
            "opt2": {"type": "boolean"},
        }}),
    );
    let before = json!({"map": {"k": 1}, "list": [10, 20, 30], "text": "t", "opt1": true});
    let mut examples = Examples::of(&schema, 1);
    let mut found = BTreeSet::new();
    for _ in 0..2_000 {
        kinds(&before, &examples.edit(&before).unwrap(), &mut found);
    }
    let expected = [
        "add declared",
        "add key",
        "add undeclared",
        "change scalar",
        "delete item",
        "duplicate item",
        "edit item",
        "insert item",
        "move item",
        "remove",
        "rename",
    ];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn edits_reach_every_field_of_a_document() {
    let schema = schema(cluster());
    let mut examples = Examples::of(&schema, 1);
    let before = examples.nth(1).unwrap();
    let edited: Vec<_> = (0..1_000).filter_map(|_| examples.edit(&before)).collect();
    for pointer in [
        "/metadata/name",
        "/metadata/labels",
        "/spec/paused",
        "/spec/pools/0/count",
        "/spec/pools/1/size",
        "/spec/pods/cidrBlocks/0",
        "/status/phase",
    ] {
        let value = before.pointer(pointer).unwrap();
        assert!(
            edited
                .iter()
                .any(|after| after.pointer(pointer) != Some(value)),
            "{pointer}"
        );
    }
}

#[test]
fn a_field_that_tells_alternatives_apart_is_respected() {
    let variant = |kind: &str| {
        json!({"type": "object", "required": ["kind"], "additionalProperties": false,
        "properties": {"kind": {"const": kind}, kind: {"type": "integer"}}})
    };
    let variants: Vec<_> = ["a", "b", "c", "d", "e", "f"]
        .into_iter()
        .map(variant)
        .collect();
    let schema = schema(
        json!({"properties": {"v": {"oneOf": variants}}, "required": ["v"], "additionalProperties": false}),
    );
    let mut examples = Examples::of(&schema, 1);
    let before = json!({"v": {"kind": "d", "d": 1}});
    let edited: Vec<_> = (0..200).filter_map(|_| examples.edit(&before)).collect();
    assert_eq!(edited.len(), 200);
    assert!(
        edited
            .iter()
            .any(|after| after["v"]["kind"] == "d" && after["v"]["d"] != 1)
    );
    assert!(edited.iter().any(|after| after["v"]["kind"] != "d"));
}

#[test]
fn what_does_not_fit_or_can_only_be_one_thing_has_no_edit() {
    let text = schema(json!({"type": "string"}));
    assert_eq!(Examples::of(&text, 1).edit(&json!(1)), None);
    let one = schema(json!({"const": {"a": 1}}));
    assert_eq!(Examples::of(&one, 1).edit(&json!({"a": 1})), None);
}

#[test]
fn nulls_that_count_as_absent_are_left_out_of_an_edit() {
    let schema = schema(
        json!({"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "additionalProperties": false}),
    );
    let mut examples = Examples::of(&schema, 1);
    for _ in 0..50 {
        let after = examples.edit(&json!({"a": null, "b": 1})).unwrap();
        assert!(after.get("a") != Some(&Value::Null));
    }
}
