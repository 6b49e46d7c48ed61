//! Bounds that can be compared at a glance.

use super::conjunction::Conjunction;
use crate::examples::DocumentEdit;
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// Bounds from below and from above, each with those that are as good or better.
const LEAST: [&str; 4] = ["minimum", "minLength", "minItems", "minProperties"];
const MOST: [&str; 4] = ["maximum", "maxLength", "maxItems", "maxProperties"];

/// Leaves out the bounds that one of the parts keeps already.
pub(super) fn omit_kept(c: &Conjunction<'_>, wanted: &mut Value) {
    let Some(map) = wanted.as_object_mut() else {
        return;
    };
    // In draft 4 a bound may stand beside a word that makes it exclusive. Among what is known it
    // only says more.
    let words = ["exclusiveMinimum", "exclusiveMaximum"];
    if words
        .iter()
        .any(|word| map.get(*word).is_some_and(Value::is_boolean))
    {
        return;
    }
    map.retain(|word, limit| !c.maps().any(|known| keeps(known, word, limit)));
}

fn keeps(known: &Map<String, Value>, word: &str, limit: &Value) -> bool {
    let Some(own) = known.get(word) else {
        return false;
    };
    let order = || compared(own, limit);
    // A greater least, or a smaller most, keeps the wanted one as well.
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

/// Items or properties that are counted.
const COUNTED: u64 = 2_000;
/// Letters of a text.
const LETTERS: u64 = 100_000;

/// What is just too short or too long.
pub(super) fn just_outside(wanted: &Value) -> Vec<DocumentEdit> {
    let number = |word: &str| wanted.get(word).and_then(Value::as_u64);
    // One below the least and one above the most: the nearest documents that break.
    let outside = |least: &str, most: &str, limit: u64| {
        let fewer = number(least).and_then(|least| least.checked_sub(1));
        let more = number(most).and_then(|most| most.checked_add(1));
        let sizes = [fewer, more].into_iter().flatten();
        // Documents are really made of these, so sizes are bounded.
        let sizes = sizes.filter(move |size| *size <= limit);
        sizes.filter_map(|size| usize::try_from(size).ok())
    };
    let items = outside("minItems", "maxItems", COUNTED).map(DocumentEdit::Items);
    let properties =
        outside("minProperties", "maxProperties", COUNTED).map(DocumentEdit::Properties);
    let texts = outside("minLength", "maxLength", LETTERS);
    let texts = texts.map(|size| DocumentEdit::Set(Value::from("a".repeat(size))));
    // Two items are enough for two that are equal.
    let twice =
        (wanted.get("uniqueItems") == Some(&Value::Bool(true))).then_some(DocumentEdit::Items(2));
    let names = wanted.get("propertyNames").map(odd_names);
    let names = names
        .unwrap_or_default()
        .into_iter()
        .map(DocumentEdit::Named);
    let counted = items.chain(properties).chain(texts).chain(twice);
    counted.chain(names).collect()
}

/// Names that a rule for names may not take.
fn odd_names(rule: &Value) -> Vec<String> {
    let number = |word: &str| rule.get(word).and_then(Value::as_u64);
    let long = number("maxLength").and_then(|most| most.checked_add(1));
    let short = number("minLength").and_then(|least| least.checked_sub(1));
    let sizes = [long, short].into_iter().flatten();
    let sizes = sizes.filter(|size| *size <= LETTERS);
    let sized = sizes.filter_map(|size| Some("a".repeat(usize::try_from(size).ok()?)));
    let odd = ["other", "A", "0", "a b", "-", "_", ""].map(str::to_owned);
    sized.chain(odd).collect()
}
