use crate::types::{differing, same};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_smallest_places_are_named_in_order() {
    let a = json!({"same": [1, {"x": 1.0}], "a/b": {"c": 1, "d": 2}, "list": [1, 2, 3], "gone": 1, "short": [1]});
    let b = json!({"same": [1.0, {"x": 1}], "a/b": {"d": 3, "c": 1}, "list": [1, 5, 3], "new": 1, "short": [1, 2]});
    assert_eq!(
        differing(&a, &b, 10),
        ["/a~1b/d", "/list/1", "/gone", "/short", "/new"]
    );
    assert_eq!(differing(&a, &b, 2), ["/a~1b/d", "/list/1"]);
    assert!(differing(&a, &b, 0).is_empty());
    assert_eq!(differing(&json!(1), &json!([1]), 9), [""]);
}

#[test]
fn documents_of_any_depth_are_compared() {
    let deep = |end: u8| {
        let mut value = json!(end);
        for _ in 0..1_000 {
            value = json!([value]);
        }
        value
    };
    let (one, other) = (deep(1), deep(2));
    assert!(differing(&one, &one, 9).is_empty());
    assert_eq!(differing(&one, &other, 9), ["/0".repeat(128)]);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        (0..3_i32).prop_map(Value::from),
        Just(json!(1.0))
    ];
    leaf.prop_recursive(3, 20, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec(("[ab/~]", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn there_is_none_exactly_if_they_are_the_same(a in any_value(), b in any_value()) {
        let found = differing(&a, &b, 100);
        prop_assert_eq!(found.is_empty(), same(&a, &b));
        for pointer in found {
            let pair = (a.pointer(&pointer), b.pointer(&pointer));
            let differ = match pair {
                (Some(a), Some(b)) => !same(a, b),
                (a, b) => a.is_some() != b.is_some(),
            };
            prop_assert!(differ, "{}", pointer);
        }
    }
}
