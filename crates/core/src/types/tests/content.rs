use super::schema;
use crate::types::{ContentError, DefaultsEndless, Schema};
use serde_json::{Value, json};

fn violations(schema: &Schema, content: &Value) -> Vec<(String, String)> {
    let error = schema.validate(content).err();
    let all = error.iter().flat_map(ContentError::violations);
    all.map(|one| (one.pointer.clone(), one.sentence.clone()))
        .collect()
}

#[test]
fn all_violations_are_told_with_a_pointer_and_a_sentence_each() {
    let schema = schema(json!({
        "type": "object",
        "required": ["name", "size"],
        "additionalProperties": false,
        "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$"},
            "size": {"type": "integer", "minimum": 1},
            "ports": {"type": "array", "items": {"type": "integer", "maximum": 65535}},
            "a/b": {"enum": ["x", "y"]},
        }
    }));
    let found = violations(
        &schema,
        &json!({"name": "UP", "ports": [1, "x", 70000], "a/b": "z", "extra~": 1}),
    );
    let mut found: Vec<_> = found
        .iter()
        .map(|(at, what)| format!("{at} {what}"))
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "/a~1b must be one of [\"x\",\"y\"]",
            "/extra~0 is not a field here",
            "/name must match the pattern ^[a-z]+$",
            "/ports/1 must be integer",
            "/ports/2 must be at most 65535",
            "/size is required and missing",
        ]
    );
}

#[test]
fn a_violation_never_repeats_the_content() {
    let schema = schema(
        json!({"properties": {"password": {"type": "integer"}, "list": {"uniqueItems": true}}}),
    );
    let content = json!({"password": "hunter2", "list": ["hunter2", "hunter2"]});
    let text = schema.validate(&content).unwrap_err().to_string();
    assert!(!text.contains("hunter2"), "{text}");
}

#[test]
fn a_null_that_its_own_schema_accepts_is_a_value_and_any_other_is_absent() {
    let schema = schema(json!({
        "required": ["name", "kind"],
        "properties": {
            "name": {"type": "string"},
            "kind": {"type": ["string", "null"]},
            "note": {"$ref": "#/definitions/text"},
            "any": {},
            "choice": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "listed": {"enum": ["a", null]},
            "not": {"not": {"type": "null"}},
            "nodes": {"type": "array", "items": {"type": "object", "properties": {"gpu": {"type": "string"}}}},
        },
        "definitions": {"text": {"type": "string"}}
    }));
    let content = json!({
        "name": "a", "kind": null, "note": null, "any": null, "choice": null, "listed": null, "not": null,
        "undeclared": null, "nodes": [{"gpu": null}, {"gpu": "x"}, {"other": null}],
    });
    let expected = json!({
        "name": "a", "kind": null, "any": null, "choice": null, "listed": null,
        "undeclared": null, "nodes": [{}, {"gpu": "x"}, {"other": null}],
    });
    assert_eq!(*schema.without_absent(&content), expected);
    assert!(schema.validate(&content).is_ok());
    let missing = violations(&schema, &json!({"name": null, "kind": "x"}));
    assert_eq!(
        missing,
        [("/name".to_owned(), "is required and missing".to_owned())]
    );
}

#[test]
fn a_null_where_no_field_may_be_is_absent_and_one_in_a_list_stays() {
    let closed = schema(
        json!({"additionalProperties": false, "properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
    );
    assert!(closed.validate(&json!({"other": null})).is_ok());
    assert_eq!(
        violations(&closed, &json!({"a": [null]})),
        [("/a/0".to_owned(), "must be string".to_owned())]
    );
}

#[test]
fn required_fields_that_are_missing_get_their_defaults_nested_and_through_references() {
    let schema = schema(json!({
        "required": ["region", "net", "size", "plain"],
        "properties": {
            "region": {"type": "string", "default": "eu"},
            "optional": {"type": "string", "default": "never stored"},
            "plain": {"type": "string"},
            "size": {"$ref": "#/definitions/size"},
            "net": {"type": "object", "default": {"v6": true}, "required": ["cidr"], "properties": {"cidr": {"default": "10.0.0.0/8"}}},
            "nodes": {"type": "array", "items": {"allOf": [{"$ref": "#/definitions/node"}]}},
        },
        "definitions": {
            "size": {"type": "integer", "default": 3},
            "node": {"required": ["role"], "properties": {"role": {"type": "string", "default": "worker"}}},
        }
    }));
    let filled = schema
        .fill_defaults(json!({"nodes": [{}, {"role": "head"}, {"role": null}], "region": null}))
        .unwrap();
    assert_eq!(
        filled.content,
        json!({
            "nodes": [{"role": "worker"}, {"role": "head"}, {"role": "worker"}],
            "region": "eu", "net": {"v6": true, "cidr": "10.0.0.0/8"}, "size": 3,
        })
    );
    let mut at = filled.filled.clone();
    at.sort();
    assert_eq!(
        at,
        [
            "/net",
            "/net/cidr",
            "/nodes/0/role",
            "/nodes/2/role",
            "/region",
            "/size"
        ]
    );
    let again = schema.fill_defaults(filled.content.clone()).unwrap();
    assert_eq!((again.content, again.filled), (filled.content, vec![]));
}

#[test]
fn a_default_beside_a_reference_is_nearer_than_the_one_behind_it() {
    let schema = schema(json!({
        "required": ["a"], "properties": {"a": {"$ref": "#/definitions/a", "default": 2}}, "definitions": {"a": {"default": 1}},
    }));
    assert_eq!(
        schema.fill_defaults(json!({})).unwrap().content,
        json!({"a": 2})
    );
}

#[test]
fn a_default_that_is_an_absent_null_fills_nothing() {
    let schema = schema(json!({
        "required": ["word", "maybe", "net"],
        "properties": {
            "word": {"enum": ["a"], "default": null},
            "maybe": {"type": ["string", "null"], "default": null},
            "net": {
                "default": {"cidr": null, "mask": null},
                "required": ["cidr"],
                "properties": {"cidr": {"type": "string", "default": "10.0.0.0/8"}, "mask": {"type": "string"}},
            },
        },
    }));
    let filled = schema.fill_defaults(json!({})).unwrap();
    assert_eq!(
        filled.content,
        json!({"maybe": null, "net": {"cidr": "10.0.0.0/8"}})
    );
    assert_eq!(filled.filled, ["/maybe", "/net", "/net/cidr"]);
    let again = schema.fill_defaults(filled.content.clone()).unwrap();
    assert_eq!((again.content, again.filled), (filled.content, vec![]));
}

#[test]
fn defaults_that_need_themselves_are_refused_and_don_t_run_for_ever() {
    for names in [vec!["a"], vec!["a", "b"]] {
        let properties: serde_json::Map<_, _> = names
            .iter()
            .map(|name| ((*name).to_owned(), json!({"$ref": "#", "default": {}})))
            .collect();
        let schema = schema(json!({"required": names, "properties": properties}));
        assert_eq!(schema.fill_defaults(json!({})), Err(DefaultsEndless));
    }
}

#[test]
fn what_additional_properties_false_excludes_is_pruned_and_listed() {
    let schema = schema(json!({
        "properties": {
            "spec": {"$ref": "#/definitions/spec"},
            "list": {"type": "array", "items": {"$ref": "#/definitions/spec"}},
        },
        "definitions": {"spec": {
            "additionalProperties": false, "properties": {"a": {}}, "patternProperties": {"^x-": {"additionalProperties": false}},
        }}
    }));
    let pruned = schema.prune(json!({
        "spec": {"a": 1, "b": 2, "x-1": {"c": 3}}, "list": [{"a": 1}, {"b/c": 1}], "open": {"b": 1},
    }));
    assert_eq!(
        pruned.content,
        json!({"spec": {"a": 1, "x-1": {}}, "list": [{"a": 1}, {}], "open": {"b": 1}})
    );
    assert_eq!(pruned.pruned, ["/spec/b", "/spec/x-1/c", "/list/1/b~1c"]);
}

#[test]
fn an_alternative_that_might_not_apply_prunes_nothing() {
    let either = schema(json!({"oneOf": [
        {"properties": {"a": {}}, "additionalProperties": false}, {"properties": {"b": {}}, "additionalProperties": false},
    ]}));
    assert!(either.prune(json!({"b": 1, "c": 2})).pruned.is_empty());
    let sealed = schema(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "allOf": [{"properties": {"a": {}}}], "anyOf": [{"properties": {"b": {}}}], "unevaluatedProperties": false,
    }));
    assert_eq!(sealed.prune(json!({"a": 1, "b": 2, "c": 3})).pruned, ["/c"]);
}
