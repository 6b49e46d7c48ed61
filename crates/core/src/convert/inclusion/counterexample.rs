//! Values that fit one schema and not another.

use crate::convert::sketch::has_reference;
use crate::examples::Examples;
use crate::types::Schema;
use serde_json::{Value, json};

/// Values of one kind that are given.
const VALUES: usize = 3;
/// Documents of the one that are tried on the other.
const TRIES: usize = 40;

/// Values that `known` accepts and `wanted` does not, as far as they are found.
pub(super) fn values(
    difference: Option<Value>,
    known: Value,
    wanted: Value,
    seed: usize,
) -> Vec<Value> {
    let seed = u64::try_from(seed).unwrap_or(0);
    let mut found: Vec<Value> = Vec::new();
    // The algebra has said what the difference is: documents of it are the best examples.
    if let Some(schema) = difference.and_then(|schema| Schema::compile(schema).ok()) {
        found.extend(Examples::of(&schema, seed).take(VALUES));
    }
    // Without the schema nothing can be tried; what was found is still true.
    let Ok(rejects) = Schema::compile(wanted.clone()) else {
        return found;
    };
    // Otherwise by trying: documents of the one that the other rejects.
    if let Ok(schema) = Schema::compile(known.clone()) {
        let documents = Examples::of(&schema, seed).take(TRIES);
        let wrong = documents.filter(|document| !rejects.validator.is_valid(document));
        found.extend(wrong.take(VALUES));
    }
    // Asked of the generator as a schema; that costs most, and references have no place in it.
    if found.is_empty() && !has_reference(&wanted) {
        found.extend(excluded(known, wanted, seed));
    }
    found
}

/// The same, asked for in so many words.
fn excluded(known: Value, mut wanted: Value, seed: u64) -> Vec<Value> {
    // The dialect may only stand at the root.
    if let Some(map) = wanted.as_object_mut() {
        map.shift_remove("$schema");
    }
    let mut schema = known;
    let Some(map) = schema.as_object_mut() else {
        return Vec::new();
    };
    // `allOf` keeps what was there beside the `not`.
    let both = json!([{"allOf": map.shift_remove("allOf").unwrap_or_else(|| json!([{}]))}, {"not": wanted}]);
    map.insert("allOf".to_owned(), both);
    match Schema::compile(schema) {
        Ok(schema) => Examples::of(&schema, seed).take(VALUES).collect(),
        Err(_) => Vec::new(),
    }
}
