//! Numbers, texts, lists, nulls and listed values.

use super::Row;
use serde_json::json;

pub(crate) fn rows() -> Vec<Row> {
    vec![
        (
            "null allowed",
            "yes no additive proven minor type-widened /a",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
        ),
        (
            "null refused",
            "no yes breaking proven major type-narrowed /a",
            json!({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}),
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
        ),
        (
            "nullable is only said",
            "yes yes identical proven patch",
            json!({"type": "object", "properties": {"a": {"type": "string"}}}),
            json!({"type": "object", "properties": {"a": {"type": "string", "nullable": true}}}),
        ),
        (
            "null by anyOf or by a list of types",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"type": ["string", "null"], "maxLength": 5}}}),
            json!({"properties": {"a": {"anyOf": [{"type": "string", "maxLength": 5}, {"type": "null"}]}}}),
        ),
        (
            "null in a list of values of one type fits nothing",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"type": "string", "enum": ["x"]}}}),
            json!({"properties": {"a": {"type": "string", "enum": ["x", null]}}}),
        ),
        (
            "an integer becomes a number",
            "yes no additive proven minor",
            json!({"properties": {"a": {"type": "integer"}}}),
            json!({"properties": {"a": {"type": "number"}}}),
        ),
        (
            "an integer is a number that is a multiple of one",
            "yes yes? - - -",
            json!({"properties": {"a": {"type": "integer"}}}),
            json!({"properties": {"a": {"type": "number", "multipleOf": 1}}}),
        ),
        (
            "bounds of whole numbers, with and without the bound",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"type": "integer", "minimum": 1, "maximum": 9}}}),
            json!({"properties": {"a": {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 10}}}),
        ),
        (
            "the bound itself of any number",
            "no yes breaking proven major number-narrowed /a",
            json!({"properties": {"a": {"type": "number", "minimum": 1}}}),
            json!({"properties": {"a": {"type": "number", "exclusiveMinimum": 1}}}),
        ),
        (
            "multiples",
            "yes no additive proven minor number-widened /a",
            json!({"properties": {"a": {"type": "integer", "multipleOf": 6}}}),
            json!({"properties": {"a": {"type": "integer", "multipleOf": 3}}}),
        ),
        (
            "multiples that have nothing to do with each other",
            "no no breaking proven major number-narrowed /a",
            json!({"properties": {"a": {"type": "integer", "multipleOf": 4}}}),
            json!({"properties": {"a": {"type": "integer", "multipleOf": 6}}}),
        ),
        (
            "a value of a list removed",
            "no yes breaking proven major enum-value-removed /a",
            json!({"properties": {"a": {"enum": ["x", "y"]}}}),
            json!({"properties": {"a": {"enum": ["x"]}}}),
        ),
        (
            "values become a type",
            "yes no additive proven minor",
            json!({"properties": {"a": {"enum": ["x", "y"]}}}),
            json!({"properties": {"a": {"type": "string"}}}),
        ),
        (
            "both flags are all flags",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"enum": [true, false]}}}),
            json!({"properties": {"a": {"type": "boolean"}}}),
        ),
        (
            "one number in two ways of writing",
            "yes yes identical proven patch",
            json!({"properties": {"a": {"enum": [1, 2]}}}),
            json!({"properties": {"a": {"enum": [2.0, 1.0]}}}),
        ),
        (
            "values that fit a pattern",
            "yes yes? - - -",
            json!({"properties": {"a": {"enum": ["aa", "ab"]}}}),
            json!({"properties": {"a": {"type": "string", "pattern": "^a[ab]$", "maxLength": 2}}}),
        ),
        (
            "a length said by a pattern",
            "yes? yes? - - -",
            json!({"properties": {"a": {"type": "string", "minLength": 1}}}),
            json!({"properties": {"a": {"type": "string", "pattern": "^[\\s\\S]"}}}),
        ),
        (
            "a tuple with one more optional item, closed",
            "yes no additive proven minor",
            json!({"properties": {"a": {"type": "array", "items": [{"type": "string"}], "additionalItems": false}}}),
            json!({"properties": {"a": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}], "additionalItems": false}}}),
        ),
        (
            "a tuple with one more item, open",
            "no yes breaking proven major",
            json!({"properties": {"a": {"type": "array", "items": [{"type": "string"}]}}}),
            json!({"properties": {"a": {"type": "array", "items": [{"type": "string"}, {"type": "integer"}]}}}),
        ),
        (
            "a list becomes a tuple",
            "no? yes breaking proven major",
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
            json!({"properties": {"a": {"type": "array", "items": [{"type": "string"}, {"type": "string"}], "additionalItems": false}}}),
        ),
        (
            "unique items of a list that has one at most",
            "yes yes? - - -",
            json!({"properties": {"a": {"type": "array", "maxItems": 1}}}),
            json!({"properties": {"a": {"type": "array", "maxItems": 1, "uniqueItems": true}}}),
        ),
        (
            "a list must contain something",
            "no yes breaking proven major contains-narrowed /a",
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}}}}),
            json!({"properties": {"a": {"type": "array", "items": {"type": "string"}, "contains": {"const": "x"}}}}),
        ),
        (
            "a format new in a draft that judges by it",
            "no yes breaking proven major text-narrowed /a",
            json!({"properties": {"a": {"type": "string"}}}),
            json!({"properties": {"a": {"type": "string", "format": "date"}}}),
        ),
    ]
}
