//! How many evaluations a validation would take. Schemas that refer to each other can double the
//! work on every level of the content; that is counted before it is done.

use super::limits::{CONTENT_DEPTH, VALIDATION_WORK};
use super::part::{PartId, SchemaPart};
use super::shape::SchemaShape;
use serde_json::Value;
use std::collections::HashMap;

type PartTimes = HashMap<PartId, u64>;

/// Whether validating the content stays within the limit.
pub(crate) fn is_affordable(shape: &SchemaShape, content: &Value) -> bool {
    let mut spent = 0;
    count(shape, PartTimes::from([(0, 1)]), content, 0, &mut spent);
    spent <= VALIDATION_WORK
}

fn count(shape: &SchemaShape, reached: PartTimes, value: &Value, depth: usize, spent: &mut u64) {
    let mut applied = PartTimes::new();
    let mut todo: Vec<_> = reached.into_iter().collect();
    while let Some((id, times)) = todo.pop() {
        *spent = spent.saturating_add(times);
        if *spent > VALIDATION_WORK {
            return;
        }
        let total = applied.entry(id).or_default();
        *total = total.saturating_add(times);
        let beside = shape.part(id).into_iter().flat_map(SchemaPart::beside);
        todo.extend(beside.map(|other| (other, times)));
    }
    let inner: Vec<(Option<&str>, usize, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(k, v)| (Some(k.as_str()), 0, v)).collect(),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .map(|(i, v)| (None, i, v))
            .collect(),
        _ => return,
    };
    if depth >= CONTENT_DEPTH {
        return;
    }
    for (key, index, value) in inner {
        let mut reached = PartTimes::new();
        for (id, times) in &applied {
            let Some(part) = shape.part(*id) else {
                continue;
            };
            let given = match key {
                Some(key) => part.of_property(key),
                None => part.of_item(index).into_iter().collect(),
            };
            for other in given.into_iter().chain(part.inner.iter().copied()) {
                let total = reached.entry(other).or_default();
                *total = total.saturating_add(*times);
            }
        }
        if *spent > VALIDATION_WORK {
            return;
        }
        if !reached.is_empty() {
            count(shape, reached, value, depth + 1, spent);
        }
    }
}
