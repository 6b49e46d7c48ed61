//! Which JSON values a field holds exactly, and as what.

use crate::kind::ItemKind;
use crate::limits::VALUE_DEPTH;
use serde_json::{Number, Value};

/// The value as the field holds it; nothing if it can't.
pub(super) fn held(item: ItemKind, value: &Value) -> Option<Value> {
    let fits = match item {
        ItemKind::String => value.is_string(),
        ItemKind::Bool => value.is_boolean(),
        ItemKind::Int64 => return whole(value.as_number()?).map(Value::from),
        ItemKind::Double => return double(value.as_number()?).map(Value::from),
        ItemKind::Struct => value.is_object() && exact(value, VALUE_DEPTH),
        ItemKind::Value => exact(value, VALUE_DEPTH),
        ItemKind::Message => false,
    };
    fits.then(|| value.clone())
}

/// A whole number, however it is written.
fn whole(number: &Number) -> Option<i64> {
    if let Some(whole) = number.as_i64() {
        return Some(whole);
    }
    let double = number.as_f64().filter(|_| number.is_f64())?;
    // From -2^63 on, and below 2^63: all whole doubles in between are an i64.
    let inside = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&double);
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and inside")]
    let whole = (inside && double.fract() == 0.0).then_some(double as i64);
    whole
}

/// The same number as a double.
fn double(number: &Number) -> Option<f64> {
    let double = number.as_f64().filter(|double| double.is_finite())?;
    // Beyond 2^53 a double may be near a whole number without being it; compared as integers they differ.
    let whole = number
        .as_i64()
        .map(i128::from)
        .or(number.as_u64().map(i128::from));
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a whole number came from 64 bits"
    )]
    let same = whole.is_none_or(|whole| double as i128 == whole);
    same.then_some(double)
}

/// Whether all numbers inside are doubles, and it is not too deep to be sent.
fn exact(value: &Value, depth: usize) -> bool {
    match value {
        Value::Number(number) => double(number).is_some(),
        Value::Array(items) => depth > 0 && items.iter().all(|one| exact(one, depth - 1)),
        Value::Object(map) => depth > 0 && map.values().all(|one| exact(one, depth - 1)),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_field_holds_what_comes_back_equal_and_nothing_else() {
        for (item, value, expected) in [
            (ItemKind::Int64, json!(3), Some(json!(3))),
            (ItemKind::Int64, json!(3.0), Some(json!(3))),
            (ItemKind::Int64, json!(i64::MIN), Some(json!(i64::MIN))),
            (ItemKind::Int64, json!(i64::MAX), Some(json!(i64::MAX))),
            (
                ItemKind::Int64,
                json!(-9_223_372_036_854_775_808.0),
                Some(json!(i64::MIN)),
            ),
            (ItemKind::Int64, json!(9_223_372_036_854_775_808.0), None),
            (ItemKind::Int64, json!(u64::MAX), None),
            (ItemKind::Int64, json!(3.5), None),
            (ItemKind::Int64, json!("3"), None),
            (ItemKind::Int64, json!(null), None),
            (ItemKind::Double, json!(3), Some(json!(3.0))),
            (ItemKind::Double, json!(0.1), Some(json!(0.1))),
            (
                ItemKind::Double,
                json!(9_007_199_254_740_992_u64),
                Some(json!(9_007_199_254_740_992.0)),
            ),
            (ItemKind::Double, json!(9_007_199_254_740_993_u64), None),
            (ItemKind::Double, json!(u64::MAX), None),
            (ItemKind::String, json!(""), Some(json!(""))),
            (ItemKind::String, json!(false), None),
            (ItemKind::Bool, json!(false), Some(json!(false))),
            (ItemKind::Value, json!(null), Some(json!(null))),
            (
                ItemKind::Value,
                json!([1, {"a": null}]),
                Some(json!([1, {"a": null}])),
            ),
            (ItemKind::Value, json!([[9_007_199_254_740_993_u64]]), None),
            (ItemKind::Struct, json!({}), Some(json!({}))),
            (ItemKind::Struct, json!([]), None),
        ] {
            assert_eq!(held(item, &value), expected, "{item:?} {value}");
        }
    }

    #[test]
    fn a_value_that_is_too_deep_to_be_sent_is_not_held() {
        let deep = |levels| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert!(held(ItemKind::Value, &deep(VALUE_DEPTH)).is_some());
        assert!(held(ItemKind::Value, &deep(VALUE_DEPTH + 1)).is_none());
    }
}
