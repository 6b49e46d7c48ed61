use super::{cluster, many, schema};
use crate::examples::Examples;
use crate::types::same;
use serde_json::{Value, json};
use std::borrow::Cow;

#[test]
fn every_document_fits_its_schema() {
    for source in many() {
        let schema = schema(source.clone());
        let found: Vec<_> = Examples::of(&schema, 1).take(400).collect();
        assert_eq!(found.len(), 400, "{source}");
        for document in &found {
            let fits = schema.validate(document);
            assert!(fits.is_ok(), "{source}\n{document}\n{fits:?}");
            let absent = schema.without_absent(document);
            assert!(matches!(absent, Cow::Borrowed(_)), "{document}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_documents_and_another_seed_others() {
    for source in many() {
        let schema = schema(source);
        let texts = |seed| {
            let mut examples = Examples::of(&schema, seed);
            let mut found: Vec<_> = examples.by_ref().take(300).collect();
            let edited = found.clone().into_iter().step_by(10);
            found.extend(edited.filter_map(|document| examples.edit(&document)));
            found.iter().map(Value::to_string).collect::<Vec<_>>()
        };
        assert_eq!(texts(1), texts(1));
    }
    let schema = schema(cluster());
    let random = |seed| Examples::of(&schema, seed).nth(3_000).unwrap().to_string();
    assert_ne!(random(1), random(2));
}

#[test]
fn random_documents_are_small_and_differ() {
    let schema = schema(cluster());
    let found: Vec<_> = Examples::of(&schema, 1).skip(3_000).take(300).collect();
    let nodes = |value: &Value| value.to_string().matches([':', ',']).count();
    let small = found
        .iter()
        .filter(|document| nodes(document) < 150)
        .count();
    assert!(small > 270, "{small}");
    let pairs = found.iter().zip(found.iter().skip(1));
    let equal = pairs.filter(|(a, b)| same(a, b)).count();
    assert!(equal < 10, "{equal}");
}

#[test]
fn keys_come_in_any_order() {
    let schema = schema(json!({"required": ["a", "b"], "type": "object"}));
    let first: Vec<_> = Examples::of(&schema, 1)
        .take(50)
        .map(|document| document.as_object().unwrap().keys().next().unwrap().clone())
        .collect();
    assert!(first.contains(&"a".to_owned()) && first.contains(&"b".to_owned()));
}

#[test]
fn random_documents_reach_what_no_telling_one_does() {
    let schema = schema(json!({"type": "object", "additionalProperties": {"type": "number"}}));
    let found: Vec<_> = Examples::of(&schema, 1).take(2_000).collect();
    let has = |wanted: fn(&str, &Value) -> bool| {
        let mut entries = found
            .iter()
            .flat_map(|document| document.as_object().unwrap());
        entries.any(|(key, value)| wanted(key, value))
    };
    assert!(has(|key, _| key.contains('/')));
    assert!(has(|key, _| key.contains('~')));
    assert!(has(|_, value| value.as_f64().unwrap().fract() != 0.0));
    assert!(has(|_, value| value.is_u64() && !value.is_i64()));
    assert!(has(
        |_, value| value.is_f64() && value.as_f64().unwrap().fract() == 0.0
    ));
}
