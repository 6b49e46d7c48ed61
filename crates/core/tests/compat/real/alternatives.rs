//! Alternatives, conditions, dependencies, `not` and what nothing describes.

use super::Row;
use serde_json::json;

const NEWEST: &str = "https://json-schema.org/draft/2020-12/schema";

pub(crate) fn rows() -> Vec<Row> {
    vec![
        (
            "one more alternative",
            "yes no additive proven minor",
            json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}),
            json!({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}, {"type": "boolean"}]}}}),
        ),
        (
            "oneOf of one more, told apart by a tag",
            "yes no additive proven minor",
            json!({"properties": {"a": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "s3"}, "bucket": {"type": "string"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "nfs"}, "path": {"type": "string"}}, "required": ["kind"]},
            ]}}}),
            json!({"properties": {"a": {"oneOf": [
                {"type": "object", "properties": {"kind": {"const": "s3"}, "bucket": {"type": "string"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "nfs"}, "path": {"type": "string"}}, "required": ["kind"]},
                {"type": "object", "properties": {"kind": {"const": "tape"}, "label": {"type": "string"}}, "required": ["kind"]},
            ]}}}),
        ),
        (
            "oneOf of one more that takes from another",
            "no? no? - - -",
            json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}}),
            json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "string"}, {"minimum": 5, "type": "number"}]}}}),
        ),
        (
            "oneOf as anyOf where types tell them apart",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "string"}]}}}),
            json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "string"}]}}}),
        ),
        (
            "oneOf as anyOf where both may hold",
            "yes no additive proven minor",
            json!({"properties": {"a": {"oneOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]}}}),
            json!({"properties": {"a": {"anyOf": [{"type": "integer"}, {"type": "number", "minimum": 5}]}}}),
        ),
        (
            "one of two required",
            "no yes breaking proven major",
            json!({"type": "object", "properties": {"ip": {"type": "string"}, "host": {"type": "string"}}}),
            json!({"type": "object", "properties": {"ip": {"type": "string"}, "host": {"type": "string"}}, "oneOf": [{"required": ["ip"]}, {"required": ["host"]}]}),
        ),
        (
            "at least one of two instead of one",
            "yes no additive proven minor",
            json!({"type": "object", "oneOf": [{"required": ["ip"]}, {"required": ["host"]}]}),
            json!({"type": "object", "anyOf": [{"required": ["ip"]}, {"required": ["host"]}]}),
        ),
        (
            "a condition new",
            "no yes breaking proven major",
            json!({"type": "object", "properties": {"mode": {"enum": ["on", "off"]}, "level": {"type": "integer"}}}),
            json!({"type": "object", "properties": {"mode": {"enum": ["on", "off"]}, "level": {"type": "integer"}},
                "if": {"properties": {"mode": {"const": "on"}}, "required": ["mode"]}, "then": {"required": ["level"]}}),
        ),
        (
            "a condition in other words",
            "yes? yes? - - -",
            json!({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}),
            json!({"type": "object", "anyOf": [{"not": {"required": ["a"]}}, {"required": ["b"]}]}),
        ),
        (
            "then and else that say the same",
            "yes? yes? - - -",
            json!({"properties": {"a": {"if": {"minimum": 3}, "then": {"type": "integer"}, "else": {"type": "integer"}}}}),
            json!({"properties": {"a": {"type": "integer"}}}),
        ),
        (
            "a dependency as a condition",
            "yes? yes? - - -",
            json!({"type": "object", "dependencies": {"a": ["b"]}}),
            json!({"type": "object", "if": {"required": ["a"]}, "then": {"required": ["b"]}}),
        ),
        (
            "dependentRequired gone",
            "yes no additive proven minor condition-widened",
            json!({"$schema": NEWEST, "type": "object", "dependentRequired": {"a": ["b"]}}),
            json!({"$schema": NEWEST, "type": "object"}),
        ),
        (
            "dependentRequired of something that is required anyway",
            "yes yes? - - -",
            json!({"$schema": NEWEST, "type": "object", "required": ["b"]}),
            json!({"$schema": NEWEST, "type": "object", "required": ["b"], "dependentRequired": {"a": ["b"]}}),
        ),
        (
            "more is excluded",
            "no yes breaking proven major",
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"properties": {"a": {"type": "string", "not": {"enum": ["root"]}}}}),
        ),
        (
            "not twice",
            "yes? yes? - - -",
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"properties": {"a": {"not": {"not": {"type": "string"}}}}}),
        ),
        (
            "what nothing describes is refused",
            "no yes breaking proven major",
            json!({"$schema": NEWEST, "type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}], "properties": {"b": {"type": "string"}}}),
            json!({"$schema": NEWEST, "type": "object", "allOf": [{"properties": {"a": {"type": "string"}}}], "properties": {"b": {"type": "string"}}, "unevaluatedProperties": false}),
        ),
        (
            "unevaluatedProperties or additionalProperties of one object",
            "yes? yes? - - -",
            json!({"$schema": NEWEST, "type": "object", "properties": {"b": {"type": "string"}}, "unevaluatedProperties": false}),
            json!({"$schema": NEWEST, "type": "object", "properties": {"b": {"type": "string"}}, "additionalProperties": false}),
        ),
        (
            "an object split into allOf",
            "yes yes identical proven patch",
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a", "b"]}),
            json!({"allOf": [{"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}, {"properties": {"b": {"type": "integer"}}, "required": ["b"]}]}),
        ),
    ]
}
