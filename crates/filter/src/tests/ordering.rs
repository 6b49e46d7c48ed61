//! Bytes compare as the values do.

use super::resource::{Resource, at, numbers, resources, scalars, values};
use crate::index::cut;
use crate::{
    FilterField, IndexInfo, SortDirection, SortKey, SortOrder, index_keys, index_value, may_be_cut,
};
use proptest::prelude::*;
use serde_json::{Number, Value, json};
use std::cmp::Ordering;

/// An independent definition of the order of values.
fn order(left: &Value, right: &Value) -> Ordering {
    fn rank(value: &Value) -> u8 {
        match value {
            Value::Null => 0,
            Value::Bool(_) => 1,
            Value::Number(_) => 2,
            Value::String(_) => 3,
            Value::Array(_) => 4,
            Value::Object(_) => 5,
        }
    }
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::Number(left), Value::Number(right)) => order_of_numbers(left, right),
        (Value::String(left), Value::String(right)) => left.as_bytes().cmp(right.as_bytes()),
        (Value::Array(left), Value::Array(right)) => {
            let items = left
                .iter()
                .zip(right)
                .map(|(left, right)| order(left, right));
            let differs = items.into_iter().find(|ordering| ordering.is_ne());
            differs.unwrap_or(left.len().cmp(&right.len()))
        }
        (Value::Object(left), Value::Object(right)) => {
            let flat = |map: &serde_json::Map<String, Value>| {
                let mut entries: Vec<_> = map.clone().into_iter().collect();
                entries.sort_by(|(left, _), (right, _)| left.cmp(right));
                let flat = entries
                    .into_iter()
                    .flat_map(|(key, value)| [Value::String(key), value]);
                Value::Array(flat.collect())
            };
            order(&flat(left), &flat(right))
        }
        _ => rank(left).cmp(&rank(right)),
    }
}

/// By 128-bit integers and doubles: a double beyond them is beyond every integer.
fn order_of_numbers(left: &Number, right: &Number) -> Ordering {
    let whole = |number: &Number| {
        let unsigned = number.as_u64().map(i128::from);
        unsigned.or_else(|| number.as_i64().map(i128::from))
    };
    let double = |number: &Number| number.as_f64().unwrap();
    match (whole(left), whole(right)) {
        (Some(left), Some(right)) => left.cmp(&right),
        (None, None) => double(left).partial_cmp(&double(right)).unwrap(),
        (None, Some(right)) => order_of_double(double(left), right),
        (Some(left), None) => order_of_double(double(right), left).reverse(),
    }
}

fn order_of_double(double: f64, whole: i128) -> Ordering {
    if double.abs() >= 1e30 {
        return double.partial_cmp(&0.0).unwrap();
    }
    // Exact: the whole part of such a double fits 128 bits.
    let floor = double.floor();
    let by_floor = (floor as i128).cmp(&whole);
    by_floor.then(double.partial_cmp(&floor).unwrap())
}

fn ascending(path: &str) -> SortOrder {
    SortOrder::new(vec![(at(path), SortDirection::Ascending)]).unwrap()
}

#[test]
fn one_and_one_point_zero_are_the_same_and_minus_zero_is_zero() {
    assert_eq!(index_value(&json!(1)), index_value(&json!(1.0)));
    assert_eq!(index_value(&json!(-0.0)), index_value(&json!(0)));
    assert_eq!(index_value(&json!([1])), None);
    assert_eq!(index_value(&json!({})), None);
}

#[test]
fn a_ladder_of_values_is_a_ladder_of_bytes() {
    let ladder = [
        json!(null),
        json!(false),
        json!(true),
        json!(f64::MIN),
        json!(i64::MIN),
        json!(-1.5),
        json!(-1),
        json!(-5e-324),
        json!(0),
        json!(5e-324),
        json!(f64::MIN_POSITIVE),
        json!(0.1),
        json!(1),
        json!(9_007_199_254_740_992.0),
        json!(9_007_199_254_740_993_u64),
        json!(i64::MAX),
        json!(9_223_372_036_854_775_808.0),
        json!(9_223_372_036_854_775_809_u64),
        json!(u64::MAX),
        json!(18_446_744_073_709_551_616.0),
        json!(f64::MAX),
        json!(""),
        json!("\0"),
        json!("\0\0"),
        json!("\0\u{1}"),
        json!("\u{1}"),
        json!("a"),
        json!("a\0"),
        json!("a\0b"),
        json!("aa"),
        json!("é"),
        json!([]),
        json!([null]),
        json!([[]]),
        json!({}),
        json!({"a": 1}),
        json!({"a": 1, "b": 0}),
        json!({"a": 2}),
    ];
    let missing = ascending("a").key(&Resource::with(json!({})));
    let key = |value: &Value| ascending("a").key(&Resource::with(json!({"a": value})));
    assert!(missing < key(&ladder[0]));
    for pair in ladder.windows(2) {
        assert!(key(&pair[0]) < key(&pair[1]), "{} {}", pair[0], pair[1]);
        assert_eq!(order(&pair[0], &pair[1]), Ordering::Less);
    }
}

#[test]
fn the_id_decides_at_last_in_the_direction_of_the_last_field() {
    let resource = |id: &str, a: i32| Resource {
        id: id.into(),
        ..Resource::with(json!({"a": a}))
    };
    let (first, second) = (resource("1", 7), resource("2", 7));
    assert!(ascending("a").key(&first) < ascending("a").key(&second));
    let descending = SortOrder::new(vec![(at("a"), SortDirection::Descending)]).unwrap();
    assert!(descending.key(&second) < descending.key(&first));
    assert!(descending.key(&first) < descending.key(&resource("3", 6)));
    let by_id = SortOrder::new(vec![]).unwrap();
    assert!(by_id.key(&first) < by_id.key(&second));
}

#[test]
fn a_field_with_several_values_stands_where_its_first_one_does() {
    let several = Resource::with(json!({"n": [{"a": 1}, {"a": 9}]}));
    let five = Resource::with(json!({"n": [{"a": 5}]}));
    assert!(ascending("n.a").key(&several) < ascending("n.a").key(&five));
    let descending = SortOrder::new(vec![(at("n.a"), SortDirection::Descending)]).unwrap();
    assert!(descending.key(&several) < descending.key(&five));
}

#[test]
fn an_index_of_one_value_gives_the_order_of_one_field() {
    let index = |name: &str, field: FilterField, single| IndexInfo {
        name: name.into(),
        field,
        single,
    };
    let indexes = [
        index("many", at("a"), false),
        index("one", at("a"), true),
        index("name", FilterField::Name, true),
    ];
    let by = |fields: Vec<(FilterField, SortDirection)>| {
        SortOrder::new(fields).unwrap().by_index(&indexes)
    };
    assert_eq!(
        by(vec![(at("a"), SortDirection::Ascending)]),
        Some(("one".into(), SortDirection::Ascending))
    );
    assert_eq!(
        by(vec![(FilterField::Name, SortDirection::Descending)]),
        Some(("name".into(), SortDirection::Descending))
    );
    assert_eq!(by(vec![(at("b"), SortDirection::Ascending)]), None);
    assert_eq!(by(vec![]), None);
    assert_eq!(
        by(vec![
            (at("a"), SortDirection::Ascending),
            (FilterField::Name, SortDirection::Ascending)
        ]),
        None
    );
}

proptest! {
    #[test]
    fn the_bytes_of_numbers_are_in_the_order_of_the_numbers(left in numbers(), right in numbers()) {
        prop_assert_eq!(index_value(&left).cmp(&index_value(&right)), order(&left, &right));
    }

    #[test]
    fn the_bytes_of_scalars_are_in_the_order_of_the_values_and_none_begins_another(left in scalars(), right in scalars()) {
        let (left_bytes, right_bytes) = (index_value(&left).unwrap(), index_value(&right).unwrap());
        prop_assert_eq!(left_bytes.cmp(&right_bytes), order(&left, &right));
        prop_assert!(left_bytes == right_bytes || !left_bytes.starts_with(&right_bytes));
    }

    #[test]
    fn cutting_keeps_the_order(left in scalars(), right in scalars()) {
        let key = |value: &Value| cut(index_value(value).unwrap());
        let (left_key, right_key) = (key(&left), key(&right));
        match left_key.cmp(&right_key) {
            Ordering::Equal => prop_assert!(order(&left, &right).is_eq() || may_be_cut(&left_key)),
            other => prop_assert_eq!(other, order(&left, &right)),
        }
    }

    #[test]
    fn keys_of_several_fields_compare_field_by_field_each_its_way(
        left in (values(), values(), "[a-c]"),
        right in (values(), values(), "[a-c]"),
        first_down in any::<bool>(),
        second_down in any::<bool>(),
    ) {
        let direction = |down| if down { SortDirection::Descending } else { SortDirection::Ascending };
        let turned = |ordering: Ordering, down| if down { ordering.reverse() } else { ordering };
        let by = SortOrder::new(vec![(at("a"), direction(first_down)), (at("b"), direction(second_down))]).unwrap();
        let key = |(a, b, id): &(Value, Value, String)| -> SortKey {
            by.key(&Resource { id: id.clone(), ..Resource::with(json!({"a": a, "b": b})) })
        };
        let expected = turned(order(&left.0, &right.0), first_down)
            .then(turned(order(&left.1, &right.1), second_down))
            .then(turned(left.2.cmp(&right.2), second_down));
        prop_assert_eq!(key(&left).cmp(&key(&right)), expected);
    }

    #[test]
    fn an_index_read_in_order_gives_the_order(some in prop::collection::vec(resources(), 0..12), down in any::<bool>()) {
        let some: Vec<_> = some.into_iter().enumerate().map(|(n, r)| Resource { id: format!("{n:02}"), ..r }).collect();
        for field in [FilterField::Name, FilterField::Created, FilterField::Version] {
            let direction = if down { SortDirection::Descending } else { SortDirection::Ascending };
            let by = SortOrder::new(vec![(field.clone(), direction)]).unwrap();
            let mut entries: Vec<_> = some.iter().map(|r| (index_keys(&field, r, 4).remove(0), &r.id, by.key(r))).collect();
            entries.sort_by(|left, right| (&left.0, left.1).cmp(&(&right.0, right.1)));
            if down {
                entries.reverse();
            }
            for pair in entries.windows(2) {
                let tied = pair[0].0 == pair[1].0 && may_be_cut(&pair[0].0);
                prop_assert!(pair[0].2 < pair[1].2 || tied);
            }
        }
    }
}
