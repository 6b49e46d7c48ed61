//! Properties: new ones, required ones, other ones, and how many.

use super::Row;
use serde_json::json;

pub(crate) fn rows() -> Vec<Row> {
    vec![
        (
            "an optional property in an open object",
            "no yes additive by_policy minor field-added /b",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}),
        ),
        (
            "an optional property of any value in an open object",
            "yes yes additive proven minor field-added /b",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {}}}),
        ),
        (
            "an optional property in a closed object",
            "yes no additive proven minor field-added /b",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "additionalProperties": false}),
        ),
        (
            "an optional property where others have its schema",
            "yes yes - - -",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            "an optional property where others have a narrower schema",
            "yes no additive proven minor",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            "an optional property where others have another schema",
            "no no - - -",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "additionalProperties": {"type": "integer"}}),
        ),
        (
            "a required property",
            "no yes breaking proven major required-added /b",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["b"]}),
        ),
        (
            "a property of an open object gone",
            "yes no breaking by_policy major field-removed /b",
            json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {}}}),
        ),
        (
            "a property of a closed object gone",
            "no yes breaking proven major field-removed /b",
            json!({"type": "object", "properties": {"a": {}, "b": {"type": "string"}}, "additionalProperties": false}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
        ),
        (
            "an object closed",
            "no yes breaking proven major object-closed /*",
            json!({"type": "object", "properties": {"a": {}}}),
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
        ),
        (
            "an object opened",
            "yes no additive proven minor object-opened /*",
            json!({"type": "object", "properties": {"a": {}}, "additionalProperties": false}),
            json!({"type": "object", "properties": {"a": {}}}),
        ),
        (
            "minProperties that required properties keep anyway",
            "yes yes identical proven patch",
            json!({"type": "object", "required": ["a", "b"]}),
            json!({"type": "object", "required": ["a", "b"], "minProperties": 2}),
        ),
        (
            "minProperties 1 instead of a required property",
            "yes no additive proven minor",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "minProperties": 1}),
        ),
        (
            "minProperties 1 and the only property of a closed object required",
            "yes? yes identical proven patch",
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false, "minProperties": 1}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": false, "required": ["a"]}),
        ),
        (
            "a pattern of names that overlaps a property",
            "no yes breaking proven major",
            json!({"type": "object", "properties": {"port_a": {"type": "integer"}}}),
            json!({"type": "object", "properties": {"port_a": {"type": "integer"}}, "patternProperties": {"^port_": {"minimum": 1}}}),
        ),
        (
            "two patterns of names that overlap",
            "yes? no? - - -",
            json!({"patternProperties": {"^a": {"type": "integer"}, "b$": {"minimum": 0}}}),
            json!({"patternProperties": {"^a": {"type": "integer"}, "^a.*b$": {"minimum": 0}}}),
        ),
        (
            "names in lower case",
            "no yes breaking proven major",
            json!({"type": "object", "additionalProperties": {"type": "string"}}),
            json!({"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"pattern": "^[a-z]+$"}}),
        ),
        (
            "names by propertyNames or by a closed pattern",
            "yes? yes? - - -",
            json!({"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"pattern": "^[a-z]+$"}}),
            json!({"type": "object", "patternProperties": {"^[a-z]+$": {"type": "string"}}, "additionalProperties": false}),
        ),
        (
            "longer names",
            "yes no additive proven minor",
            json!({"type": "object", "propertyNames": {"maxLength": 3}}),
            json!({"type": "object", "propertyNames": {"maxLength": 4}}),
        ),
        (
            "a recursive schema with one field more, closed",
            "yes no additive proven minor",
            json!({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/definitions/n"}}}, "additionalProperties": false}}}),
            json!({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object", "properties": {"c": {"type": "array", "items": {"$ref": "#/definitions/n"}}, "v": {"type": "integer"}}, "additionalProperties": false}}}),
        ),
        (
            "a recursive schema that is narrower at every depth",
            "no yes breaking proven major",
            json!({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object", "properties": {"v": {"type": "integer"}, "next": {"$ref": "#/definitions/n"}}}}}),
            json!({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object", "properties": {"v": {"type": "integer", "minimum": 0}, "next": {"$ref": "#/definitions/n"}}}}}),
        ),
        (
            "a recursive schema unrolled once",
            "yes yes identical proven patch",
            json!({"$ref": "#/definitions/n", "definitions": {"n": {"type": "object", "properties": {"next": {"$ref": "#/definitions/n"}}, "additionalProperties": false}}}),
            json!({"type": "object", "properties": {"next": {"$ref": "#/definitions/n"}}, "additionalProperties": false, "definitions": {"n": {"type": "object", "properties": {"next": {"$ref": "#/definitions/n"}}, "additionalProperties": false}}}),
        ),
    ]
}
