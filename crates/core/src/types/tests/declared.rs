use super::schema;
use serde_json::json;

#[test]
fn a_schema_declares_what_it_speaks_of_and_nothing_else() {
    let schema = schema(json!({
        "additionalProperties": true,
        "properties": {
            "name": {"type": "string"},
            "free": {"type": "object"},
            "anything": {},
            "open": {"type": "object", "additionalProperties": true, "properties": {"a": {"type": "string"}}},
            "empty": {"type": "object", "additionalProperties": false},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
            "nodes": {"type": "array", "items": {"$ref": "#/definitions/node"}},
            "pair": {"type": "array", "items": [{"properties": {"x": {"type": "string"}}}, {"type": "string"}], "additionalItems": false},
            "list": {"type": "array"},
            "choice": {"oneOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {"type": "string"}}}]},
            "needs": {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
        },
        "patternProperties": {"^x-": {"type": "object", "properties": {"a": {"type": "string"}}}},
        "definitions": {"node": {"properties": {"gpu": {"type": "string"}, "child": {"$ref": "#/definitions/node"}}}}
    }));
    for yes in [
        "",
        "/name",
        "/free",
        "/free/x/y",
        "/anything/x",
        "/open/a",
        "/empty",
        "/labels/x",
        "/nodes/0/gpu",
        "/nodes/-/gpu",
        "/nodes/3/child/child/gpu",
        "/pair/0/x",
        "/list/0/x",
        "/choice/a",
        "/choice/b",
        "/needs/a",
        "/needs/z",
        "/x-1/a",
    ] {
        assert!(schema.declares(yes), "{yes}");
    }
    for no in [
        "/other",
        "/other/x",
        "/name/x",
        "/open/b",
        "/empty/x",
        "/labels/x/y",
        "/nodes/x",
        "/nodes/0/other",
        "/nodes/01/gpu",
        "/pair/2",
        "/pair/0/y",
        "/choice/c",
        "/x-1/b",
        "/x",
        "name",
        "/a~2",
    ] {
        assert!(!schema.declares(no), "{no}");
    }
    assert!(super::schema(json!({})).declares("/anything/at/all"));
    assert!(super::schema(json!({"type": "object", "additionalProperties": true})).declares("/a"));
    assert!(!super::schema(json!(false)).declares("/a"));
}

#[test]
fn all_declared_paths_are_walked_once_also_through_recursion() {
    let schema = schema(json!({
        "properties": {
            "name": {"type": "string"},
            "tree": {"$ref": "#/definitions/tree"},
            "labels": {"type": "object", "additionalProperties": {"type": ["string", "null"]}},
        },
        "definitions": {"tree": {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#/definitions/tree"}}}}}
    }));
    let all = schema.declared_paths();
    let told: Vec<_> = all
        .paths
        .iter()
        .map(|one| {
            let repeats = if one.repeats { " again" } else { "" };
            format!("{} {}{repeats}", one.path, one.types.join("|"))
        })
        .collect();
    assert_eq!(
        told,
        [
            "/name string",
            "/tree object",
            "/tree/children array",
            "/tree/children/* object",
            "/tree/children/*/children array again",
            "/labels object",
            "/labels/* null|string",
        ]
    );
    assert!(all.complete);
}

#[test]
fn a_walk_that_would_not_end_is_cut_and_says_so() {
    let names: Vec<_> = (0..40).map(|n| format!("p{n}")).collect();
    let mut definitions = serde_json::Map::new();
    for level in 0..4 {
        let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
        let properties: serde_json::Map<_, _> = names
            .iter()
            .map(|name| (name.clone(), next.clone()))
            .collect();
        definitions.insert(format!("d{level}"), json!({"properties": properties}));
    }
    definitions.insert("d4".to_owned(), json!({"type": "string"}));
    let all = schema(
        json!({"definitions": definitions, "properties": {"a": {"$ref": "#/definitions/d0"}}}),
    )
    .declared_paths();
    assert!(!all.complete);
    assert_eq!(all.paths.len(), crate::types::limits::DECLARED_PATHS);
}
