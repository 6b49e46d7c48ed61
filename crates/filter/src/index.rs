//! Keys of an index: what a resource is found by.
//!
//! Every resource has at least one key in each index, also if the field is missing: so a listing can be read in the
//! index's order. Long keys are cut, and a resource with too many values has one key that every plan reads.

use crate::check::encoded;
use crate::encoding::{MANY, MISSING, put_number, put_text, put_version};
use crate::encoding::{number_bytes, put_value};
use crate::field::FilterField;
use crate::limits::{KEY_BYTES, KEY_WEIGHT};
use crate::view::{FieldValue, FilterView, visit};
use serde_json::Value;
use std::collections::BTreeSet;

/// An index that a plan may use: made with [`index_keys`] of this field of the very view that is filtered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexInfo {
    /// Its name.
    pub name: String,
    /// What it indexes at the wanted version.
    pub field: FilterField,
    /// Whether the field has one value at most and never a list. If in doubt: no.
    pub single: bool,
}

/// The keys of a resource in the index of a field, `most` at most, in order.
#[must_use]
pub fn index_keys(
    field: &FilterField,
    seen: &(impl FilterView + ?Sized),
    most: usize,
) -> Vec<Vec<u8>> {
    let mut keys = BTreeSet::new();
    visit(field, seen, &mut |shown| {
        match shown {
            // A list is found by each of its items, as a filter compares with each of them.
            FieldValue::Json(Value::Array(items)) if !items.is_empty() => {
                for item in items {
                    keys.insert(cut(encoded(item)));
                    // One more than allowed is enough to know that it is too many.
                    if keys.len() > most {
                        break;
                    }
                }
            }
            other => {
                let mut bytes = Vec::new();
                put_shown(&other, &mut bytes);
                keys.insert(cut(bytes));
            }
        }
        // Stops the visit as well: content may lead to very many values.
        keys.len() > most
    });
    if keys.is_empty() {
        // Missing has a key of its own, before those of all values.
        return vec![vec![MISSING]];
    }
    if keys.len() > most {
        // Under one key for all such resources: every plan reads it as well, and the filter
        // decides.
        return vec![vec![MANY]];
    }
    keys.into_iter().collect()
}

pub(crate) fn put_shown(shown: &FieldValue<'_>, bytes: &mut Vec<u8>) {
    match shown {
        FieldValue::Text(text) => put_text(text, bytes),
        FieldValue::Time(time) => put_number(&number_bytes(&(*time).into()), bytes),
        FieldValue::Version(version) => put_version(*version, bytes),
        FieldValue::Json(value) => put_value(value, bytes),
    }
}

/// The beginning that a key keeps. Bytes below `0` take three where stores escape them; a cut that counts
/// them so keeps the order: what is cut earlier had a lower byte there.
pub(crate) fn cut(mut bytes: Vec<u8>) -> Vec<u8> {
    // By weight and not by length, since stores may escape low bytes.
    let mut weight = 0;
    let fits = |byte: &u8| {
        weight += heaviness(*byte);
        weight <= KEY_WEIGHT
    };
    let kept = bytes
        .iter()
        .take(KEY_BYTES)
        .copied()
        .take_while(fits)
        .count();
    bytes.truncate(kept);
    bytes
}

const fn heaviness(byte: u8) -> usize {
    if byte < b'0' { 3 } else { 1 }
}

/// Whether resources with this key may differ in the field: a reader in the index's order sorts these among themselves.
#[must_use]
pub fn may_be_cut(key: &[u8]) -> bool {
    let weight: usize = key.iter().map(|byte| heaviness(*byte)).sum();
    key.len() >= KEY_BYTES || weight + 3 > KEY_WEIGHT
}
