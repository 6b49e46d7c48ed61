use super::schema;
use crate::types::{Schema, SchemaFlaw};
use coeval_codes::Coded;
use serde_json::{Map, Value, json};

fn flaws(source: Value) -> Vec<(String, u16)> {
    let errors = Schema::compile(source).err().unwrap_or_default();
    let told = errors.into_iter().map(|error| {
        assert!(!error.advice().is_empty());
        (error.pointer.clone(), error.code().number())
    });
    told.collect()
}

fn flaw(source: Value) -> (String, u16) {
    let mut all = flaws(source);
    assert_eq!(all.len(), 1, "{all:?}");
    all.remove(0)
}

#[test]
fn all_five_drafts_are_read_as_they_say() {
    for (draft, bound) in [
        (
            "http://json-schema.org/draft-04/schema#",
            json!({"minimum": 1, "exclusiveMinimum": true}),
        ),
        (
            "http://json-schema.org/draft-06/schema#",
            json!({"exclusiveMinimum": 1}),
        ),
        (
            "http://json-schema.org/draft-07/schema",
            json!({"exclusiveMinimum": 1}),
        ),
        (
            "https://json-schema.org/draft/2019-09/schema",
            json!({"exclusiveMinimum": 1}),
        ),
        (
            "https://json-schema.org/draft/2020-12/schema",
            json!({"exclusiveMinimum": 1}),
        ),
    ] {
        let schema = schema(json!({"$schema": draft, "properties": {"n": bound}}));
        assert!(schema.validate(&json!({"n": 2})).is_ok(), "{draft}");
        assert!(schema.validate(&json!({"n": 1})).is_err(), "{draft}");
    }
    assert_eq!(
        flaw(json!({"$schema": "https://acme.example/own"})),
        ("/$schema".into(), 2102)
    );
    assert_eq!(flaw(json!({"$schema": 7})), ("/$schema".into(), 2102));
}

#[test]
fn without_a_dialect_it_is_draft_7_or_draft_4_where_exclusive_bounds_are_booleans() {
    use jsonschema::Draft;
    assert_eq!(schema(json!({})).draft(), Draft::Draft7);
    let old = json!({"properties": {"n": {"minimum": 1, "exclusiveMinimum": true}}});
    assert_eq!(schema(old).draft(), Draft::Draft4);
    let property = json!({"properties": {"exclusiveMinimum": true}});
    assert_eq!(
        schema(property).draft(),
        Draft::Draft7,
        "a property may have that name"
    );
}

#[test]
fn a_reference_outside_is_refused_and_local_ones_lead_on() {
    for remote in [
        "https://acme.example/x.json",
        "other.json#/definitions/a",
        "file:///etc/passwd",
        "/x",
    ] {
        let source = json!({"properties": {"a": {"$ref": remote}}});
        assert_eq!(
            flaw(source),
            ("/properties/a/$ref".into(), 2103),
            "{remote}"
        );
    }
    for missing in ["#/definitions/none", "#none", "#/properties/a%2Fb"] {
        let source = json!({"properties": {"a": {"$ref": missing}}});
        assert_eq!(
            flaw(source),
            ("/properties/a/$ref".into(), 2104),
            "{missing}"
        );
    }
    for local in [
        "#/definitions/s~1t",
        "#/definitions/s%7E1t",
        "#named",
        "https://acme.example/app.json#/definitions/s~1t",
    ] {
        let schema = schema(json!({
            "$id": "https://acme.example/app.json",
            "definitions": {"s/t": {"$id": "#named", "type": "string"}},
            "properties": {"a": {"$ref": local}},
        }));
        assert!(schema.validate(&json!({"a": "x"})).is_ok(), "{local}");
        assert!(schema.validate(&json!({"a": 1})).is_err(), "{local}");
    }
}

#[test]
fn a_schema_may_refer_to_itself_with_a_step_into_the_value_and_not_without() {
    let tree = schema(json!({"properties": {"child": {"$ref": "#"}, "n": {"type": "integer"}}}));
    assert!(
        tree.validate(&json!({"child": {"child": {"n": 1}}}))
            .is_ok()
    );
    assert!(
        tree.validate(&json!({"child": {"child": {"n": "x"}}}))
            .is_err()
    );
    for endless in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"anyOf": [{"not": {"$ref": "#"}}]}]}),
        json!({"definitions": {"a": {"$ref": "#/definitions/b"}, "b": {"$ref": "#/definitions/a"}}, "properties": {"x": {"$ref": "#/definitions/a"}}}),
    ] {
        assert_eq!(flaw(endless).1, 2109);
    }
}

#[test]
fn several_flaws_are_told_at_once_with_their_places() {
    let found = flaws(json!({"properties": {
        "a": {"pattern": "(?=x)"}, "b": {"pattern": "("}, "c": {"$ref": "http://x/"}, "d": {"x-vcloud-restricted": "secret"},
    }}));
    let mut places: Vec<_> = found
        .iter()
        .map(|(at, code)| (at.as_str(), *code))
        .collect();
    places.sort_unstable();
    assert_eq!(
        places,
        [
            ("/properties/a/pattern", 2110),
            ("/properties/b/pattern", 2111),
            ("/properties/c/$ref", 2103),
            ("/properties/d/x-vcloud-restricted", 2113),
        ]
    );
    let found = flaws(json!({"type": "strin", "properties": {"a": {"minLength": -1}, "b": 7}}));
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.iter().all(|(_, code)| *code == 2101));
}

#[test]
fn unknown_keywords_are_ignored_wherever_they_stand() {
    let schema = schema(json!({
        "class": "x", "additionalproperties": false, "x-thing": {"$ref": "http://x/", "pattern": "("},
        "properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}, "properties": {"type": "object"}},
        "default": {"$ref": "http://x/"}, "enum": [{"pattern": "("}, {"$ref": "a"}],
    }));
    assert!(schema.validate(&json!({"$ref": "a"})).is_ok());
}

#[test]
fn each_limit_has_an_error_of_its_own() {
    let mut deep = json!({});
    for _ in 0..40 {
        deep = json!({"properties": {"a": deep}});
    }
    assert_eq!(flaw(deep).1, 2106);
    assert_eq!(flaw(json!({"description": "x".repeat(200_000)})).1, 2105);
    let refs: Map<_, _> = (0..1_001)
        .map(|n| (format!("p{n}"), json!({"$ref": "#/definitions/a"})))
        .collect();
    assert_eq!(
        flaw(json!({"definitions": {"a": {}}, "properties": refs})).1,
        2107
    );
    let many: Map<_, _> = (0..10_001).map(|n| (format!("{n}"), json!({}))).collect();
    assert_eq!(flaw(json!({"properties": many})).1, 2108);
    assert_eq!(flaw(json!({"pattern": "(((a{99}){99}){99}){99}"})).1, 2112);
    let costly: Vec<_> = (0..30).map(|_| json!({"pattern": "[a-z]{9000}"})).collect();
    let found = flaws(json!({"allOf": costly}));
    assert!(!found.is_empty() && found.iter().all(|(_, code)| *code == 2112));
}

#[test]
fn references_that_double_on_each_level_are_refused_or_counted() {
    let twice = |next: &str| json!({"allOf": [{"$ref": next}, {"$ref": next}]});
    let mut laughs = Map::from_iter([("d30".to_owned(), json!({"type": "string"}))]);
    for n in 0..30 {
        laughs.insert(format!("d{n}"), twice(&format!("#/definitions/d{}", n + 1)));
    }
    assert_eq!(
        flaw(json!({"definitions": laughs, "properties": {"a": {"$ref": "#/definitions/d0"}}})).1,
        2108
    );

    let tree = schema(json!({"type": "object", "properties": {"a": twice("#")}}));
    let mut content = json!(1);
    for _ in 0..100 {
        content = json!({"a": content});
    }
    let error = tree.validate(&content).unwrap_err();
    assert!(error.to_string().contains("too long"), "{error}");
    assert!(tree.validate(&json!({"a": {"a": {}}})).is_ok());
}

#[test]
fn an_id_inside_would_change_what_a_reference_means() {
    let source = json!({"properties": {"a": {"$id": "https://acme.example/a"}}});
    assert_eq!(flaw(source), ("/properties/a/$id".into(), 2101));
    let errors = Schema::compile(json!({"properties": {"a": {"$id": "b"}}})).unwrap_err();
    assert!(matches!(errors[0].flaw, SchemaFlaw::Invalid(_)));
}
