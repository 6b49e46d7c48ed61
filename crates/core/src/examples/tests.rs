//! What examples promise, by example.

mod documents;
mod edits;
mod hostile;
mod telling;

use crate::types::Schema;
use serde_json::{Value, json};

fn schema(source: Value) -> Schema {
    Schema::compile(source).unwrap()
}

/// Schemas of many sorts; documents exist for each.
fn many() -> Vec<Value> {
    vec![
        cluster(),
        json!({}),
        json!(true),
        json!({"type": "object"}),
        json!({"type": ["object", "null", "integer"]}),
        json!({"properties": {"a": {}, "b": true, "c": false}, "required": ["a", "z"]}),
        json!({"type": "object", "additionalProperties": {"type": "integer"}, "minProperties": 3, "maxProperties": 4}),
        json!({"type": "object", "patternProperties": {"^x-[a-z]+$": {"type": "boolean"}}, "additionalProperties": false}),
        json!({"type": "object", "propertyNames": {"pattern": "^[a-c]{2}$"}, "minProperties": 1}),
        json!({"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false, "minItems": 1}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "prefixItems": [{"const": 1}], "items": {"type": "string"}, "type": "array"}),
        json!({"type": "array", "items": {"enum": [1, 2, 3, 4]}, "uniqueItems": true, "minItems": 2}),
        json!({"type": "array", "contains": {"const": 7}, "items": {"type": "integer"}}),
        json!({"type": "integer", "minimum": 3, "maximum": 9, "multipleOf": 3}),
        json!({"type": "number", "minimum": 1, "exclusiveMinimum": true, "maximum": 2, "exclusiveMaximum": true}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25}),
        json!({"type": "integer", "minimum": 18_446_744_073_709_551_615_u64}),
        json!({"type": "integer", "maximum": -9_223_372_036_854_775_807_i64}),
        json!({"type": "string", "minLength": 3, "maxLength": 5}),
        json!({"type": "string", "pattern": "^[0-9]{1,5}$", "minLength": 4}),
        json!({"type": "string", "pattern": "^v[0-9]+(\\.[0-9]+){2}$"}),
        json!({"allOf": [{"required": ["a"]}, {"properties": {"a": {"minimum": 5}}}, {"properties": {"a": {"type": "integer"}}}]}),
        json!({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        json!({"oneOf": [
            {"properties": {"kind": {"const": "disk"}, "size": {"type": "integer"}}, "required": ["kind", "size"]},
            {"properties": {"kind": {"const": "net"}, "cidr": {"type": "string"}}, "required": ["kind", "cidr"]},
        ], "type": "object"}),
        json!({"oneOf": [{"type": "integer", "multipleOf": 2}, {"type": "integer", "multipleOf": 3}]}),
        json!({"type": "object", "properties": {"on": {"type": "boolean"}, "port": {"type": "integer"}},
            "if": {"properties": {"on": {"const": true}}, "required": ["on"]}, "then": {"required": ["port"]}, "else": {"maxProperties": 1}}),
        json!({"type": "string", "not": {"enum": ["", "a", "b"]}}),
        json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "dependencies": {"a": ["b"]}}),
        json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "properties": {"a": {"type": "string"}},
            "anyOf": [{"properties": {"b": {"type": "null"}}}], "unevaluatedProperties": false}),
        json!({"definitions": {"tree": {"type": "object", "properties": {"name": {"type": "string"}, "in": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}, "required": ["name"]}}, "$ref": "#/definitions/tree"}),
        json!({"definitions": {"e": {"anyOf": [{"type": "object", "properties": {"not": {"$ref": "#/definitions/e"}}, "required": ["not"], "additionalProperties": false}, {"type": "string"}]}}, "$ref": "#/definitions/e"}),
        json!({"properties": {"t": {"format": "date-time"}, "i": {"format": "ipv4"}, "j": {"format": "ipv6"}, "u": {"format": "uuid"}, "m": {"format": "email"}, "r": {"format": "uri"}, "h": {"format": "hostname"}, "d": {"format": "date"}, "p": {"format": "json-pointer"}}, "required": ["t", "i", "j", "u", "m", "r", "h", "d", "p"]}),
    ]
}

/// Like what users register: open, nested, with a map, a list of objects, references.
fn cluster() -> Value {
    json!({
        "definitions": {"network": {"type": "object", "properties": {"cidrBlocks": {"type": "array", "items": {"type": "string"}}}}},
        "type": "object",
        "required": ["kind", "metadata", "spec"],
        "properties": {
            "kind": {"type": "string", "enum": ["Cluster"], "default": "Cluster"},
            "metadata": {"type": "object", "required": ["name"], "properties": {
                "name": {"type": "string", "pattern": "^[a-z]([-a-z0-9]{0,30}[a-z0-9])?$"},
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "site": {"type": "string", "format": "uri"},
            }},
            "spec": {"type": "object", "required": ["pools"], "properties": {
                "paused": {"type": "boolean"},
                "pools": {"type": "array", "items": {"type": "object", "required": ["name", "count"], "additionalProperties": false, "properties": {
                    "name": {"type": "string"},
                    "count": {"type": "integer", "minimum": 0, "maximum": 100},
                    "size": {"enum": ["small", "large", null]},
                }}},
                "pods": {"$ref": "#/definitions/network"},
                "services": {"$ref": "#/definitions/network"},
                "endpoint": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}, "required": ["host"]}]},
            }},
            "status": {"type": "object", "x-vcloud-restricted": ["protected"], "properties": {"phase": {"type": ["string", "null"]}, "progress": {"type": "number", "minimum": 0, "maximum": 1}}},
        },
    })
}
