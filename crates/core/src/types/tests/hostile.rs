//! Inputs made to hurt: they are refused, quickly, and nothing overflows.

use super::schema;
use crate::types::{Schema, TypeVersion, Visibility, same};
use coeval_codes::Coded;
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::mem::ManuallyDrop;

fn code(text: &str) -> u16 {
    TypeVersion::parse(text).unwrap_err().code().number()
}

#[test]
fn a_billion_laughs_are_not_laughed() {
    let mut text = "a: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for n in 1..12 {
        let again = vec![format!("*a{}", n - 1); 10].join(", ");
        text.push_str(&format!("b{n}: &a{n} [{again}]\n"));
    }
    assert_eq!(code(&text), 2004);
}

#[test]
fn aliases_that_nest_or_bite_their_tail_are_refused() {
    let mut text = "a: &a0 [x]\n".to_owned();
    for n in 1..120 {
        text.push_str(&format!("b{n}: &a{n} [*a{}]\n", n - 1));
    }
    assert_eq!(code(&text), 2003);
    assert_eq!(code("a: &a [*a]\n"), 2005);
    assert_eq!(code("a: *nobody\n"), 2001);
}

#[test]
fn depth_and_size_of_files_are_limited() {
    for text in [
        "[".repeat(100_000),
        "- ".repeat(100_000),
        "{\"a\":".repeat(50_000),
        "a: {".repeat(50_000),
        "? ".repeat(100_000),
    ] {
        let found = code(&text);
        assert!([2001, 2003, 2005].contains(&found), "{found}");
    }
    assert_eq!(code(&"[".repeat(200)), 2003);
    assert_eq!(code(&"x".repeat(300_000)), 2002);
    assert_eq!(code(&format!("[{}]", "1,".repeat(60_000))), 2004);
    assert_eq!(
        code(&format!("{{\"a\": [{}1]}}", "1,".repeat(60_000))),
        2004
    );
}

#[test]
fn a_document_of_10_000_levels_harms_no_walk() {
    let schema = schema(json!({
        "properties": {"a": {"$ref": "#"}}, "items": {"$ref": "#"}, "required": ["b"], "additionalProperties": false,
    }));
    for object in [true, false] {
        let deep = || {
            let mut deep = json!(null);
            for _ in 0..10_000 {
                deep = if object {
                    Value::Object(Map::from_iter([("a".to_owned(), deep)]))
                } else {
                    Value::Array(vec![deep])
                };
            }
            // Dropping such a value would be the library's own recursion.
            ManuallyDrop::new(deep)
        };
        assert!(schema.validate(&deep()).is_err());
        assert!(matches!(schema.without_absent(&deep()), Cow::Borrowed(_)));
        let pruned = schema.prune(ManuallyDrop::into_inner(deep()));
        std::mem::forget(pruned);
        let filled = schema.fill_defaults(ManuallyDrop::into_inner(deep()));
        std::mem::forget(filled);
        let shown = schema.redact(&deep(), Visibility::Public);
        assert_eq!(shown.removed.len(), 1);
        assert!(same(&deep(), &deep()));
    }
}

#[test]
fn schemas_at_their_limits_compile_and_validate_without_overflow() {
    let mut definitions = Map::new();
    for n in 0..300 {
        let mut inner = json!({"$ref": format!("#/definitions/d{}", n + 1)});
        for _ in 0..20 {
            inner = json!({"properties": {"a": inner}});
        }
        definitions.insert(format!("d{n}"), inner);
    }
    definitions.insert("d300".to_owned(), json!({"type": "string"}));
    let chain = schema(
        json!({"definitions": definitions, "properties": {"a": {"$ref": "#/definitions/d0"}}}),
    );
    let mut content = json!(1);
    for _ in 0..126 {
        content = json!({"a": content});
    }
    assert!(chain.validate(&content).is_ok());

    let mut inner = json!({"properties": {"a": {"$ref": "#"}}});
    for _ in 0..10 {
        inner = json!({"allOf": [inner]});
    }
    let tall = schema(inner);
    assert!(tall.validate(&content).is_ok());
    let mut inner = json!({"properties": {"a": {"$ref": "#"}}});
    for _ in 0..14 {
        inner = json!({"anyOf": [inner]});
    }
    assert_eq!(Schema::compile(inner).unwrap_err()[0].code().number(), 2108);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-z#/$~%]{0,6}".prop_map(Value::from),
    ];
    let key = prop_oneof![
        Just("$ref"),
        Just("type"),
        Just("items"),
        Just("properties"),
        Just("required"),
        Just("allOf"),
        Just("anyOf"),
        Just("not"),
        Just("if"),
        Just("then"),
        Just("pattern"),
        Just("patternProperties"),
        Just("additionalProperties"),
        Just("definitions"),
        Just("default"),
        Just("x-vcloud-restricted"),
        Just("$id"),
        Just("$schema"),
        Just("enum"),
        Just("dependencies"),
        Just("a"),
    ];
    leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..5).prop_map(|pairs| {
                Value::Object(
                    pairs
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_value_is_a_schema_or_has_flaws(source in any_json(), content in any_json()) {
        match Schema::compile(source) {
            Ok(schema) => {
                let _ = schema.validate(&content);
                let _ = schema.fill_defaults(content.clone());
                let _ = schema.prune(content.clone());
                let _ = schema.declared_paths();
            }
            Err(errors) => prop_assert!(!errors.is_empty()),
        }
    }

    #[test]
    fn any_text_is_a_type_file_or_has_problems(text in r##"[a-z:\-\[\]{},&*!'"#\n\t |>?%0-9.]{0,80}"##) {
        if let Err(error) = TypeVersion::parse(&text) {
            prop_assert!(error.problems().count() > 0);
        }
    }

    #[test]
    fn any_pattern_compiles_or_is_refused(pattern in r"[a-z()\[\]{}*+?|^$\\0-9,.:=!<-]{0,24}") {
        let _ = Schema::compile(json!({"pattern": pattern, "patternProperties": {&pattern: {}}}));
    }
}
