//! What arriving at a version does to documents, and what it does not.

use super::{ConversionFit, Pair, object};
use serde_json::json;

fn none() -> serde_json::Value {
    json!([])
}

#[test]
fn the_same_schema_fits_both_ways() {
    let schema = json!({
        "type": "object",
        "definitions": {"node": {"type": "object", "properties": {
            "name": {"type": "string", "pattern": "^[a-z]+$"},
            "children": {"type": "array", "items": {"$ref": "#/definitions/node"}},
        }}},
        "properties": {"root": {"$ref": "#/definitions/node"}, "kind": {"enum": ["a", "b"]}},
        "anyOf": [{"required": ["root"]}, {"required": ["kind"]}],
    });
    Pair::of(schema.clone(), schema, none()).fits();
}

#[test]
fn an_optional_field_more_is_hidden_on_the_way_back() {
    let old = json!({"name": {"type": "string"}});
    let new = json!({"name": {"type": "string"}, "gpu": {"type": "integer"}});
    Pair::open(old.clone(), new.clone(), none()).fits();
    let closed = |properties: &serde_json::Value| json!({"type": "object", "properties": properties, "additionalProperties": false});
    Pair::of(closed(&old), closed(&new), none()).fits();
    Pair::of(object(old.clone()), closed(&new), none()).fits();
    Pair::of(closed(&old), object(new), none()).fits();
}

#[test]
fn a_type_that_changes_without_a_step_breaks_both_ways() {
    let pair = Pair::open(
        json!({"a": {"type": "string"}}),
        json!({"a": {"type": "integer"}}),
        none(),
    );
    pair.breaks_forward(json!({"a": ""}), json!({"a": ""}), "/a");
    pair.breaks_backward(json!({"a": 0}), json!({"a": 0}), "/a");
}

#[test]
fn an_integer_is_a_number_and_a_number_is_no_integer() {
    let pair = Pair::open(
        json!({"a": {"type": "integer"}}),
        json!({"a": {"type": "number"}}),
        none(),
    );
    pair.fits_forward();
    assert!(matches!(pair.backward.fit, ConversionFit::DoesNotFit(_)));
}

#[test]
fn a_new_required_field_needs_a_default() {
    let new = |zone: serde_json::Value| json!({"type": "object", "properties": {"zone": zone}, "required": ["zone"]});
    let old = || object(json!({"name": {}}));
    let pair = Pair::of(old(), new(json!({"type": "string"})), none());
    pair.breaks_forward(json!({}), json!({}), "/zone");
    pair.fits_backward();
    let filled = new(json!({"type": "string", "default": "a"}));
    Pair::of(old(), filled, none()).fits();
    let wrong = new(json!({"type": "string", "default": 5}));
    let pair = Pair::of(old(), wrong, none());
    pair.breaks_forward(json!({}), json!({"zone": 5}), "/zone");
}

#[test]
fn defaults_deep_inside_are_filled_in_too() {
    let spec = |inner: serde_json::Value| {
        let item = json!({"type": "object", "properties": {"size": inner}});
        object(json!({"disks": {"type": "array", "items": item}}))
    };
    let mut new = spec(json!({"type": "integer", "default": 1}));
    new["properties"]["disks"]["items"]["required"] = json!(["size"]);
    Pair::of(spec(json!({"type": "integer"})), new, none()).fits();
}

#[test]
fn a_null_that_counts_as_absent_breaks_where_the_field_is_required() {
    let old = object(json!({"a": {"type": ["string", "null"]}}));
    let new = object(json!({"a": {"type": "string"}}));
    Pair::of(old.clone(), new.clone(), none()).fits();
    let (mut old, mut new) = (old, new);
    old["required"] = json!(["a"]);
    new["required"] = json!(["a"]);
    let pair = Pair::of(old, new, none());
    pair.breaks_forward(json!({"a": null}), json!({"a": null}), "/a");
    pair.fits_backward();
}

#[test]
fn a_null_that_counts_as_absent_breaks_where_fields_are_counted() {
    let of = |kinds: serde_json::Value| json!({"type": "object", "properties": {"a": {"type": kinds}}, "minProperties": 1});
    let pair = Pair::of(of(json!(["string", "null"])), of(json!("string")), none());
    pair.breaks_forward(json!({"a": null}), json!({"a": null}), "");
    pair.fits_backward();
}

#[test]
fn schemas_of_two_drafts_are_compared_where_they_speak_the_same_language() {
    let of = |draft: &str, most: u8| {
        json!({
            "$schema": draft, "type": "object",
            "properties": {"a": {"type": "integer", "maximum": most}, "b": {"type": "string"}},
        })
    };
    let (old, new) = (
        "http://json-schema.org/draft-07/schema#",
        "https://json-schema.org/draft/2020-12/schema",
    );
    let pair = Pair::of(of(old, 1), of(new, 2), none());
    pair.fits_forward();
    pair.breaks_backward(json!({"a": 2}), json!({"a": 2}), "/a");
    let oldest = "http://json-schema.org/draft-04/schema#";
    let pair = Pair::of(of(oldest, 1), of(old, 1), none());
    pair.fits_forward();
    assert!(
        !matches!(pair.backward.fit, ConversionFit::Fits),
        "1.0 is no integer in draft 4"
    );
}

#[test]
fn a_bound_that_is_tightened_breaks_and_one_that_is_loosened_does_not() {
    let of = |least: i64| json!({"n": {"type": "integer", "minimum": least}});
    let pair = Pair::open(of(0), of(1), none());
    pair.breaks_forward(json!({"n": 0}), json!({"n": 0}), "/n");
    pair.fits_backward();
    let of = |pattern: &str| json!({"n": {"type": "string", "pattern": pattern}});
    Pair::open(of("^a+$"), of("^a+$"), none()).fits();
    let pair = Pair::open(of("^[ab]+$"), of("^a+$"), none());
    assert!(
        matches!(pair.forward.fit, ConversionFit::DoesNotFit(_)),
        "{:?}",
        pair.forward.fit
    );
}

#[test]
fn a_difference_in_one_place_leaves_the_rest_proven() {
    let hard = json!({"type": "string", "pattern": "^(a|b)*c{2,5}$", "not": {"const": "cc"}});
    let old = json!({"hard": hard, "n": {"type": "integer", "maximum": 9}});
    let new = json!({"hard": hard, "n": {"type": "integer", "maximum": 10}});
    let pair = Pair::open(old, new, none());
    pair.fits_forward();
    pair.breaks_backward(json!({"n": 10}), json!({"n": 10}), "/n");
}

#[test]
fn an_alternative_more_fits_forward_only() {
    let of = |kinds: serde_json::Value| json!({"a": {"anyOf": kinds}});
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let pair = Pair::open(of(json!([text])), of(json!([text, number])), none());
    pair.fits_forward();
    pair.breaks_backward(json!({"a": 0}), json!({"a": 0}), "/a");
}

#[test]
fn what_is_not_proven_and_not_refuted_is_undecided() {
    let old = json!({"a": {"type": "string", "pattern": "^(a|b)*a(a|b){24}$"}});
    let new = json!({"a": {"type": "string", "pattern": "^(a|b)*(a|c)(a|b){24}$"}});
    let pair = Pair::open(old, new, none());
    let ConversionFit::Undecided(why) = &pair.forward.fit else {
        panic!("{:?}", pair.forward.fit);
    };
    assert!(why.contains("/a"), "{why}");
    assert_eq!(pair.forward.errors().count(), 0);
}

#[test]
fn versions_without_a_parent_have_nothing_to_check() {
    use crate::convert::tests::{file, v, versions};
    let only = versions(vec![file("1.0.0", &json!({}), None)]);
    assert!(only.check_conversion(v("1.0.0")).is_empty());
    assert!(only.check_conversion(v("9.0.0")).is_empty());
}
