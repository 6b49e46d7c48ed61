//! What holds for every schema and every content.

use crate::types::{Schema, Visibility};
use proptest::prelude::*;
use serde_json::{Value, json};

const KEYS: [&str; 4] = ["a", "b", "c", "x-d"];

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({"type": "string", "default": "s"})),
        Just(json!({"type": "string", "default": null})),
        Just(json!({"type": "integer"})),
        Just(json!({"type": ["string", "null"], "x-vcloud-restricted": "private"})),
        Just(json!({"type": "object"})),
        Just(json!({"$ref": "#/definitions/d"})),
        Just(json!({"x-vcloud-restricted": "secure"})),
        Just(json!({})),
    ];
    let inner = leaf.prop_recursive(3, 24, 4, |inner| {
        let object = (
            proptest::collection::btree_map(proptest::sample::select(&KEYS[..]), inner.clone(), 0..4),
            proptest::sample::subsequence(&KEYS[..], 0..3),
            prop_oneof![Just(json!(true)), Just(json!(false)), inner.clone()],
            any::<bool>(),
        )
            .prop_map(|(properties, required, additional, patterned)| {
                let mut schema = json!({"properties": properties, "required": required, "additionalProperties": additional});
                if patterned {
                    schema["patternProperties"] = json!({"^x-": {"type": "string"}});
                }
                schema
            });
        prop_oneof![
            3 => object,
            1 => inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            1 => proptest::collection::vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            1 => proptest::collection::vec(inner, 1..3).prop_map(|any| json!({"anyOf": any})),
        ]
    });
    (inner.clone(), inner)
        .prop_map(|(root, definition)| json!({"definitions": {"d": definition}, "allOf": [root]}))
}

fn any_content() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        Just(json!("s")),
        Just(json!(1)),
        Just(json!({}))
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            proptest::collection::btree_map(proptest::sample::select(&KEYS[..]), inner, 0..4)
                .prop_map(|map| json!(map)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn doing_it_twice_is_doing_it_once(source in any_schema(), content in any_content()) {
        let Ok(schema) = Schema::compile(source) else { return Ok(()) };
        let pruned = schema.prune(content.clone());
        let again = schema.prune(pruned.content.clone());
        prop_assert_eq!(&again.content, &pruned.content);
        prop_assert!(again.pruned.is_empty());

        let present = schema.without_absent(&content).into_owned();
        prop_assert_eq!(schema.without_absent(&present).into_owned(), present.clone());

        if let Ok(filled) = schema.fill_defaults(content.clone()) {
            let again = schema.fill_defaults(filled.content.clone()).unwrap();
            prop_assert_eq!(&again.content, &filled.content);
            prop_assert!(again.filled.is_empty());
            for pointer in &filled.filled {
                prop_assert!(present.pointer(pointer).is_none());
                prop_assert!(filled.content.pointer(pointer).is_some());
            }
        }
        for sees in [Visibility::Public, Visibility::Protected, Visibility::Private] {
            let shown = schema.redact(&content, sees);
            let again = schema.redact(&shown.content, sees);
            prop_assert_eq!(&again.content, &shown.content);
        }
    }

    #[test]
    fn nulls_that_count_as_absent_never_change_whether_content_fits(source in any_schema(), content in any_content()) {
        let Ok(schema) = Schema::compile(source) else { return Ok(()) };
        let present = schema.without_absent(&content).into_owned();
        prop_assert_eq!(schema.validate(&content).is_ok(), schema.validate(&present).is_ok());
    }

    #[test]
    fn what_fits_has_nothing_to_prune_or_to_fill(source in any_schema(), content in any_content()) {
        let Ok(schema) = Schema::compile(source) else { return Ok(()) };
        if schema.validate(&content).is_ok() {
            let present = schema.without_absent(&content).into_owned();
            prop_assert!(schema.prune(present.clone()).pruned.is_empty());
            prop_assert!(schema.fill_defaults(present.clone()).unwrap().filled.is_empty());
        }
    }

    #[test]
    fn every_declared_path_is_declared(source in any_schema()) {
        let Ok(schema) = Schema::compile(source) else { return Ok(()) };
        for one in schema.declared_paths().paths {
            prop_assert!(schema.declares_some(&one.path), "{}", one.path);
        }
    }
}
