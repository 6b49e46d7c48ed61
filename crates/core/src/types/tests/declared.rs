use super::schema;
use crate::types::{PathToken, Visibility};
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
    let properties = json!({"a": {"$ref": "#/definitions/d0"}});
    let schema = schema(json!({"definitions": definitions, "properties": properties}));
    let all = schema.declared_paths();
    assert!(!all.complete);
    assert_eq!(all.paths.len(), crate::types::limits::DECLARED_PATHS);
}

#[test]
fn a_declared_path_says_what_the_schema_says_of_it() {
    let schema = schema(json!({
        "description": "An app.",
        "required": ["kind", "size", "nodes"],
        "properties": {
            "kind": {"$ref": "#/definitions/kind", "description": "Nearest."},
            "size": {"allOf": [{"type": "integer", "default": 2}], "default": 1},
            "note": {"default": null},
            "nodes": {"type": "array", "items": {"required": ["name"], "description": "One.", "properties": {"name": {"const": "n"}}}},
        },
        "definitions": {"kind": {"enum": ["a", "b"], "default": "a", "description": "Far."}}
    }));
    let all = schema.declared_paths();
    assert_eq!(all.whole.description, Some("An app."));
    assert_eq!(all.whole.path.to_string(), "");
    let told: Vec<_> = all
        .paths
        .iter()
        .map(|one| {
            let default = one.default.map(ToString::to_string);
            let values = one.values.map(|values| json!(values).to_string());
            (
                one.path.to_string(),
                one.types.join("|"),
                one.required,
                default.unwrap_or_default(),
                values.unwrap_or_default(),
                one.description.unwrap_or_default(),
            )
        })
        .collect();
    let row = |path: &str, types: &str, required, default: &str, values: &str, words| {
        let owned = str::to_owned;
        let (default, values) = (owned(default), owned(values));
        (owned(path), owned(types), required, default, values, words)
    };
    let any = "null|object|array|string|number|boolean";
    assert_eq!(
        told,
        [
            row(
                "/kind",
                "string",
                true,
                r#""a""#,
                r#"["a","b"]"#,
                "Nearest."
            ),
            row("/size", "integer", true, "1", "", ""),
            row("/note", any, false, "null", "", ""),
            row("/nodes", "array", true, "", "", ""),
            row("/nodes/*", any, false, "", "", "One."),
            row("/nodes/*/name", "string", true, "", r#"["n"]"#, ""),
        ]
    );
}

#[test]
fn what_only_an_alternative_says_is_neither_required_nor_a_default() {
    let schema = schema(json!({"oneOf": [
        {"required": ["a"], "properties": {"a": {"type": "string", "default": "x", "description": "A text."}}},
        {"properties": {"a": {"type": "object", "required": ["b"], "properties": {"b": {"enum": [1, 2]}}}}},
    ]}));
    for one in schema.declared_paths().paths {
        assert!(!one.required, "{}", one.path);
        assert_eq!((one.default, one.description), (None, None), "{}", one.path);
    }
}

#[test]
fn types_are_those_of_the_schema_its_references_and_its_alternatives() {
    for (source, expected) in [
        (json!({"type": ["string", "null"]}), "null|string"),
        (json!({"type": ["integer", "number"]}), "number"),
        (
            json!({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
            "string|integer",
        ),
        (
            json!({"type": "number", "oneOf": [{"type": "integer"}, {"type": "string"}]}),
            "integer",
        ),
        (json!({"enum": ["a", 1, null]}), "null|string|integer"),
        (json!({"enum": [1, 2.5]}), "number"),
        (json!({"const": 2.0}), "integer"),
        (
            json!({"allOf": [{"type": "string"}, {"type": "object"}]}),
            "",
        ),
    ] {
        let schema = schema(json!({"properties": {"a": source}}));
        let all = schema.declared_paths();
        assert_eq!(all.paths[0].types.join("|"), expected, "{source}");
    }
    let tuple = schema(json!({"items": [{"type": "string"}, {"type": "integer"}]}));
    assert_eq!(tuple.declared_paths().paths[0].types, ["string", "integer"]);
    let either = schema(json!({"anyOf": [
        {"properties": {"a": {"type": "string"}}},
        {"properties": {"a": {"type": "object", "properties": {"b": {}}}}},
    ]}));
    assert_eq!(either.declared_paths().paths[0].types, ["object", "string"]);
}

#[test]
fn nothing_is_inside_of_what_is_no_object_and_no_list() {
    let schema = schema(json!({"properties": {
        "text": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        "word": {"enum": ["a", "b"]},
        "maybe": {"anyOf": [{"type": "object"}, {"type": "string"}]},
    }}));
    assert!(!schema.declares("/text/a") && !schema.declares("/word/a"));
    assert!(schema.declares("/maybe/a"));
}

#[test]
fn a_mark_on_the_whole_content_is_a_mark_on_every_field() {
    let schema = schema(json!({
        "x-vcloud-restricted": "private",
        "properties": {"a": {"properties": {"b": {"x-vcloud-restricted": "secure"}}}},
    }));
    let all = schema.declared_paths();
    let marks = [&all.whole, &all.paths[0], &all.paths[1]].map(|one| one.restriction);
    assert!(
        marks
            .iter()
            .all(|mark| mark.visibility == Visibility::Private)
    );
    assert_eq!(marks.map(|mark| mark.secure), [false, false, true]);
    let hidden = schema.redact(&json!({"a": {}}), Visibility::Protected);
    assert_eq!(hidden.removed, [""]);
}

#[test]
fn a_path_of_a_filter_passes_lists_without_a_word() {
    let schema = schema(json!({
        "properties": {
            "name": {"type": "string"},
            "free": {"type": "object"},
            "inner": {"type": "object", "properties": {"a": {"properties": {"x": {"type": "string"}}}}},
            "rows": {"type": "array", "items": {"properties": {"id": {"type": "string"}}, "type": "object"}},
            "grid": {"type": "array", "items": {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}}},
            "bag": {"type": "array"},
        }
    }));
    let leads = |text: &str| {
        let steps = text.split('.').map(|name| match name {
            "*" => PathToken::Every,
            name => PathToken::Key(name.to_owned()),
        });
        schema.leads_to_declared(&steps.collect::<Vec<_>>())
    };
    for yes in [
        "name",
        "free.a.b",
        "rows",
        "rows.id",
        "rows.0.id",
        "rows.*.id",
        "grid.n",
        "grid.0.n",
        "bag.x.y",
        "inner.a.x",
        "inner.*.x",
    ] {
        assert!(leads(yes), "{yes}");
    }
    for no in [
        "other",
        "name.x",
        "rows.other",
        "rows.id.x",
        "inner.x",
        "grid.m",
    ] {
        assert!(!leads(no), "{no}");
    }
    assert_eq!(schema.names_in(&[]).len(), 6);
}
