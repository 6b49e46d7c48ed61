//! What differs between drafts.

use super::Row;
use serde_json::json;

const FOUR: &str = "http://json-schema.org/draft-04/schema#";
const SEVEN: &str = "http://json-schema.org/draft-07/schema#";
const NINETEEN: &str = "https://json-schema.org/draft/2019-09/schema";
const NEWEST: &str = "https://json-schema.org/draft/2020-12/schema";

pub(crate) fn rows() -> Vec<Row> {
    vec![
        (
            "a word beside a reference is not heard in draft 7",
            "yes yes identical proven patch",
            json!({"$schema": SEVEN, "properties": {"a": {"$ref": "#/definitions/p"}}, "definitions": {"p": {"type": "string"}}}),
            json!({"$schema": SEVEN, "properties": {"a": {"$ref": "#/definitions/p", "maxLength": 3}}, "definitions": {"p": {"type": "string"}}}),
        ),
        (
            "a word beside a reference is heard in 2019-09",
            "no yes breaking proven major text-narrowed /a",
            json!({"$schema": NINETEEN, "properties": {"a": {"$ref": "#/$defs/p"}}, "$defs": {"p": {"type": "string"}}}),
            json!({"$schema": NINETEEN, "properties": {"a": {"$ref": "#/$defs/p", "maxLength": 3}}, "$defs": {"p": {"type": "string"}}}),
        ),
        (
            "the same with another draft",
            "yes yes identical proven patch",
            json!({"$schema": SEVEN, "type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}),
            json!({"$schema": NEWEST, "type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}),
        ),
        (
            "a tuple in the words of another draft",
            "yes? yes? - - -",
            json!({"$schema": SEVEN, "properties": {"a": {"items": [{"type": "string"}], "additionalItems": {"type": "integer"}}}}),
            json!({"$schema": NEWEST, "properties": {"a": {"prefixItems": [{"type": "string"}], "items": {"type": "integer"}}}}),
        ),
        (
            "a list of items means nothing in 2020-12 any more, so it is not valid; one schema is the same",
            "yes yes identical proven patch",
            json!({"$schema": SEVEN, "properties": {"a": {"items": {"type": "string"}}}}),
            json!({"$schema": NEWEST, "properties": {"a": {"items": {"type": "string"}}}}),
        ),
        (
            "a format that is only said from 2019-09 on",
            "yes? no? - - -",
            json!({"$schema": SEVEN, "properties": {"a": {"type": "string", "format": "date"}}}),
            json!({"$schema": NINETEEN, "properties": {"a": {"type": "string", "format": "date"}}}),
        ),
        (
            "exclusive bounds as flags",
            "yes yes identical proven patch",
            json!({"$schema": FOUR, "properties": {"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": true}}}),
            json!({"$schema": FOUR, "properties": {"a": {"type": "integer", "minimum": 1}}}),
        ),
        (
            "exclusive bounds as flags say the draft",
            "no yes breaking proven major number-narrowed /a",
            json!({"properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": false}}}),
            json!({"properties": {"a": {"type": "number", "minimum": 0, "exclusiveMinimum": true}}}),
        ),
        (
            "a number without a fraction is no integer in draft 4",
            "no? yes? - - -",
            json!({"$schema": FOUR, "properties": {"a": {"type": "number", "multipleOf": 1}}}),
            json!({"$schema": FOUR, "properties": {"a": {"type": "integer"}}}),
        ),
        (
            "const is only said in draft 4",
            "yes yes identical proven patch",
            json!({"$schema": FOUR, "properties": {"a": {"type": "string"}}}),
            json!({"$schema": FOUR, "properties": {"a": {"type": "string", "const": "x"}}}),
        ),
        (
            "if is only said in draft 4",
            "yes yes identical proven patch",
            json!({"$schema": FOUR, "properties": {"a": {"type": "string"}}}),
            json!({"$schema": FOUR, "properties": {"a": {"type": "string", "if": {}, "then": {"maxLength": 1}}}}),
        ),
        (
            "dependencies in the words of another draft",
            "yes? yes? - - -",
            json!({"$schema": SEVEN, "type": "object", "dependencies": {"a": ["b"]}}),
            json!({"$schema": NEWEST, "type": "object", "dependentRequired": {"a": ["b"]}}),
        ),
        (
            "nothing fits, said in two ways",
            "yes yes - - -",
            json!({"$schema": SEVEN, "properties": {"a": false}}),
            json!({"$schema": SEVEN, "properties": {"a": {"not": {}}}}),
        ),
    ]
}
