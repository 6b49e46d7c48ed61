//! Bounds that can be compared at a glance.

use super::conjunction::Conjunction;
use jsonschema::Draft;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Bounds from below and from above, each with those that are as good or better.
const LEAST: [&str; 4] = ["minimum", "minLength", "minItems", "minProperties"];
const MOST: [&str; 4] = ["maximum", "maxLength", "maxItems", "maxProperties"];

/// Leaves out the bounds that one of the parts keeps already.
pub(super) fn leave_out_kept(c: &Conjunction<'_>, draft: Draft, wanted: &mut Value) {
    let Some(map) = wanted.as_object_mut() else {
        return;
    };
    // There they stand beside a word that makes them exclusive.
    let old = draft == Draft::Draft4;
    let exclusive = |map: &Map<String, Value>| {
        let words = ["exclusiveMinimum", "exclusiveMaximum"];
        words
            .iter()
            .any(|word| map.get(*word).is_some_and(Value::is_boolean))
    };
    if old || exclusive(map) {
        return;
    }
    map.retain(|word, limit| !c.maps().any(|known| keeps(known, word, limit)));
}

fn keeps(known: &Map<String, Value>, word: &str, limit: &Value) -> bool {
    let Some(own) = known.get(word) else {
        return false;
    };
    let order = || compared(own, limit);
    if LEAST.contains(&word) {
        order().is_some_and(Ordering::is_ge)
    } else if MOST.contains(&word) {
        order().is_some_and(Ordering::is_le)
    } else {
        false
    }
}

fn compared(own: &Value, limit: &Value) -> Option<Ordering> {
    match (own.as_i64(), limit.as_i64()) {
        (Some(own), Some(limit)) => Some(own.cmp(&limit)),
        _ => None,
    }
}
