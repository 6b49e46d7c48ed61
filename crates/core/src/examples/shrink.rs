//! A document that shows something, as small as it can be said.

use serde_json::{Value, json};

/// Documents that are tried on the way.
const TRIES: usize = 400;

/// Leaves out fields and items for as long as the rest still shows it, then makes values plain.
pub(crate) fn shrink<T>(
    mut shown: T,
    document: impl Fn(&T) -> &Value,
    mut try_one: impl FnMut(Value) -> Option<T>,
) -> T {
    let mut tries = 0;
    for change in [
        ShrinkAttempt::Leave,
        ShrinkAttempt::Plain,
        ShrinkAttempt::Half,
    ] {
        let mut number = 0;
        while tries < TRIES {
            let mut smaller = document(&shown).clone();
            let mut seen = 0;
            match change_nth(&mut smaller, change, number, &mut seen) {
                None => break,
                Some(false) => number += 1,
                Some(true) => {
                    tries += 1;
                    match try_one(smaller) {
                        Some(smaller) => shown = smaller,
                        None => number += 1,
                    }
                }
            }
        }
    }
    shown
}

#[derive(Clone, Copy)]
enum ShrinkAttempt {
    Leave,
    Plain,
    Half,
}

/// Changes the field or item with that number, counted from outside; whether it is another now,
/// `None` if there is no such.
fn change_nth(
    value: &mut Value,
    change: ShrinkAttempt,
    nth: usize,
    seen: &mut usize,
) -> Option<bool> {
    let inner = match value {
        Value::Object(map) => map.len(),
        Value::Array(items) => items.len(),
        _ => return None,
    };
    if nth < *seen + inner {
        let at = nth - *seen;
        return match (value, change) {
            (Value::Object(map), ShrinkAttempt::Leave) => {
                let key = map.keys().nth(at).cloned()?;
                map.shift_remove(&key).map(|_| true)
            }
            (Value::Array(items), ShrinkAttempt::Leave) => {
                items.remove(at);
                Some(true)
            }
            (Value::Object(map), _) => map.values_mut().nth(at).map(|inner| plain(inner, change)),
            (Value::Array(items), _) => items.get_mut(at).map(|inner| plain(inner, change)),
            _ => None,
        };
    }
    *seen += inner;
    match value {
        Value::Object(map) => map
            .values_mut()
            .find_map(|inner| change_nth(inner, change, nth, seen)),
        Value::Array(items) => items
            .iter_mut()
            .find_map(|inner| change_nth(inner, change, nth, seen)),
        _ => None,
    }
}

/// The plainest value of the same type, or of one that is no whole number.
fn plain(value: &mut Value, change: ShrinkAttempt) -> bool {
    let plain = match (&value, change) {
        (Value::String(text), ShrinkAttempt::Plain) if !text.is_empty() => json!(""),
        (Value::Number(number), ShrinkAttempt::Plain) if number.as_f64() != Some(0.0) => json!(0),
        (Value::Number(number), ShrinkAttempt::Half)
            if number.is_f64() && number.as_f64() != Some(0.5) =>
        {
            json!(0.5)
        }
        _ => return false,
    };
    *value = plain;
    true
}
