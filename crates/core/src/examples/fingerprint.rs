//! Documents told apart, whatever the order of their keys.

use super::place::{hash, mix};
use serde_json::Value;

/// The same for documents that differ only in the order of keys. It goes as deep as documents that
/// were made.
pub(super) fn fingerprint(value: &Value) -> u64 {
    match value {
        Value::Null => 1,
        Value::Bool(yes) => 2 + u64::from(*yes),
        Value::Number(number) => mix(4, hash(&number.to_string())),
        Value::String(text) => mix(5, hash(text)),
        Value::Array(items) => {
            let items = items.iter().map(fingerprint);
            items.fold(6, mix)
        }
        Value::Object(map) => {
            let entries = map
                .iter()
                .map(|(key, value)| mix(hash(key), fingerprint(value)));
            mix(7, entries.fold(0, u64::wrapping_add))
        }
    }
}
