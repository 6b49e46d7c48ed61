//! Nulls that count as absent. Clients send them for fields that they leave out.

use super::limits::CONTENT_DEPTH;
use super::part::{AdditionalSchema, PartId, SchemaPart};
use super::schema::{Schema, deeper_than};
use super::shape::{SchemaShape, under_index, under_key};
use serde_json::{Map, Value};
use std::borrow::Cow;

impl Schema {
    /// The content without the nulls that its schema does not accept. A null that the property's
    /// own schema accepts is a value, and so is one in a list or in a field that nothing is said of.
    /// Content with too many levels is left alone: it fits no schema.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({"properties": {"size": {"type": "integer"}, "note": {"type": ["string", "null"]}}});
    /// let schema = Schema::compile(source).unwrap();
    /// let content = json!({"size": null, "note": null});
    /// assert_eq!(*schema.without_absent(&content), json!({"note": null}), "this null is a value");
    /// ```
    #[must_use]
    pub fn without_absent<'v>(&self, content: &'v Value) -> Cow<'v, Value> {
        if !has_null(content) || deeper_than(content, CONTENT_DEPTH) {
            return Cow::Borrowed(content);
        }
        let ids = NullablePlace {
            certain: vec![0],
            possible: vec![0],
        };
        match strip(&self.shape, &ids, content, 0) {
            Some(stripped) => Cow::Owned(stripped),
            None => Cow::Borrowed(content),
        }
    }
}

/// Whether there is any null. It does not recurse.
fn has_null(value: &Value) -> bool {
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        match value {
            Value::Null => return true,
            Value::Array(items) => todo.extend(items),
            Value::Object(map) => todo.extend(map.values()),
            _ => {}
        }
    }
    false
}

/// The same for a value that has these schemas.
pub(crate) fn without_absent_at(shape: &SchemaShape, ids: &[PartId], value: Value) -> Value {
    let place = NullablePlace {
        certain: ids.to_vec(),
        possible: ids.to_vec(),
    };
    let stripped = (!deeper_than(&value, CONTENT_DEPTH)).then(|| strip(shape, &place, &value, 0));
    stripped.flatten().unwrap_or(value)
}

struct NullablePlace {
    certain: Vec<PartId>,
    possible: Vec<PartId>,
}

/// The value without absent nulls; `None` if it has none.
fn strip(shape: &SchemaShape, place: &NullablePlace, value: &Value, depth: usize) -> Option<Value> {
    if depth >= CONTENT_DEPTH || place.possible.is_empty() {
        return None;
    }
    match value {
        Value::Object(map) => strip_object(shape, place, map, depth).map(Value::Object),
        Value::Array(items) => {
            let certain = shape.certain(&place.certain);
            let possible = shape.possible(&place.possible);
            let mut changed: Option<Vec<Value>> = None;
            for (index, item) in items.iter().enumerate() {
                let inner = NullablePlace {
                    certain: under_index(&certain, index),
                    possible: under_index(&possible, index),
                };
                if let Some(stripped) = strip(shape, &inner, item, depth + 1) {
                    let items = changed.get_or_insert_with(|| items.clone());
                    if let Some(item) = items.get_mut(index) {
                        *item = stripped;
                    }
                }
            }
            changed.map(Value::Array)
        }
        _ => None,
    }
}

fn strip_object(
    shape: &SchemaShape,
    place: &NullablePlace,
    map: &Map<String, Value>,
    depth: usize,
) -> Option<Map<String, Value>> {
    let certain = shape.certain(&place.certain);
    let possible = shape.possible(&place.possible);
    let mut changed: Option<Map<String, Value>> = None;
    for (key, value) in map {
        let inner = NullablePlace {
            certain: under_key(&certain, key),
            possible: under_key(&possible, key),
        };
        if value.is_null() {
            if !is_value(shape, &inner, &certain, key) {
                changed.get_or_insert_with(|| map.clone()).shift_remove(key);
            }
        } else if let Some(stripped) = strip(shape, &inner, value, depth + 1) {
            let map = changed.get_or_insert_with(|| map.clone());
            map.insert(key.clone(), stripped);
        }
    }
    changed
}

/// Whether null is a value of this property: all that certainly apply accept it, and if others may
/// apply, one of them does.
fn is_value(
    shape: &SchemaShape,
    property: &NullablePlace,
    around: &[&SchemaPart],
    key: &str,
) -> bool {
    let fits = |id: &PartId| shape.takes_null_at(*id);
    let mut perhaps = property
        .possible
        .iter()
        .filter(|id| !property.certain.contains(id))
        .peekable();
    property.certain.iter().all(fits)
        && (perhaps.peek().is_none() || perhaps.any(fits))
        && !around.iter().any(|part| forbids(part, key))
}

/// Whether `additionalProperties: false` excludes a property.
pub(crate) fn forbids(part: &SchemaPart, key: &str) -> bool {
    part.additional == AdditionalSchema::Closed && part.of_property(key).is_empty()
}
