//! Random documents of a version, and random edits of a view.

use crate::field::{FieldKind, KeyBy, WorldField};
use crate::world::TypeWorld;
use coeval_core::types::same;
use fastrand::Rng;
use serde_json::{Map, Value, json};

/// A document with perhaps a field that its version does not declare.
pub fn document(world: &TypeWorld, number: usize, rng: &mut Rng) -> Value {
    let made = &world.made[number];
    let mut map = declared_document(world, number, rng);
    // Open versions take undeclared fields, and the names that other versions use are the
    // interesting ones.
    if !made.closed && rng.u8(..) < 60 {
        let name = if rng.bool() {
            "x1".to_owned()
        } else {
            world.names[rng.usize(..world.names.len())].clone()
        };
        if made.fields.iter().all(|field| field.name != name) {
            map.insert(name, scalar(&FieldKind::Int, rng));
        }
    }
    Value::Object(map)
}

/// A document with fields that its version declares.
pub fn declared_document(world: &TypeWorld, number: usize, rng: &mut Rng) -> Map<String, Value> {
    let made = &world.made[number];
    let mut map = object(&made.fields, rng);
    for (one, other) in &made.mirrors {
        // Mostly alike, as they are when they were written by put.
        if rng.u8(..) < 200 {
            match map.get(one).cloned() {
                Some(value) => map.insert(other.clone(), value),
                None => map.remove(other),
            };
        }
    }
    map
}

fn object(fields: &[WorldField], rng: &mut Rng) -> Map<String, Value> {
    let mut map = Map::new();
    for field in fields {
        if field.required || rng.u8(..) < 190 {
            map.insert(field.name.clone(), new(field, rng));
        }
    }
    map
}

const NAMES: [&str; 5] = ["n1", "n2", "n/3", "~", "0"];

fn new(field: &WorldField, rng: &mut Rng) -> Value {
    match &field.kind {
        FieldKind::Object(fields) => Value::Object(object(fields, rng)),
        FieldKind::Keyed(fields) => {
            // Shuffled, so that the order of items is not that of their keys.
            let mut names = NAMES.to_vec();
            rng.shuffle(&mut names);
            names.truncate(rng.usize(0..4));
            let items = names.iter().map(|name| named(field, fields, name, rng));
            Value::Array(items.collect())
        }
        FieldKind::Items(fields) => {
            let mut items: Vec<_> = (0..rng.usize(0..4))
                .map(|_| Value::Object(object(fields, rng)))
                .collect();
            // Two equal items now and then: they can't be told apart.
            if items.len() > 1 && rng.u8(..) < 60 {
                items[1] = items[0].clone();
            }
            Value::Array(items)
        }
        FieldKind::Map(fields) => {
            let mut map = Map::new();
            for name in NAMES {
                if rng.u8(..) < 100 {
                    map.insert(name.to_owned(), Value::Object(object(fields, rng)));
                }
            }
            Value::Object(map)
        }
        FieldKind::List(kind) => (0..rng.usize(0..4)).map(|_| scalar(kind, rng)).collect(),
        kind => scalar(kind, rng),
    }
}

fn named(list: &WorldField, fields: &[WorldField], name: &str, rng: &mut Rng) -> Value {
    let mut map = object(fields, rng);
    map.insert("name".to_owned(), json!(name));
    if KeyBy::of(list.id) == KeyBy::Two && rng.bool() {
        map.insert("part".to_owned(), json!("p"));
    }
    Value::Object(map)
}

fn scalar(kind: &FieldKind, rng: &mut Rng) -> Value {
    // Few values, chosen so that steps meet what they may stumble over: no separator, several,
    // leading zeros.
    let mut one_of = |all: &[&str]| json!(all[rng.usize(..all.len())]);
    match kind {
        FieldKind::Text => one_of(&["", "a", "a:b", ":", "a:b:c", "b:", "8080", "ü"]),
        FieldKind::Digits => one_of(&["0", "1", "007", "-5", "8080", "+3"]),
        FieldKind::Json(_) => one_of(&["1", " 2", "30 ", "-4", "0"]),
        FieldKind::Enum(values) => json!(values[rng.usize(..values.len())]),
        FieldKind::Bool => json!(rng.bool()),
        _ => match rng.u8(0..6) {
            // A whole number as a double: it is the same number, and must stay the same key.
            0 => json!(0),
            1 => json!(1.0),
            2 => json!(-7),
            3 => json!(1_000_000),
            _ => json!(rng.i32(0..40)),
        },
    }
}

/// An edit of a view that fits the version again.
pub fn edit(world: &TypeWorld, number: usize, view: &Value, rng: &mut Rng) -> Value {
    let made = &world.made[number];
    let mut body = view.clone();
    for _ in 0..rng.usize(1..4) {
        edit_object(&made.fields, &mut body, rng);
    }
    if !made.closed && rng.u8(..) < 30 {
        body["x1"] = json!(rng.u8(0..5));
    }
    body
}

/// A single change of a view: of one field, or of one item of a list or map.
pub fn edit_once(world: &TypeWorld, number: usize, view: &Value, rng: &mut Rng) -> Value {
    let mut body = view.clone();
    edit_object(&world.made[number].fields, &mut body, rng);
    body
}

/// What a body means in which one of two mirroring fields was changed: the other follows.
pub fn with_mirrors(mirrors: &[(String, String)], view: &Value, body: &Value) -> Value {
    let mut expected = body.clone();
    let alike = |one: Option<&Value>, other: Option<&Value>| match (one, other) {
        (Some(one), Some(other)) => same(one, other),
        (one, other) => one.is_none() && other.is_none(),
    };
    for (from, to) in mirrors {
        let changed = |name: &String, body: &Value| !alike(view.get(name), body.get(name));
        // If both have changed they must be equal, and if none has there is nothing to follow.
        let (source, target) = match (changed(from, &expected), changed(to, &expected)) {
            (true, false) => (from, to),
            (false, true) => (to, from),
            _ => continue,
        };
        let map = expected.as_object_mut().unwrap();
        match map.get(source).cloned() {
            Some(value) => map.insert(target.clone(), value),
            None => map.shift_remove(target),
        };
    }
    expected
}

fn edit_object(fields: &[WorldField], value: &mut Value, rng: &mut Rng) {
    let Some(map) = value.as_object_mut().filter(|_| !fields.is_empty()) else {
        return;
    };
    // One change for each edit, so that a failing case points to it.
    let field = &fields[rng.usize(..fields.len())];
    let Some(inner) = map.get_mut(&field.name) else {
        map.insert(field.name.clone(), new(field, rng));
        return;
    };
    if !field.required && rng.u8(..) < 80 {
        map.shift_remove(&field.name);
    } else if rng.u8(..) < 60 {
        *inner = new(field, rng);
    } else {
        edit_inside(field, inner, rng);
    }
}

fn edit_inside(field: &WorldField, value: &mut Value, rng: &mut Rng) {
    match (&field.kind, &mut *value) {
        (FieldKind::Object(fields), value) => edit_object(fields, value, rng),
        (FieldKind::Keyed(fields) | FieldKind::Items(fields), Value::Array(items)) => {
            edit_list(field, fields, items, rng);
        }
        (FieldKind::Map(fields), Value::Object(map)) => {
            let name = NAMES[rng.usize(..NAMES.len())];
            match map.get_mut(name) {
                Some(_) if rng.u8(..) < 110 => {
                    map.shift_remove(name);
                }
                Some(inner) => edit_object(fields, inner, rng),
                None => {
                    map.insert(name.to_owned(), Value::Object(object(fields, rng)));
                }
            }
        }
        (_, value) => *value = new(field, rng),
    }
}

fn edit_list(list: &WorldField, fields: &[WorldField], items: &mut Vec<Value>, rng: &mut Rng) {
    let keyed = matches!(list.kind, FieldKind::Keyed(_));
    let at = rng.usize(..=items.len());
    match rng.u8(0..4) {
        0 => {
            let name = NAMES[rng.usize(..NAMES.len())];
            let is_there = items.iter().any(|item| item["name"] == name);
            // A keyed list never gets the same key twice: that would be refused for another
            // reason.
            if !keyed {
                items.insert(at, Value::Object(object(fields, rng)));
            } else if !is_there {
                items.insert(at, named(list, fields, name, rng));
            }
        }
        1 if at < items.len() => {
            items.remove(at);
        }
        2 => rng.shuffle(items),
        // Said or not, it is the same key.
        3 if at < items.len() && keyed && KeyBy::of(list.id) == KeyBy::Two && rng.bool() => {
            let item = items[at].as_object_mut().unwrap();
            if item.shift_remove("part").is_none() {
                item.insert("part".to_owned(), json!("p"));
            }
        }
        _ if at < items.len() => edit_object(fields, &mut items[at], rng),
        _ => {}
    }
}
