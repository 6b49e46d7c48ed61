use super::schema;
use crate::types::{Schema, Visibility};
use serde_json::json;

fn cluster() -> Schema {
    schema(json!({
        "properties": {
            "name": {"type": "string"},
            "status": {"x-vcloud-restricted": "protected", "type": "object", "properties": {
                "phase": {"type": "string"},
                "token": {"x-vcloud-restricted": ["private", "secure"], "type": "string"},
            }},
            "users": {"type": "array", "items": {"properties": {
                "name": {"type": "string"},
                "note": {"x-vcloud-restricted": "private"},
                "password": {"$ref": "#/definitions/secret"},
                "keys": {"$ref": "#/definitions/list", "x-vcloud-restricted": "private"},
            }}},
            "secret": {"x-vcloud-restricted": "secure", "type": "object"},
            "either": {"anyOf": [{"type": "string"}, {"type": "string", "x-vcloud-restricted": "private"}]},
        },
        "definitions": {"secret": {"type": "string", "x-vcloud-restricted": "secure"}, "list": {"type": "array"}}
    }))
}

#[test]
fn a_caller_sees_what_its_class_allows_at_any_depth() {
    let content = json!({
        "name": "a", "status": {"phase": "up", "token": "t"}, "other": 1, "either": "x",
        "users": [{"name": "u", "note": "n", "password": "p", "keys": [1]}, {"name": "v"}],
    });
    let ordinary = cluster().redact(&content, Visibility::Protected);
    assert_eq!(
        ordinary.content,
        json!({"name": "a", "status": {"phase": "up"}, "other": 1, "users": [{"name": "u"}, {"name": "v"}]})
    );
    assert_eq!(
        ordinary.removed,
        ["/status/token", "/either", "/users/0/note", "/users/0/keys"]
    );
    assert_eq!(ordinary.secure, ["/users/0/password"]);

    let full = cluster().redact(&content, Visibility::Private);
    assert_eq!(
        full.content,
        json!({
            "name": "a", "status": {"phase": "up"}, "other": 1, "either": "x", "users": [{"name": "u", "note": "n", "keys": [1]}, {"name": "v"}],
        })
    );
    assert!(full.removed.is_empty());
    assert_eq!(full.secure, ["/status/token", "/users/0/password"]);

    let public = cluster().redact(&content, Visibility::Public);
    assert_eq!(
        public.removed,
        ["/status", "/either", "/users/0/note", "/users/0/keys"]
    );
}

#[test]
fn secure_fields_are_found_in_content_and_in_the_schema() {
    assert_eq!(
        cluster().secure_pointers(&json!({"secret": {"a": 1}, "users": [{"password": 1}]})),
        ["/secret", "/users/0/password"]
    );
    let marked: Vec<_> = cluster()
        .restricted_paths()
        .iter()
        .map(|one| one.path.to_string())
        .collect();
    assert_eq!(
        marked,
        [
            "/status",
            "/status/phase",
            "/status/token",
            "/users/*/note",
            "/users/*/password",
            "/users/*/keys",
            "/secret",
            "/either",
        ]
    );
}

#[test]
fn items_that_stay_keep_their_numbers() {
    let pair = schema(json!({"items": [{"x-vcloud-restricted": "private"}, {}]}));
    let found = pair.redact(&json!(["hidden", "shown"]), Visibility::Public);
    assert_eq!(
        (found.content, found.removed),
        (json!([null, "shown"]), vec!["/0".to_owned()])
    );
    let all = schema(json!({"items": {"x-vcloud-restricted": "private"}}));
    assert_eq!(
        all.redact(&json!([1, 2]), Visibility::Public).content,
        json!([])
    );
}

#[test]
fn what_is_wholly_restricted_or_too_deep_is_not_shown() {
    let all = schema(json!({"x-vcloud-restricted": "private"}));
    assert_eq!(
        all.redact(&json!({"a": 1}), Visibility::Public).content,
        json!({})
    );
    let mut deep = json!("end");
    for _ in 0..1_000 {
        deep = json!([deep]);
    }
    let shown = schema(json!({})).redact(&deep, Visibility::Public);
    assert!(!shown.content.to_string().contains("end"));
    assert_eq!(shown.removed.len(), 1);
}
