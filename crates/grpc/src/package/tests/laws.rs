//! The laws over the wire: a client reads, changes one field and saves.

use super::*;
use crate::package::encode::encode;
use crate::package::put::{decode, put};
use coeval_core::examples::Examples;
use coeval_core::types::Schema;
use prost::Message as _;
use prost_reflect::{DynamicMessage, ReflectMessage, Value as Proto};

fn odd(rng: &mut fastrand::Rng) -> Value {
    let all = [
        json!(null),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!(1.0),
        json!(0),
        json!({"new": [null]}),
        json!(""),
    ];
    all[rng.usize(..all.len())].clone()
}

/// What real content has: fields that nobody declared, nulls, empty lists, large numbers.
fn roughen(rng: &mut fastrand::Rng, value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(|inner| roughen(rng, inner));
            if rng.u8(..) < 60 {
                map.insert("unknown".into(), odd(rng));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|inner| roughen(rng, inner)),
        other => {
            if rng.u8(..) < 25 {
                *other = odd(rng);
            }
        }
    }
}

fn over_the_wire(message: &DynamicMessage) -> DynamicMessage {
    DynamicMessage::decode(message.descriptor(), message.encode_to_vec().as_slice()).unwrap()
}

fn each(seed: u64, mut visit: impl FnMut(&mut fastrand::Rng, &CompiledPackage, Value)) -> usize {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut count = 0;
    for source in schemas() {
        let package = package(source.clone());
        let schema = Schema::compile(source).unwrap();
        for mut document in Examples::of(&schema, rng.u64(..)).take(100) {
            visit(&mut rng, &package, document.clone());
            roughen(&mut rng, &mut document);
            visit(&mut rng, &package, document);
            count += 2;
        }
    }
    count
}

#[test]
fn reading_and_saving_changes_nothing() {
    let count = each(1, |_, package, stored| {
        let message = over_the_wire(&encode(package, &stored));
        let saved = put(package, Some(&stored), &message).unwrap();
        assert_eq!(saved.to_string(), stored.to_string());
    });
    assert!(count > 500, "{count}");
}

#[test]
fn what_was_saved_is_what_is_read() {
    let mut before = json!({});
    let (mut done, mut refused) = (0, 0);
    each(2, |_, package, stored| {
        let message = over_the_wire(&encode(package, &stored));
        match put(package, Some(&before), &message) {
            Ok(saved) => {
                done += 1;
                assert!(encode(package, &saved) == message, "{before}\n{saved}");
            }
            Err(_) => refused += 1,
        }
        let created = put(package, None, &message).unwrap();
        assert_eq!(created, decode(package, &message).unwrap());
        assert!(encode(package, &created) == message, "{created}");
        before = stored;
    });
    assert!(done > 300 && refused > 0, "{done} {refused}");
}

#[test]
fn reading_changing_one_field_and_saving_changes_only_that_field() {
    let mut done = 0;
    each(3, |rng, package, stored| {
        let mut message = over_the_wire(&encode(package, &stored));
        let scalars = package.spec.fields.iter().filter(
            |field| matches!(field.kind, coeval_typed::FieldForm::One(item) if item.is_scalar()),
        );
        let scalars: Vec<_> = scalars
            .filter(|field| message.has_field(&field.descriptor))
            .collect();
        let Some(field) = rng.choice(scalars) else {
            return;
        };
        let (value, json) = match message.get_field(&field.descriptor).as_ref() {
            Proto::String(text) => (Proto::String(format!("{text}!")), json!(format!("{text}!"))),
            Proto::I64(number) => (Proto::I64(number ^ 1), json!(number ^ 1)),
            Proto::F64(number) if *number == 0.5 => (Proto::F64(1.5), json!(1.5)),
            Proto::F64(_) => (Proto::F64(0.5), json!(0.5)),
            Proto::Bool(value) => (Proto::Bool(!value), json!(!value)),
            other => panic!("{other:?}"),
        };
        message.set_field(&field.descriptor, value);
        let saved = put(package, Some(&stored), &over_the_wire(&message)).unwrap();
        let mut expected = stored.clone();
        expected[field.json.as_str()] = json;
        assert_eq!(saved.to_string(), expected.to_string());
        done += 1;
    });
    assert!(done > 100, "{done}");
}
