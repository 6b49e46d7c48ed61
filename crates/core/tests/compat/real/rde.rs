//! Changes of defined entity types: open objects nearly everywhere, and words for who may see what.

use super::Row;
use serde_json::json;

pub(crate) fn rows() -> Vec<Row> {
    vec![
        (
            "another default of the payload's version",
            "yes yes breaking by_policy major default-changed /apiVersion",
            json!({"type": "object", "properties": {"apiVersion": {"type": "string", "default": "example/v1.1"}}, "required": ["apiVersion"]}),
            json!({"type": "object", "properties": {"apiVersion": {"type": "string", "default": "example/v1.0"}}, "required": ["apiVersion"]}),
        ),
        (
            "a default for a field that was there",
            "yes yes additive by_policy minor default-added /kind",
            json!({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}),
            json!({"type": "object", "properties": {"kind": {"type": "string", "title": "Kind", "default": "Cluster"}}, "required": ["kind"]}),
        ),
        (
            "required fields in another order, with titles",
            "yes yes identical proven patch",
            json!({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind", "spec", "metadata"]}),
            json!({"type": "object", "properties": {"kind": {"type": "string", "title": "Kind"}}, "required": ["kind", "metadata", "spec"]}),
        ),
        (
            "a whole part that only some may see, new in an open object",
            "no yes additive by_policy minor field-added /spec/projector",
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"yaml": {"type": "string"}}}}}),
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"yaml": {"type": "string"}, "projector": {
                "type": "object", "x-vcloud-restricted": "private", "properties": {"operations": {"type": "array", "items": {
                    "type": "object", "required": ["verb"], "properties": {"verb": {"type": "string", "enum": ["apply", "create"]}}}}}}}}}}),
        ),
        (
            "a restriction is not judged",
            "yes yes identical proven patch",
            json!({"type": "object", "properties": {"status": {"type": "object"}}}),
            json!({"type": "object", "properties": {"status": {"type": "object", "x-vcloud-restricted": "protected"}}}),
        ),
        (
            "a definition renamed",
            "yes yes identical proven patch",
            json!({"properties": {"net": {"$ref": "#/definitions/network"}}, "definitions": {"network": {"type": "object", "properties": {"pods": {"type": "array", "items": {"type": "string"}}}}}}),
            json!({"properties": {"net": {"$ref": "#/definitions/k8sNetwork"}}, "definitions": {"k8sNetwork": {"type": "object", "properties": {"pods": {"type": "array", "items": {"type": "string"}}}}}}),
        ),
        (
            "a part replaced by another",
            "no no breaking by_policy major field-removed /spec/topology",
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"topology": {"type": "object", "properties": {"workers": {"type": "array"}}}}}}}),
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"capiYaml": {"type": "string"}}}}}),
        ),
        (
            "properties by mistake directly under items say nothing",
            "yes? yes? - - -",
            json!({"properties": {"workers": {"type": "array", "items": {"count": {"type": "integer", "maximum": 100}}}}}),
            json!({"properties": {"workers": {"type": "array", "items": {"count": {"type": "integer", "maximum": 200}}}}}),
        ),
        (
            "a text that may also be an object",
            "yes no additive proven minor",
            json!({"properties": {"values": {"type": "array", "items": {"type": "string"}}}}),
            json!({"properties": {"values": {"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "object"}]}}}}),
        ),
        (
            "a required part of a status that was free",
            "no yes breaking proven major required-added /status/version",
            json!({"properties": {"status": {"type": "object", "properties": {"version": {"type": "string"}}, "additionalProperties": true}}}),
            json!({"properties": {"status": {"type": "object", "properties": {"version": {"type": "string"}}, "required": ["version"], "additionalProperties": true}}}),
        ),
        (
            "at least one more in a sequence of numbers",
            "no yes breaking proven major number-narrowed /sequence",
            json!({"properties": {"sequence": {"type": "integer", "minimum": 0}}}),
            json!({"properties": {"sequence": {"type": "integer", "minimum": 1}}}),
        ),
    ]
}
