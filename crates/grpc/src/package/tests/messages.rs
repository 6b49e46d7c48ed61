//! What messages are refused, and what is left out of them.

use super::*;
use crate::package::encode::encode;
use crate::package::error::TypedError;
use crate::package::put::put;
use coeval_codes::Coded;
use prost_reflect::{DynamicMessage, MapKey, Value as Proto};
use std::collections::HashMap;

fn set(message: &mut DynamicMessage, name: &str, value: Proto) {
    message.set_field_by_name(name, value);
}

#[test]
fn content_is_said_in_the_fields_of_the_package() {
    let package = package(everything());
    let message = encode(
        &package,
        &json!({"name": "", "size": 0, "Free-Form": {"a": [null, 1]}, "1st": "x", "net": {"$x": 3},
        "nodes": [{"nodeName": "a"}], "nullable": null, "unknown": 1, "ratio": 9_007_199_254_740_993_u64}),
    );
    let printed = serde_json::to_value(&message).unwrap();
    // As protobuf's own JSON prints it.
    assert_eq!(
        printed,
        json!({"name": "", "size": "0", "Free-Form": {"a": [null, 1.0]}, "extra": {"1st": "x"},
        "net": {"extra": {"$x": 3.0}}, "nodes": [{"nodeName": "a"}], "nullable": null})
    );
}

#[test]
fn what_content_cant_be_is_refused() {
    let package = package(everything());
    let fresh = || DynamicMessage::new(package.spec.descriptor.clone());
    let value = |field: &str, inner: Proto| {
        let mut value = DynamicMessage::new(package.values.value.clone());
        set(&mut value, field, inner);
        value
    };
    let holding = |name: &str, message: DynamicMessage| {
        let mut outer = fresh();
        set(&mut outer, name, Proto::Message(message));
        outer
    };
    let object = |name: &str, inner: DynamicMessage| {
        let mut object = DynamicMessage::new(package.values.object_message.clone());
        set(
            &mut object,
            "fields",
            Proto::Map(HashMap::from([(
                MapKey::String(name.into()),
                Proto::Message(inner),
            )])),
        );
        object
    };
    let mut infinite = fresh();
    set(&mut infinite, "ratio", Proto::F64(f64::INFINITY));
    let deep = (0..coeval_typed::limits::VALUE_DEPTH + 1)
        .fold(value("bool_value", Proto::Bool(true)), |inner, _| {
            value("struct_value", Proto::Message(object("a", inner)))
        });
    let unknown =
        DynamicMessage::decode(package.spec.descriptor.clone(), &[0xf8, 0x07, 1][..]).unwrap();
    for (what, message, code) in [
        ("an infinity", infinite, coeval_codes::TYPED_NUMBER),
        (
            "a NaN inside",
            holding("any", value("number_value", Proto::F64(f64::NAN))),
            coeval_codes::TYPED_NUMBER,
        ),
        (
            "a value of no kind",
            holding("any", DynamicMessage::new(package.values.value.clone())),
            coeval_codes::TYPED_VALUE_EMPTY,
        ),
        (
            "another's field in extra",
            holding(
                "extra",
                object("name", value("bool_value", Proto::Bool(true))),
            ),
            coeval_codes::TYPED_EXTRA_UNKNOWN,
        ),
        (
            "nobody's field in extra",
            holding(
                "extra",
                object("new", value("bool_value", Proto::Bool(true))),
            ),
            coeval_codes::TYPED_EXTRA_UNKNOWN,
        ),
        (
            "too many levels",
            holding("any", deep),
            coeval_codes::TYPED_TOO_DEEP,
        ),
        (
            "a field of a newer package",
            unknown,
            coeval_codes::TYPED_FIELD_UNKNOWN,
        ),
    ] {
        let refused = put(&package, None, &message).unwrap_err();
        assert_eq!(refused.code(), code, "{what}: {refused}");
        assert!(!refused.advice().is_empty());
    }
}

#[test]
fn a_list_that_holds_what_the_message_cant_say_is_not_changed_blindly() {
    let package = package(everything());
    let stored = json!({"nodes": [{"nodeName": "a", "gpu": 1}]});
    let mut message = encode(&package, &stored);
    let nodes = message
        .get_field_by_name_mut("nodes")
        .unwrap()
        .as_list_mut()
        .unwrap();
    set(
        nodes[0].as_message_mut().unwrap(),
        "node_name",
        Proto::String("b".into()),
    );
    let refused = put(&package, Some(&stored), &message).unwrap_err();
    assert!(matches!(&refused, TypedError::Lens(_)), "{refused}");
    assert_eq!(refused.code(), coeval_codes::TYPED_ITEM_UNMATCHED);
    message.clear_field_by_name("nodes");
    assert_eq!(
        put(&package, Some(&stored), &message).unwrap(),
        json!({"nodes": []})
    );
}
