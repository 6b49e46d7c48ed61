//! Lists of messages: only items that say the same match, wherever they stand. What an item can't
//! say is never given to another.

use super::error::LensError;
use coeval_core::types::{pointer::child, same};
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;

/// The new items. `before` is what the stored ones said, without empty lists and maps: what an item
/// says with one and without one is not the same item.
pub(super) fn matched(
    (stored, before): (&[Value], &[Value]),
    told: &[Value],
    at: &str,
    dropped: &mut Vec<String>,
) -> Result<Vec<Value>, LensError> {
    // A queue for each thing that is said: of items that are the same, the first stays the first.
    let mut by_said: HashMap<String, VecDeque<(usize, &Value)>> = HashMap::new();
    for (item, said) in stored.iter().enumerate().zip(before) {
        by_said.entry(canonical(said)).or_default().push_back(item);
    }
    let wanted: Vec<String> = told.iter().map(canonical).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for key in &wanted {
        *counts.entry(key).or_default() += 1;
    }
    // Of items that say the same and are not the same, nobody knows which one is to go.
    for (key, items) in &by_said {
        let count = counts.get(key.as_str()).copied().unwrap_or(0);
        let differ = || {
            items
                .iter()
                .zip(items.iter().skip(1))
                .any(|((_, a), (_, b))| !same(a, b))
        };
        if count != 0 && count != items.len() && differ() {
            return Err(LensError::list(at));
        }
    }
    let mut new = Vec::with_capacity(told.len());
    let mut added = false;
    for (item, key) in told.iter().zip(&wanted) {
        let found = by_said.get_mut(key.as_str()).and_then(VecDeque::pop_front);
        added |= found.is_none();
        new.push(found.map_or(item, |(_, stored)| stored).clone());
    }
    let gone = by_said
        .iter()
        .flat_map(|(key, items)| items.iter().map(move |item| (key, item)));
    let unsaid = gone.filter(|(key, (_, item))| canonical(item) != **key);
    let mut unsaid: Vec<usize> = unsaid.map(|(_, (index, _))| *index).collect();
    // An item went and another came: it may be the same one, changed, and what it can't say would be lost.
    // With nothing added it is certain that the item is to be deleted.
    if added && !unsaid.is_empty() {
        return Err(LensError::list(at));
    }
    unsaid.sort_unstable();
    dropped.extend(unsaid.iter().map(|index| child(at, &index.to_string())));
    Ok(new)
}

/// A text that is the same for the same message: how numbers are written and the order of fields
/// don't matter.
fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            let mut fields: Vec<_> = map.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            text.push('{');
            for (key, value) in fields {
                let _ = write!(text, "{key:?}:");
                write(value, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        Value::Number(number) => {
            let whole = number
                .as_f64()
                .filter(|n| n.fract() == 0.0 && n.abs() < 9e15);
            let _ = match whole {
                Some(whole) => write!(text, "{}", whole + 0.0),
                None => write!(text, "{number}"),
            };
        }
        other => {
            let _ = write!(text, "{other}");
        }
    }
}
