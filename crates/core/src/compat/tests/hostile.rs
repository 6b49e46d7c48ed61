//! Schemas that are made to take long, or to take all memory. Each ends: refused when it is
//! compiled, or with an answer, which may be that it is undecided.

use crate::compat::{ChangeKind, SchemaChange, SchemaContainment};
use crate::types::Schema;
use serde_json::{Map, Value, json};
use std::time::Instant;

/// Compares two schemas in both directions, if both are accepted at all.
#[track_caller]
fn ends(name: &str, old: Value, new: Value) -> Option<SchemaChange> {
    let start = Instant::now();
    let (old, new) = (Schema::compile(old).ok()?, Schema::compile(new).ok()?);
    let compiled = start.elapsed();
    let change = SchemaChange::between(&old, &new);
    println!(
        "{name}: {:?}, compiled in {compiled:.1?}, compared in {:.1?}",
        change.kind,
        start.elapsed() - compiled
    );
    Some(change)
}

#[test]
fn patterns_that_explode_end() {
    let with = |pattern: &str| json!({"properties": {"a": {"type": "string", "pattern": pattern}}});
    let many = |pattern: &dyn Fn(usize) -> String| {
        let field = |number| {
            (
                format!("f{number}"),
                json!({"type": "string", "pattern": pattern(number)}),
            )
        };
        json!({"properties": (0..60).map(field).collect::<Map<String, Value>>()})
    };
    ends(
        "one",
        with("^(a|b)*a(a|b){25}$"),
        with("^(a|b)*a(a|b){26}$"),
    );
    ends(
        "many",
        many(&|n| format!("^(a|b)*a(a|b){{{}}}$", n % 20 + 5)),
        many(&|n| format!("^(a|b)*b(a|b){{{}}}$", n % 20 + 5)),
    );
    ends(
        "stars",
        with("^((((a*)*)*)*)*b$"),
        with("^((((a*b?)*)*)*)*c$"),
    );
    ends(
        "letters",
        with(r"^\p{L}{1,40}$"),
        with(r"^[\p{L}\p{N}]{1,60}$"),
    );
}

#[test]
fn alternatives_that_multiply_end() {
    let leaf = |number: usize| json!({"required": [format!("r{number}")], "properties": {format!("r{number}"): {"type": ["string", "integer"]}}});
    let wide = |from: usize| json!({"anyOf": (from..from + 150).map(leaf).collect::<Vec<_>>()});
    ends("wide", wide(0), wide(1));
    let pairs = |shift: usize| {
        let all = (0..12).map(|n| json!({"anyOf": [leaf(2 * n), leaf(2 * n + 1 + shift)]}));
        json!({"allOf": all.collect::<Vec<_>>()})
    };
    ends("pairs", pairs(0), pairs(1));
    let ones = |shift: usize| {
        let all = (0..10)
            .map(|n| json!({"oneOf": [leaf(2 * n), leaf(2 * n + 1 + shift), {"not": leaf(n)}]}));
        json!({"allOf": all.collect::<Vec<_>>()})
    };
    ends("ones", ones(0), ones(1));
    let mut deep = [json!({"type": "string"}), json!({"type": "integer"})];
    for level in 0..14 {
        let name = format!("p{level}");
        deep = deep.map(|inner| json!({"anyOf": [{"properties": {name.clone(): inner}}, {"not": {"properties": {name.clone(): inner}}}]}));
    }
    let [old, new] = deep;
    ends("deep", old, new);
}

#[test]
fn schemas_that_refer_to_themselves_end() {
    let tree = |leaf: Value| {
        let mut definitions = Map::new();
        for number in 0..30 {
            let next = |step: usize| json!({"$ref": format!("#/definitions/d{}", (number * 7 + step) % 30)});
            definitions.insert(
                format!("d{number}"),
                json!({"properties": {"a": next(1), "b": next(2), "c": next(3), "leaf": leaf}}),
            );
        }
        json!({"definitions": definitions, "$ref": "#/definitions/d0"})
    };
    let change = ends(
        "tree",
        tree(json!({"type": "string"})),
        tree(json!({"type": ["string", "null"]})),
    );
    // All fields can't be listed, but the proof does not need it.
    assert_eq!(change.unwrap().old_documents, SchemaContainment::Yes);
    let twice = |leaf: Value| {
        let node = json!({"properties": {"n": {"$ref": "#/definitions/n"}, "leaf": leaf}});
        json!({"definitions": {"n": {"allOf": [node, node, node]}}, "$ref": "#/definitions/n"})
    };
    ends(
        "twice",
        twice(json!({"type": "string"})),
        twice(json!({"type": "integer"})),
    );
    let doubled = |leaf: Value| {
        let mut definitions = Map::new();
        for number in 0..40 {
            let next = json!({"$ref": format!("#/definitions/d{}", number + 1)});
            definitions.insert(
                format!("d{number}"),
                json!({"properties": {"a": next, "b": next}}),
            );
        }
        definitions.insert("d40".to_owned(), leaf);
        json!({"definitions": definitions, "$ref": "#/definitions/d0"})
    };
    ends(
        "doubled",
        doubled(json!({"type": "string"})),
        doubled(json!({"type": "integer"})),
    );
}

#[test]
fn schemas_that_are_huge_end() {
    let fields = |least: u64, type_: &str| {
        let field = |number| {
            (
                format!("field_{number}"),
                json!({"type": type_, "minLength": least, "enum": ["a", "b", "cc", number]}),
            )
        };
        json!({"type": "object", "properties": (0..2_000).map(field).collect::<Map<String, Value>>()})
    };
    ends("fields", fields(0, "string"), fields(2, "string"));
    let values = |from: u64| json!({"enum": (from..from + 20_000).collect::<Vec<_>>()});
    ends("values", values(0), values(1));
    let patterns = |shift: usize| {
        let pattern = |number: usize| (format!("^p{}", number + shift), json!({"type": "string"}));
        json!({"patternProperties": (0..300).map(pattern).collect::<Map<String, Value>>(), "additionalProperties": false})
    };
    ends("patterns", patterns(0), patterns(1));
    let mut deep = [json!({"type": "string"}), json!({"type": "integer"})];
    for _ in 0..20 {
        deep = deep
            .map(|inner| json!({"type": "object", "properties": {"a": inner}, "required": ["a"]}));
    }
    let [old, new] = deep;
    assert_eq!(ends("levels", old, new).unwrap().kind, ChangeKind::Breaking);
    let most = json!({"type": "array", "items": {"type": "string"}, "minItems": u64::MAX});
    ends(
        "counts",
        most.clone(),
        json!({"type": "array", "maxItems": 3}),
    );
    ends(
        "numbers",
        json!({"multipleOf": 1e-300, "maximum": 1e300}),
        json!({"multipleOf": 1e300}),
    );
}
