use super::schema;
use serde_json::json;

#[test]
fn only_what_is_declared_is_left_at_any_depth() {
    let app = schema(json!({
        "properties": {
            "image": {"type": "string"},
            "labels": {"type": "object"},
            "anything": {},
            "spec": {"type": "object", "properties": {"size": {"type": "integer"}}, "additionalProperties": true},
            "nodes": {"type": "array", "items": {"properties": {"name": {}}}},
            "pair": {"type": "array", "items": [{"type": "string"}]},
            "disks": {"additionalProperties": {"properties": {"size": {}}}},
            "never": false,
        },
        "patternProperties": {"^x-": {"type": "string"}},
    }));
    let content = json!({
        "image": "web", "gpu": 4, "x-note": "n", "never": 1,
        "labels": {"a": {"b": 1}}, "anything": [{"c": 1}],
        "spec": {"size": 1, "limit": 2},
        "nodes": [{"name": "a", "gpu": 1}, {"gpu": 2}],
        "pair": ["a", "b"],
        "disks": {"d": {"size": 1, "cache": true}},
    });
    assert_eq!(
        app.declared_only(&content),
        json!({
            "image": "web", "x-note": "n", "labels": {"a": {"b": 1}}, "anything": [{"c": 1}],
            "spec": {"size": 1}, "nodes": [{"name": "a"}, {}], "pair": ["a"], "disks": {"d": {"size": 1}},
        })
    );
}

#[test]
fn an_object_where_none_is_taken_is_not_declared() {
    let app = schema(
        json!({"properties": {"image": {"type": "string"}, "list": {"items": {"type": "string"}}}}),
    );
    let content = json!({"image": {"registry": "r"}, "list": ["a", {"b": 1}, "c"]});
    assert_eq!(
        app.declared_only(&content),
        json!({"list": ["a", null, "c"]})
    );
}

#[test]
fn what_is_too_deep_is_not_shown() {
    let mut deep = json!("end");
    for _ in 0..300 {
        deep = json!({"a": deep});
    }
    let app = schema(json!({"properties": {"a": {"$ref": "#"}}}));
    assert!(!app.declared_only(&deep).to_string().contains("end"));
}
