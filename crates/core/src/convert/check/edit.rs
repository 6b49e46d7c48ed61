//! Changes a document at a place, and makes what is around it where it is not there.

use crate::examples::{DocumentEdit, DocumentStep};
use serde_json::{Map, Value, json};

pub(super) fn apply(document: &mut Value, at: &[DocumentStep], edit: &DocumentEdit) {
    let Some((first, rest)) = at.split_first() else {
        match (edit, document) {
            // What was at the place does not matter: the value is known to break there.
            (DocumentEdit::Set(value), document) => *document = value.clone(),
            (DocumentEdit::Remove(key), Value::Object(map)) => {
                // `shift_remove` keeps the order, so that the example looks like what its author
                // would write.
                map.shift_remove(key);
            }
            // Whoever makes documents anew can make so many; in one that is there it says nothing.
            (DocumentEdit::Items(_) | DocumentEdit::Properties(_) | DocumentEdit::Named(_), _) => {}
            // There is nothing to remove from what is no object; an object without it breaks too.
            (DocumentEdit::Remove(_), document) => *document = Value::Object(Map::new()),
        }
        return;
    };
    match first {
        DocumentStep::Item(_) => {
            // The base may have something else here. The edit is about what is inside, so it
            // becomes a list.
            if !document.is_array() {
                *document = json!([]);
            }
            if let Some(items) = document.as_array_mut() {
                // An empty list has no item that could break.
                if items.is_empty() {
                    items.push(Value::Null);
                }
                if let Some(item) = items.first_mut() {
                    apply(item, rest, edit);
                }
            }
        }
        DocumentStep::Key(_) | DocumentStep::Other | DocumentStep::Matching(_) => {
            if !document.is_object() {
                *document = json!({});
            }
            let Some(map) = document.as_object_mut() else {
                return;
            };
            let key = match first {
                DocumentStep::Key(key) => key.clone(),
                // Any name will do: the schema treats them alike here.
                _ => map.keys().next().cloned().unwrap_or_else(|| "a".to_owned()),
            };
            apply(map.entry(key).or_insert(Value::Null), rest, edit);
        }
    }
}
