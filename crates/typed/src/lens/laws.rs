//! The laws, on documents that made-up schemas give rise to, roughened by what real ones have.

use super::*;
use crate::testing::{history, layout};
use coeval_core::examples::Examples;
use coeval_core::types::{Schema, same};
use serde_json::json;

/// A schema of any shape.
fn schema(rng: &mut fastrand::Rng, depth: usize) -> Value {
    let names = ["a", "b", "fooBar", "foo_bar", "1st", "extra", "x-y", "Z"];
    match rng.usize(..if depth == 0 { 8 } else { 13 }) {
        0 => json!({"type": "string", "maxLength": 3}),
        1 => json!({"type": "integer"}),
        2 => json!({"type": "number"}),
        3 => json!({"type": "boolean"}),
        4 => json!({}),
        5 => json!({"type": ["string", "null", "integer"]}),
        6 => json!({"type": "object"}),
        7 => json!({"oneOf": [{"type": "integer"}, {"type": "array", "maxItems": 2}]}),
        8 | 9 => json!({"type": "array", "maxItems": 3, "items": schema(rng, depth - 1)}),
        10 => {
            json!({"type": "object", "additionalProperties": schema(rng, depth - 1), "maxProperties": 3})
        }
        _ => {
            let count = rng.usize(1..5);
            let mut names = names;
            rng.shuffle(&mut names);
            let properties: Map<String, Value> = names
                .into_iter()
                .take(count)
                .map(|name| (name.to_owned(), schema(rng, depth - 1)))
                .collect();
            json!({"type": "object", "properties": properties})
        }
    }
}

fn whole(rng: &mut fastrand::Rng) -> Value {
    let properties: Map<String, Value> = ["p", "q", "rS", "t-", "0"]
        .iter()
        .map(|name| ((*name).to_owned(), schema(rng, 3)))
        .collect();
    json!({"type": "object", "properties": properties})
}

/// Something that a message can't say, somewhere.
fn roughen(rng: &mut fastrand::Rng, value: &mut Value) {
    let odd = || {
        [
            json!(null),
            json!(u64::MAX),
            json!([]),
            json!({}),
            json!(1.0),
            json!(9_007_199_254_740_993_u64),
            json!({"new": [null]}),
            json!(""),
        ]
    };
    match value {
        Value::Object(map) => {
            for inner in map.values_mut() {
                roughen(rng, inner);
            }
            if rng.u8(..) < 60 {
                map.insert("unknown".into(), odd()[rng.usize(..8)].clone());
            }
        }
        Value::Array(items) => {
            for inner in items.iter_mut() {
                roughen(rng, inner);
            }
            if rng.u8(..) < 10 {
                items.push(odd()[rng.usize(..8)].clone());
            }
        }
        other => {
            if rng.u8(..) < 25 {
                *other = odd()[rng.usize(..8)].clone();
            }
        }
    }
}

/// Every place that a message says, but for places inside of lists.
fn places(part: &LensMessage, value: &Value, at: &str, found: &mut Vec<(String, FieldForm)>) {
    for (key, inner) in value.as_object().into_iter().flatten() {
        let (kind, below) = part.field(key).unwrap();
        let at = child(at, key);
        found.push((at.clone(), kind));
        match (kind, below) {
            (FieldForm::One(ItemKind::Message), Some(below)) => places(below, inner, &at, found),
            (FieldForm::Map(item), below) => {
                for (key, inner) in inner.as_object().into_iter().flatten() {
                    let at = child(&at, key);
                    found.push((at.clone(), FieldForm::One(item)));
                    if let (ItemKind::Message, Some(below)) = (item, below) {
                        places(below, inner, &at, found);
                    }
                }
            }
            _ => {}
        }
    }
}

fn another(item: ItemKind, old: &Value) -> Option<Value> {
    match item {
        ItemKind::String => Some(json!(format!("{}!", old.as_str()?))),
        ItemKind::Int64 => Some(json!(old.as_i64()?.wrapping_add(1))),
        ItemKind::Double => Some(json!(if old.as_f64()? == 0.5 { 1.5 } else { 0.5 })),
        ItemKind::Bool => Some(json!(!old.as_bool()?)),
        ItemKind::Value => Some(json!({"was": 1.0})),
        ItemKind::Struct => Some(json!({"was": 2.0})),
        ItemKind::Message => None,
    }
}

fn each_document(seed: u64, mut visit: impl FnMut(&mut fastrand::Rng, &Lens, Value)) -> usize {
    let mut count = 0;
    let mut rng = fastrand::Rng::with_seed(seed);
    for _ in 0..60 {
        let source = whole(&mut rng);
        let lens = Lens::of(&layout(source.clone()));
        let schema = Schema::compile(source).unwrap();
        for mut document in Examples::of(&schema, rng.u64(..)).take(25) {
            visit(&mut rng, &lens, document.clone());
            roughen(&mut rng, &mut document);
            visit(&mut rng, &lens, document);
            count += 2;
        }
    }
    count
}

#[test]
fn reading_and_saving_changes_nothing() {
    let count = each_document(1, |_, lens, stored| {
        let told = lens.told(&stored);
        let new = lens.put(Some(&stored), &told);
        assert_eq!(
            new.map(|new| new.to_string()),
            Ok(stored.to_string()),
            "told {told}"
        );
    });
    assert!(count > 2_000, "{count}");
}

#[test]
fn what_was_saved_is_what_is_read() {
    // What one document says is put on another one, whatever that is.
    let (mut done, mut refused) = (0, 0);
    let mut before: Option<Value> = None;
    each_document(2, |_, lens, stored| {
        let told = lens.told(&stored);
        if let Some(other) = before.take() {
            match lens.put(Some(&other), &told) {
                Ok(new) => {
                    done += 1;
                    let read = lens.told(&new);
                    assert!(same(&read, &told), "{other}\n{told}\n{new}\n{read}");
                }
                Err(LensError::List { .. }) => refused += 1,
            }
        }
        assert!(same(&lens.told(&lens.put(None, &told).unwrap()), &told));
        before = Some(stored);
    });
    assert!(done > 1_000 && refused > 10, "{done} {refused}");
}

#[test]
fn reading_changing_one_field_and_saving_changes_only_that_field() {
    let mut done = 0;
    each_document(3, |rng, lens, stored| {
        let told = lens.told(&stored);
        let mut found = Vec::new();
        places(&lens.root, &told, "", &mut found);
        let Some((pointer, kind)) = rng.choice(found) else {
            return;
        };
        let FieldForm::One(item) = kind else {
            return;
        };
        let Some(new) = told.pointer(&pointer).and_then(|old| another(item, old)) else {
            return;
        };
        let (mut edited, mut expected) = (told.clone(), stored.clone());
        *edited.pointer_mut(&pointer).unwrap() = new.clone();
        *expected.pointer_mut(&pointer).unwrap() = new;
        done += 1;
        let saved = lens.put(Some(&stored), &edited).unwrap();
        assert_eq!(saved.to_string(), expected.to_string(), "{pointer}");
    });
    assert!(done > 1_000, "{done}");
}

#[test]
fn a_client_of_a_frozen_package_loses_nothing_of_newer_versions() {
    let old = json!({"type": "object", "properties": {"a": {"type": "string"}, "in": {"type": "object", "properties": {"b": {"type": "integer"}}}}});
    let new = json!({"type": "object", "properties": {"a": {"type": "string"}, "c": {"type": "integer"},
        "in": {"type": "object", "properties": {"b": {"type": "integer"}, "d": {"type": "string"}}}}});
    let all = history(&[("1.0.0", old, false), ("1.1.0", new, true)]);
    let lens = Lens::of(all[1].0.as_ref().unwrap());
    let stored = json!({"c": 1, "in": {"d": "x", "b": 1}, "a": "a"});
    let mut told = lens.told(&stored);
    told["in"]["b"] = json!(2);
    let saved = lens.put(Some(&stored), &told).unwrap();
    assert_eq!(
        saved.to_string(),
        json!({"c": 1, "in": {"d": "x", "b": 2}, "a": "a"}).to_string()
    );
}
