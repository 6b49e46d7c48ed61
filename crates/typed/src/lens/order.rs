//! Equal values keep the form that they are stored in: 1 stays 1 where 1.0 is told, and fields
//! stay in their order.

use coeval_core::types::same;
use serde_json::{Map, Value};

/// What is told, in the form of what is stored wherever both are equal.
pub(super) fn kept(stored: &Value, told: &Value) -> Value {
    if same(stored, told) {
        return stored.clone();
    }
    match (stored, told) {
        (Value::Object(stored), Value::Object(told)) => {
            let mut new = Map::new();
            for (key, old) in stored {
                new.extend(told.get(key).map(|told| (key.clone(), kept(old, told))));
            }
            for (key, value) in told {
                if !stored.contains_key(key) {
                    new.insert(key.clone(), value.clone());
                }
            }
            Value::Object(new)
        }
        (Value::Array(stored), Value::Array(told)) => Value::Array(kept_items(stored, told)),
        _ => told.clone(),
    }
}

/// The same for lists whose items are all said: by place.
pub(super) fn kept_items(stored: &[Value], told: &[Value]) -> Vec<Value> {
    let old = stored.iter().map(Some).chain(std::iter::repeat(None));
    let pairs = told.iter().zip(old);
    pairs
        .map(|(told, old)| old.map_or_else(|| told.clone(), |old| kept(old, told)))
        .collect()
}
