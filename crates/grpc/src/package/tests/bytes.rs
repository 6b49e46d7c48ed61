//! Bytes from anybody.

use super::*;
use crate::package::encode::encode;
use crate::package::put::put;
use coeval_typed::limits::{MESSAGE_DEPTH, VALUE_DEPTH};
use prost::Message as _;
use prost_reflect::{DynamicMessage, ReflectMessage, Value as Proto};

/// Numbers of fields that are the same in every package: of a list's answer, and of a resource.
const RESOURCE: u32 = 1;
const SPEC: u32 = 5;

/// A message in a message in a message: a tag, a length, and the rest.
fn nested(tags: &[u8], levels: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for level in (0..levels).rev() {
        let mut outer = vec![tags[level % tags.len()]];
        prost::encoding::encode_varint(bytes.len() as u64, &mut outer);
        outer.extend(bytes);
        bytes = outer;
    }
    bytes
}

#[test]
fn deep_nesting_is_refused_and_not_followed() {
    let package = package(json!({"type": "object", "properties": {"any": {}}}));
    // any = 1, then struct_value = 5, fields = 1, value = 2, over and over.
    for levels in [10, 90, 110, 10_000] {
        let mut tags = vec![0x0a];
        tags.extend([0x2a, 0x0a, 0x12].repeat(levels / 3 + 1));
        let bytes = nested(&tags, levels);
        let decoded = DynamicMessage::decode(package.spec.descriptor.clone(), bytes.as_slice());
        match decoded {
            Ok(message) => assert!(levels <= 110 && put(&package, None, &message).is_err()),
            Err(_) => assert!(levels > 90, "{levels}"),
        }
    }
}

#[test]
fn what_is_said_at_the_deepest_is_read_by_those_who_stop_at_a_hundred_levels() {
    // A map of messages takes two levels for each.
    let schema = |inner| json!({"type": "object", "properties": {"in": {"type": "object", "additionalProperties": inner}}});
    let schema = (0..2 * MESSAGE_DEPTH).fold(json!({"type": "string"}), |inner, _| schema(inner));
    let package = package(schema);
    let value = (0..VALUE_DEPTH).fold(json!(1.5), |inner, _| json!({ "a": inner }));
    let content = (1..MESSAGE_DEPTH).fold(
        json!({ "in": value }),
        |inner, _| json!({"in": {"k": inner}}),
    );
    let mut resource = DynamicMessage::new(package.resource.clone());
    let spec = Proto::Message(encode(&package, &content));
    resource.set_field_by_number(SPEC, spec);
    let mut answer = DynamicMessage::new(package.method("ListApps").unwrap().descriptor.output());
    let list = Proto::List(vec![Proto::Message(resource)]);
    answer.set_field_by_number(RESOURCE, list);
    let bytes = answer.encode_to_vec();
    let read = DynamicMessage::decode(answer.descriptor(), bytes.as_slice()).unwrap();
    assert!(read == answer);
    let message = encode(&package, &content);
    assert_eq!(put(&package, None, &message).unwrap(), content);
}

#[test]
fn no_bytes_make_it_panic() {
    let package = package(everything());
    let good = encode(
        &package,
        &json!({"name": "a", "size": 5, "nodes": [{"nodeName": "n", "disks": [{"size": 0.5, "any": [1]}]}],
        "labels": {"a": "b"}, "any": {"a": [null, true]}, "1st": "x", "byName": {"k": {"cpu": 1}}}),
    );
    let good = good.encode_to_vec();
    let mut rng = fastrand::Rng::with_seed(7);
    let (mut taken, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let mut bytes = good.clone();
        for _ in 0..rng.usize(1..6) {
            let at = rng.usize(..bytes.len());
            match rng.u8(..4) {
                0 => bytes.truncate(at + 1),
                1 => bytes.insert(at, rng.u8(..)),
                _ => bytes[at] = rng.u8(..),
            }
        }
        let decoded = DynamicMessage::decode(package.spec.descriptor.clone(), bytes.as_slice());
        match decoded
            .ok()
            .and_then(|message| put(&package, None, &message).ok())
        {
            Some(content) => {
                taken += 1;
                assert_eq!(
                    put(&package, Some(&content), &encode(&package, &content)).unwrap(),
                    content
                );
            }
            None => refused += 1,
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} {refused}");
}
