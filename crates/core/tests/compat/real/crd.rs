//! Changes of custom resource definitions.

use super::Row;
use serde_json::{Value, json};

/// A spec with one field.
fn spec(field: Value) -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"field": field}}}})
}

pub(crate) fn rows() -> Vec<Row> {
    let quantity = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";
    let condition = |status: Value| {
        json!({"type": "array", "items": {"type": "object", "required": ["type", "status"], "properties": {
            "type": {"type": "string", "maxLength": 316},
            "status": status,
            "lastTransitionTime": {"type": "string", "format": "date-time"},
        }}, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"]})
    };
    vec![
        (
            "an integer becomes int-or-string",
            "yes no additive proven minor",
            spec(json!({"type": "integer", "format": "int32"})),
            spec(
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true}),
            ),
        ),
        (
            "int-or-string as a mark alone says nothing",
            "yes no additive proven minor",
            spec(
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true}),
            ),
            spec(json!({"x-kubernetes-int-or-string": true})),
        ),
        (
            "int-or-string with a pattern for texts",
            "no yes breaking proven major",
            spec(
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "x-kubernetes-int-or-string": true}),
            ),
            spec(
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": quantity, "x-kubernetes-int-or-string": true}),
            ),
        ),
        (
            "a text becomes a quantity",
            "no no - - -",
            spec(json!({"type": "string"})),
            spec(
                json!({"anyOf": [{"type": "integer"}, {"type": "string"}], "pattern": quantity, "x-kubernetes-int-or-string": true}),
            ),
        ),
        (
            "unknown fields are kept: a mark",
            "yes yes identical proven patch",
            spec(json!({"type": "object"})),
            spec(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
        ),
        (
            "an object of unknown fields gets declared ones",
            "no yes additive by_policy minor field-added /spec/field/replicas",
            spec(json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
            spec(json!({"type": "object", "properties": {"replicas": {"type": "integer"}}})),
        ),
        (
            "a rule in CEL is not judged",
            "yes yes identical proven patch",
            spec(json!({"type": "integer"})),
            spec(
                json!({"type": "integer", "x-kubernetes-validations": [{"rule": "self >= oldSelf", "message": "only up"}]}),
            ),
        ),
        (
            "a value more in an enum of conditions",
            "yes no additive proven minor enum-value-added /spec/field/*/status",
            spec(condition(
                json!({"type": "string", "enum": ["True", "False"]}),
            )),
            spec(condition(
                json!({"type": "string", "enum": ["True", "False", "Unknown"]}),
            )),
        ),
        (
            "an enum gone",
            "yes no additive proven minor",
            spec(condition(
                json!({"type": "string", "enum": ["True", "False"]}),
            )),
            spec(condition(json!({"type": "string"}))),
        ),
        (
            "a required field of a status",
            "no yes breaking proven major required-added /status/phase",
            json!({"type": "object", "properties": {"status": {"type": "object", "properties": {"phase": {"type": "string"}}}}}),
            json!({"type": "object", "properties": {"status": {"type": "object", "properties": {"phase": {"type": "string"}}, "required": ["phase"]}}}),
        ),
        (
            "a required field with a default is required all the same",
            "no yes breaking proven major required-added /spec/size",
            json!({"type": "object", "properties": {"spec": {"type": "object"}}}),
            json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 1}}, "required": ["size"]}}}),
        ),
        (
            "a default for a new field",
            "no yes additive by_policy minor field-added /spec/field/replicas",
            spec(json!({"type": "object"})),
            spec(
                json!({"type": "object", "properties": {"replicas": {"type": "integer", "default": 3}}}),
            ),
        ),
        (
            "a default that is another",
            "yes yes breaking by_policy major default-changed /spec/field",
            spec(json!({"type": "string", "default": "RollingUpdate"})),
            spec(json!({"type": "string", "default": "OnDelete"})),
        ),
        (
            "a default gone",
            "yes yes breaking by_policy major default-removed /spec/field",
            spec(json!({"type": "string", "default": "RollingUpdate"})),
            spec(json!({"type": "string"})),
        ),
        (
            "exactly one source",
            "no yes breaking proven major",
            spec(
                json!({"type": "object", "properties": {"secret": {"type": "string"}, "configMap": {"type": "string"}}}),
            ),
            spec(
                json!({"type": "object", "properties": {"secret": {"type": "string"}, "configMap": {"type": "string"}}, "oneOf": [{"required": ["secret"]}, {"required": ["configMap"]}]}),
            ),
        ),
        (
            "one more source, of which exactly one is there",
            "no? no? - - -",
            spec(
                json!({"type": "object", "oneOf": [{"required": ["secret"]}, {"required": ["configMap"]}]}),
            ),
            spec(
                json!({"type": "object", "oneOf": [{"required": ["secret"]}, {"required": ["configMap"]}, {"required": ["file"]}]}),
            ),
        ),
        (
            "labels with shorter values",
            "no yes breaking proven major text-narrowed /spec/field/*",
            spec(json!({"type": "object", "additionalProperties": {"type": "string"}})),
            spec(
                json!({"type": "object", "additionalProperties": {"type": "string", "maxLength": 63}}),
            ),
        ),
        (
            "a list as a set",
            "no yes breaking proven major list-narrowed /spec/field",
            spec(json!({"type": "array", "items": {"type": "string"}})),
            spec(json!({"type": "array", "items": {"type": "string"}, "uniqueItems": true})),
        ),
        (
            "a list as a set by a mark",
            "yes yes identical proven patch",
            spec(json!({"type": "array", "items": {"type": "string"}})),
            spec(
                json!({"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"}),
            ),
        ),
        (
            "ports in their range",
            "no yes breaking proven major number-narrowed /spec/field",
            spec(json!({"type": "integer", "format": "int32"})),
            spec(json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 65535})),
        ),
        (
            "int32 becomes int64, which is only said",
            "yes yes identical proven patch",
            spec(json!({"type": "integer", "format": "int32"})),
            spec(json!({"type": "integer", "format": "int64"})),
        ),
        (
            "a text becomes a list of texts",
            "no no breaking proven major type-narrowed /spec/field",
            spec(json!({"type": "string"})),
            spec(json!({"type": "array", "items": {"type": "string"}})),
        ),
        (
            "names as the cluster wants them",
            "no yes breaking proven major text-narrowed /spec/field",
            spec(json!({"type": "string", "maxLength": 253})),
            spec(
                json!({"type": "string", "maxLength": 253, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"}),
            ),
        ),
    ]
}
