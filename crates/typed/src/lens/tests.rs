use super::*;
use crate::testing::layout;
use serde_json::json;

fn lens() -> Lens {
    Lens::of(&layout(json!({"type": "object", "properties": {
        "name": {"type": "string"}, "size": {"type": "integer"}, "ratio": {"type": "number"}, "on": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        "free": {"type": "object"}, "any": {}, "1st": {"type": "string"},
        "net": {"type": "object", "properties": {"cidr": {"type": "string"}, "ports": {"type": "array", "items": {"type": "integer"}}}},
        "nodes": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "cpu": {"type": "integer"}}}},
        "by": {"type": "object", "additionalProperties": {"type": "object", "properties": {"x": {"type": "integer"}}}},
    }})))
}

fn put(stored: Value, told: Value) -> Value {
    let new = lens().put(Some(&stored), &told).unwrap();
    // The order of fields counts too.
    serde_json::from_str(&new.to_string()).unwrap()
}

/// What is stored, what the message says instead of what it said, what is stored then.
#[test]
fn a_message_changes_what_it_can_say_and_nothing_else() {
    for (what, stored, told, expected) in [
        (
            "undeclared fields stay",
            json!({"new": 1, "name": "a"}),
            json!({"name": "b"}),
            json!({"new": 1, "name": "b"}),
        ),
        (
            "what is left out is deleted",
            json!({"name": "a", "size": 1}),
            json!({"size": 1}),
            json!({"size": 1}),
        ),
        (
            "zeros are values",
            json!({"size": 1, "name": "a", "on": true}),
            json!({"size": 0, "name": "", "on": false}),
            json!({"size": 0, "name": "", "on": false}),
        ),
        (
            "a null stays",
            json!({"name": null, "size": 1}),
            json!({"size": 2}),
            json!({"name": null, "size": 2}),
        ),
        (
            "a null is replaced",
            json!({"name": null}),
            json!({"name": "a"}),
            json!({"name": "a"}),
        ),
        (
            "a null that can be said",
            json!({"any": null}),
            json!({"any": null}),
            json!({"any": null}),
        ),
        (
            "a null that can be deleted",
            json!({"any": null}),
            json!({}),
            json!({}),
        ),
        (
            "too large an integer stays",
            json!({"size": u64::MAX}),
            json!({}),
            json!({"size": u64::MAX}),
        ),
        (
            "a number in its stored form",
            json!({"size": 1.0, "ratio": 1}),
            json!({"size": 1, "ratio": 1.0}),
            json!({"size": 1.0, "ratio": 1}),
        ),
        (
            "an empty list stays empty",
            json!({"tags": []}),
            json!({}),
            json!({"tags": []}),
        ),
        (
            "an absent list stays absent",
            json!({}),
            json!({}),
            json!({}),
        ),
        (
            "a list is emptied",
            json!({"tags": ["a"]}),
            json!({}),
            json!({"tags": []}),
        ),
        (
            "an empty map stays empty",
            json!({"labels": {}}),
            json!({}),
            json!({"labels": {}}),
        ),
        (
            "a list with a null stays",
            json!({"tags": ["a", null]}),
            json!({}),
            json!({"tags": ["a", null]}),
        ),
        (
            "a map's null stays",
            json!({"labels": {"a": null, "b": "c"}}),
            json!({}),
            json!({"labels": {"a": null}}),
        ),
        (
            "a map's entry by key",
            json!({"labels": {"a": null, "b": "c"}}),
            json!({"labels": {"b": "d", "e": "f"}}),
            json!({"labels": {"a": null, "b": "d", "e": "f"}}),
        ),
        (
            "entries keep what they can't say",
            json!({"by": {"k": {"x": 1, "y": 2}}}),
            json!({"by": {"k": {"x": 3}}}),
            json!({"by": {"k": {"x": 3, "y": 2}}}),
        ),
        (
            "a message inside keeps too",
            json!({"net": {"cidr": "a", "mtu": 1, "ports": []}}),
            json!({"net": {"cidr": "b"}}),
            json!({"net": {"cidr": "b", "mtu": 1, "ports": []}}),
        ),
        (
            "a message inside is deleted",
            json!({"net": {"cidr": "a"}}),
            json!({}),
            json!({}),
        ),
        (
            "another type stays",
            json!({"net": "a", "name": 5}),
            json!({}),
            json!({"net": "a", "name": 5}),
        ),
        (
            "free objects",
            json!({"free": {"b": 1, "a": 2}}),
            json!({"free": {"a": 2.0, "b": 1.0, "c": null}}),
            json!({"free": {"b": 1, "a": 2, "c": null}}),
        ),
        (
            "free objects that can't be said",
            json!({"free": {"a": u64::MAX}}),
            json!({}),
            json!({"free": {"a": u64::MAX}}),
        ),
        (
            "what is in extra",
            json!({"1st": "a"}),
            json!({"1st": "b"}),
            json!({"1st": "b"}),
        ),
        (
            "extra's is deleted",
            json!({"1st": "a"}),
            json!({}),
            json!({}),
        ),
        (
            "items move with what they can't say",
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "b", "x": 2}]}),
            json!({"nodes": [{"name": "b"}, {"name": "a"}]}),
            json!({"nodes": [{"name": "b", "x": 2}, {"name": "a", "x": 1}]}),
        ),
        (
            "an item is deleted",
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "b"}]}),
            json!({"nodes": [{"name": "b"}]}),
            json!({"nodes": [{"name": "b"}]}),
        ),
        (
            "an item is added",
            json!({"nodes": [{"name": "a", "x": 1}]}),
            json!({"nodes": [{"name": "c"}, {"name": "a"}]}),
            json!({"nodes": [{"name": "c"}, {"name": "a", "x": 1}]}),
        ),
        (
            "an item that says all is changed",
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "b"}]}),
            json!({"nodes": [{"name": "a"}, {"name": "c"}]}),
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "c"}]}),
        ),
    ] {
        assert_eq!(
            put(stored, told).to_string(),
            expected.to_string(),
            "{what}"
        );
    }
}

#[test]
fn what_an_item_cant_say_is_never_given_to_another() {
    for (what, stored, told) in [
        (
            "the item with something unsaid is changed",
            json!({"nodes": [{"name": "a", "x": 1}]}),
            json!({"nodes": [{"name": "b"}]}),
        ),
        (
            "an empty list in it is unsaid too",
            json!({"nodes": [{"name": "a", "cpu": null}]}),
            json!({"nodes": [{"name": "b"}]}),
        ),
        (
            "one of two that say the same goes",
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]}),
            json!({"nodes": [{"name": "a"}]}),
        ),
        (
            "one more that says the same",
            json!({"nodes": [{"name": "a", "x": 1}, {"name": "a", "x": 2}]}),
            json!({"nodes": [{"name": "a"}, {"name": "a"}, {"name": "a"}]}),
        ),
        (
            "a list that was not shown",
            json!({"tags": ["a", null]}),
            json!({"tags": ["b"]}),
        ),
        (
            "a list of items that was not shown",
            json!({"nodes": [null]}),
            json!({"nodes": [{"name": "a"}]}),
        ),
    ] {
        let refused = lens().put(Some(&stored), &told).unwrap_err();
        assert_eq!(
            coeval_codes::Coded::code(&refused),
            coeval_codes::TYPED_ITEM_UNMATCHED,
            "{what}"
        );
    }
}

#[test]
fn content_that_is_no_object_is_not_said_and_stays() {
    assert_eq!(lens().told(&json!([1])), json!({}));
    assert_eq!(lens().put(Some(&json!([1])), &json!({})), Ok(json!([1])));
    assert_eq!(
        lens().put(None, &json!({"size": 1})),
        Ok(json!({"size": 1}))
    );
}

#[test]
fn what_goes_with_something_deleted_is_told() {
    let stored = json!({"net": {"cidr": "a", "mtu": 1}, "nodes": [{"name": "a"}, {"name": "b", "x": 1}], "by": {"k": {"y": 1}, "l": {"x": 1}}, "name": "a"});
    let mut dropped = Vec::new();
    let new = lens().put_telling(
        Some(&stored),
        &json!({"nodes": [{"name": "a"}]}),
        &mut dropped,
    );
    assert_eq!(new, Ok(json!({"nodes": [{"name": "a"}], "by": {}})));
    assert_eq!(dropped, ["/net", "/nodes/1", "/by/k"]);
}
