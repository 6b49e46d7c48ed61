//! Content reduced to what a version declares: all that a server can show of a minor version that it
//! does not know.

use super::declares::is_free;
use super::limits::CONTENT_DEPTH;
use super::part::{PartId, PartTypes};
use super::schema::Schema;
use super::shape::{SchemaShape, under_index, under_key};
use serde_json::Value;

impl Schema {
    /// Only what the schema declares: properties, `patternProperties`, a schema for additional
    /// properties, items, and all inside of free-form values. An object or a list where the schema
    /// takes none is not declared either. What is too deep to be judged is not shown.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    /// let schema = Schema::compile(source).unwrap();
    /// assert_eq!(schema.declared_only(&json!({"size": 1, "gpu": 2})), json!({"size": 1}));
    /// ```
    #[must_use]
    pub fn declared_only(&self, content: &Value) -> Value {
        let shown = show(&self.shape, &[0], content, 0);
        shown.unwrap_or_else(|| Value::Object(serde_json::Map::new()))
    }
}

fn live(shape: &SchemaShape, mut ids: Vec<PartId>) -> Vec<PartId> {
    ids.retain(|id| shape.part(*id).is_some_and(|part| !part.never));
    ids
}

fn show(shape: &SchemaShape, ids: &[PartId], value: &Value, depth: usize) -> Option<Value> {
    if depth > CONTENT_DEPTH {
        return None;
    }
    let takes = |types: PartTypes| ids.iter().all(|id| shape.types_at(*id).has(types));
    match value {
        Value::Object(_) if !takes(PartTypes::OBJECT) => None,
        Value::Array(_) if !takes(PartTypes::ARRAY) => None,
        Value::Object(map) if !is_free(shape, ids) => {
            let parts = shape.possible(ids);
            let fields = map.iter().filter_map(|(key, inner)| {
                let ids = live(shape, under_key(&parts, key));
                let shown = (!ids.is_empty()).then(|| show(shape, &ids, inner, depth + 1));
                Some((key.clone(), shown.flatten()?))
            });
            Some(Value::Object(fields.collect()))
        }
        Value::Array(items) if !is_free(shape, ids) => {
            let parts = shape.possible(ids);
            let mut shown = Vec::new();
            for (index, inner) in items.iter().enumerate() {
                let ids = live(shape, under_index(&parts, index));
                // Those that follow are not declared either, so no item changes its number.
                if ids.is_empty() {
                    break;
                }
                shown.push(show(shape, &ids, inner, depth + 1).unwrap_or_default());
            }
            Some(Value::Array(shown))
        }
        other => Some(other.clone()),
    }
}
