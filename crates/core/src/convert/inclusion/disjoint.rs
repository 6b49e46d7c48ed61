//! Alternatives of which no two fit the same value.

use super::conjunction::Conjunction;
use crate::convert::sketch::{JsonKinds, SchemaSource};
use crate::types::same;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Alternatives that are told apart.
const ALTERNATIVES: usize = 32;

/// Whether all of them differ by their types, or by the value of a property that both require.
pub(super) fn all(source: &SchemaSource, list: &[Value]) -> bool {
    if list.len() > ALTERNATIVES {
        return false;
    }
    let known: Vec<Conjunction<'_>> = list
        .iter()
        .map(|one| Conjunction::of(source, [one]))
        .collect();
    let mut rest = known.as_slice();
    while let Some((first, others)) = rest.split_first() {
        if !others.iter().all(|other| disjoint(source, first, other)) {
            return false;
        }
        rest = others;
    }
    true
}

fn disjoint(source: &SchemaSource, one: &Conjunction<'_>, other: &Conjunction<'_>) -> bool {
    let kinds = one.kinds().and(other.kinds());
    // No value has two types.
    if kinds.is_none() {
        return true;
    }
    if let (Some(one), Some(other)) = (one.finite(), other.finite())
        && !overlap(&one, &other)
    {
        return true;
    }
    // Only objects fit both, and they differ by a tag.
    kinds.within(JsonKinds::OBJECT)
        && required(one).intersection(&required(other)).any(|tag| {
            let (one, other) = (one.property(source, tag), other.property(source, tag));
            // The tag of tagged unions: listed values that never meet.
            match (one.finite(), other.finite()) {
                (Some(one), Some(other)) => !overlap(&one, &other),
                _ => one.kinds().and(other.kinds()).is_none(),
            }
        })
}

fn required<'a>(one: &Conjunction<'a>) -> BTreeSet<&'a str> {
    let lists = one
        .maps()
        .filter_map(|map: &Map<String, Value>| map.get("required")?.as_array());
    lists.flatten().filter_map(Value::as_str).collect()
}

fn overlap(one: &[Value], other: &[Value]) -> bool {
    let is_there = |value: &Value| other.iter().any(|other| same(value, other));
    one.iter().any(is_there)
}
