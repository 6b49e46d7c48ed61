//! Changes a document at a place, and makes what is around it where it is not there.

use crate::examples::{At, Edit};
use serde_json::{Map, Value, json};

pub(super) fn apply(document: &mut Value, at: &[At], edit: &Edit) {
    let Some((first, rest)) = at.split_first() else {
        match (edit, document) {
            (Edit::Set(value), document) => *document = value.clone(),
            (Edit::Remove(key), Value::Object(map)) => {
                map.shift_remove(key);
            }
            // Whoever makes documents anew can make so many; in one that is there it says nothing.
            (Edit::Items(_) | Edit::Properties(_) | Edit::Named(_), _) => {}
            // There is nothing to remove from what is no object; an object without it breaks too.
            (Edit::Remove(_), document) => *document = Value::Object(Map::new()),
        }
        return;
    };
    match first {
        At::Item(_) => {
            if !document.is_array() {
                *document = json!([]);
            }
            if let Some(items) = document.as_array_mut() {
                if items.is_empty() {
                    items.push(Value::Null);
                }
                if let Some(item) = items.first_mut() {
                    apply(item, rest, edit);
                }
            }
        }
        At::Key(_) | At::Other | At::Matching(_) => {
            if !document.is_object() {
                *document = json!({});
            }
            let Some(map) = document.as_object_mut() else {
                return;
            };
            let key = match first {
                At::Key(key) => key.clone(),
                _ => map.keys().next().cloned().unwrap_or_else(|| "a".to_owned()),
            };
            apply(map.entry(key).or_insert(Value::Null), rest, edit);
        }
    }
}
