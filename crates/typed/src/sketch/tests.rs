use super::*;
use serde_json::json;

fn of(source: Value) -> ContentSketch {
    sketch(&Schema::compile(source).unwrap())
}

fn kind(schema: Value) -> String {
    let definitions = json!({"node": {"type": "object", "properties": {"name": {"type": "string"}, "next": {"$ref": "#/definitions/node"}}},
        "name": {"type": "string"}});
    let found =
        of(json!({"type": "object", "properties": {"x": schema}, "definitions": definitions}));
    found.inside[0].1.kind.to_string()
}

#[test]
fn every_row_of_the_table_of_kinds() {
    for (schema, expected) in [
        (json!({"type": "string"}), "string"),
        (json!({"type": "string", "format": "date-time"}), "string"),
        (json!({"type": "string", "enum": ["a", "b"]}), "string"),
        (json!({"enum": ["a", "b"]}), "string"),
        (json!({"type": ["string"]}), "string"),
        (
            json!({"type": "string", "anyOf": [{"format": "ipv4"}, {"format": "ipv6"}]}),
            "string",
        ),
        (json!({"$ref": "#/definitions/name"}), "string"),
        (json!({"type": "integer", "minimum": 0}), "int64"),
        (json!({"type": "number"}), "double"),
        (json!({"type": "boolean"}), "bool"),
        (
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            "message",
        ),
        (json!({"properties": {"a": {"type": "string"}}}), "message"),
        (
            json!({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}),
            "message",
        ),
        (json!({"$ref": "#/definitions/node"}), "message"),
        (
            json!({"type": "array", "items": {"type": "string"}}),
            "repeated string",
        ),
        (
            json!({"type": "array", "items": {"type": "object", "properties": {"a": {}}}}),
            "repeated message",
        ),
        (
            json!({"type": "array", "items": {"type": "object"}}),
            "repeated struct",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "integer"}}),
            "map<string, int64>",
        ),
        (
            json!({"type": "object", "additionalProperties": {"$ref": "#/definitions/node"}}),
            "map<string, message>",
        ),
        (json!({"type": "object"}), "struct"),
        (
            json!({"type": "object", "additionalProperties": true}),
            "struct",
        ),
        (
            json!({"type": "object", "additionalProperties": {}}),
            "struct",
        ),
        (json!({}), "value"),
        (json!(true), "value"),
        (json!({"type": ["string", "null"]}), "value"),
        (json!({"type": ["string", "integer"]}), "value"),
        (json!({"type": "null"}), "value"),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
            "value",
        ),
        (json!({"allOf": [{"type": "string"}]}), "value"),
        (json!({"not": {"type": "string"}}), "value"),
        (
            json!({"if": {"type": "string"}, "then": {"minLength": 1}}),
            "value",
        ),
        (json!({"const": "a"}), "value"),
        (json!({"enum": ["a", 1]}), "value"),
        (json!({"type": "array"}), "value"),
        (json!({"type": "array", "items": {}}), "value"),
        (
            json!({"type": "array", "items": [{"type": "string"}]}),
            "value",
        ),
        (
            json!({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}),
            "value",
        ),
        (
            json!({"type": "object", "additionalProperties": {"type": "array", "items": {"type": "string"}}}),
            "value",
        ),
        (
            json!({"type": "object", "patternProperties": {"^a": {"type": "string"}}}),
            "value",
        ),
        (
            json!({"type": "object", "properties": {"a": {}}, "oneOf": [{"properties": {"b": {}}}, {"required": ["a"]}]}),
            "value",
        ),
    ] {
        assert_eq!(kind(schema.clone()), expected, "{schema}");
    }
}

#[test]
fn a_schema_that_refers_to_itself_is_a_value_where_it_recurs() {
    let found = of(
        json!({"$ref": "#/definitions/node", "definitions": {"node": {"type": "object", "properties": {
        "name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/definitions/node"}}, "up": {"$ref": "#"}}}}}),
    );
    let kinds: Vec<_> = found
        .inside
        .iter()
        .map(|(name, node)| format!("{name}: {}", node.kind))
        .collect();
    assert_eq!(kinds, ["name: string", "children: value", "up: value"]);
}

#[test]
fn beside_a_reference_newer_drafts_say_more_and_older_ones_nothing() {
    let with = |draft: &str| {
        let found = of(
            json!({"$schema": draft, "type": "object", "properties": {"x": {"$ref": "#/definitions/s", "maxLength": 3}}, "definitions": {"s": {"type": "string"}}}),
        );
        found.inside[0].1.kind.to_string()
    };
    assert_eq!(with("http://json-schema.org/draft-07/schema#"), "string");
    assert_eq!(
        with("https://json-schema.org/draft/2020-12/schema"),
        "value"
    );
}

#[test]
fn a_schema_that_unfolds_without_end_is_cut() {
    // Each level has two references to the next: 2^20 places.
    let mut definitions = Map::new();
    for level in 0..20 {
        let next = format!("#/definitions/d{}", level + 1);
        definitions.insert(
            format!("d{level}"),
            json!({"type": "object", "properties": {"a": {"$ref": next}, "b": {"$ref": next}}}),
        );
    }
    definitions.insert("d20".into(), json!({"type": "string"}));
    let found = of(json!({"$ref": "#/definitions/d0", "definitions": definitions}));
    fn count(inside: &[(String, SketchNode)]) -> usize {
        inside.iter().map(|(_, node)| 1 + count(&node.inside)).sum()
    }
    assert!(found.cut);
    assert!(
        count(&found.inside) <= 2 * FIELDS,
        "{}",
        count(&found.inside)
    );
}

#[test]
fn content_of_which_nothing_is_declared_is_free() {
    assert!(of(json!({"type": "object"})).free);
    assert!(of(json!({"oneOf": [{"type": "object"}, {"type": "string"}]})).free);
    assert!(!of(json!({"properties": {"a": {}}})).free);
}
