//! What is the same in two schemas, references included.

use crate::convert::sketch::{SchemaSource, objects_in};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Keywords after which a reference can mean something else than its text says.
const MOVING: [&str; 7] = [
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$dynamicRef",
    "$recursiveRef",
    "$recursiveAnchor",
];

/// Whether the same reference can mean something else in another place of a schema.
pub(crate) fn has_moving_references(schema: &Value) -> bool {
    has_word(schema, &MOVING)
}

/// References that lead to the same in both.
#[derive(Debug)]
pub(super) struct SameReferences(HashSet<String>);

impl SameReferences {
    /// Of two schemas; `None` if the same text need not mean the same.
    pub(super) fn of(from: &SchemaSource, to: &SchemaSource) -> Option<Self> {
        let in_both = |source: &SchemaSource| !has_moving_references(&source.schema);
        // A moving reference, such as `$dynamicRef`, depends on where it is met.
        if from.draft != to.draft || !in_both(from) || !in_both(to) {
            return None;
        }
        let mut inside: HashMap<&str, Vec<&str>> = HashMap::new();
        // Only references of the target matter: the question is always about its parts.
        for reference in references(&to.schema) {
            let (known, wanted) = (from.resolve(reference), to.resolve(reference));
            if let (Some(known), Some(wanted)) = (known, wanted)
                && !inside.contains_key(reference)
                && known == wanted
            {
                inside.insert(reference, references(wanted));
            }
        }
        // A reference is the same as long as all that it leads to is.
        // To a fixed point: one that falls out takes with it those that lead to it.
        loop {
            let other = |inner: &&str| !inside.contains_key(inner);
            let differ = |(name, inner): (&&str, &Vec<&str>)| {
                let differs = inner.iter().any(other);
                differs.then(|| (*name).to_owned())
            };
            let gone: Vec<String> = inside.iter().filter_map(differ).collect();
            if gone.is_empty() {
                break;
            }
            for name in gone {
                inside.remove(name.as_str());
            }
        }
        Some(Self(inside.keys().map(|name| (*name).to_owned()).collect()))
    }

    /// Whether two schemas say the same.
    pub(super) fn is(&self, known: &Value, wanted: &Value) -> bool {
        let same = |reference: &&str| self.0.contains(*reference);
        known == wanted && references(wanted).iter().all(same)
    }
}

/// All references, those that only stand in values included.
fn references(schema: &Value) -> Vec<&str> {
    // Too many are harmless: a reference in a value only makes it differ.
    let found = objects_in(schema).filter_map(|map| map.get("$ref")?.as_str());
    found.collect()
}

fn has_word(schema: &Value, words: &[&str]) -> bool {
    objects_in(schema).any(|map| {
        let moves = |word: &&str| map.get(*word).is_some_and(Value::is_string);
        words.iter().any(moves)
    })
}
