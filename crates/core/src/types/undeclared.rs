//! Fields that a schema lets in without a word: an open object takes any name, also a mistyped one.

use super::declares::is_free;
use super::limits::CONTENT_DEPTH;
use super::part::{PartId, PartTypes};
use super::pointer::child;
use super::schema::Schema;
use super::shape::{SchemaShape, under_index, under_key};
use serde_json::Value;

impl Schema {
    /// Pointers to fields that the schema does not declare, outermost only, the first `most` of
    /// them. All inside of a free-form value counts as declared, and what fits no declaration at all
    /// is the validator's business.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({"type": "object", "properties": {"size": {}}});
    /// let schema = Schema::compile(source).unwrap();
    /// let typo = json!({"sise": 3});
    /// assert!(schema.validate(&typo).is_ok());
    /// assert_eq!(schema.undeclared(&typo, 10), ["/sise"]);
    /// ```
    #[must_use]
    pub fn undeclared(&self, content: &Value, most: usize) -> Vec<String> {
        let mut found = Vec::new();
        collect(&self.shape, &[0], content, "", 0, most, &mut found);
        found
    }
}

fn collect(
    shape: &SchemaShape,
    ids: &[PartId],
    value: &Value,
    at: &str,
    depth: usize,
    most: usize,
    found: &mut Vec<String>,
) {
    let takes = |types: PartTypes| ids.iter().all(|id| shape.types_at(*id).has(types));
    let ends = match value {
        Value::Object(_) => !takes(PartTypes::OBJECT),
        Value::Array(_) => !takes(PartTypes::ARRAY),
        _ => true,
    };
    if ends || depth > CONTENT_DEPTH || found.len() >= most || is_free(shape, ids) {
        return;
    }
    let parts = shape.possible(ids);
    match value {
        Value::Object(map) => {
            for (key, inner) in map {
                let ids = under_key(&parts, key);
                let at = child(at, key);
                if !ids.is_empty() {
                    collect(shape, &ids, inner, &at, depth + 1, most, found);
                } else if found.len() < most {
                    found.push(at);
                }
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter().enumerate() {
                let ids = under_index(&parts, index);
                if !ids.is_empty() {
                    let at = format!("{at}/{index}");
                    collect(shape, &ids, inner, &at, depth + 1, most, found);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::types::Schema;
    use serde_json::json;

    #[test]
    fn the_outermost_undeclared_fields_are_found_up_to_a_bound() {
        let schema = Schema::compile(json!({
            "type": "object",
            "properties": {
                "host": { "type": "string" },
                "labels": { "type": "object" },
                "spec": { "type": "object", "properties": { "size": {} }, "additionalProperties": true },
                "nodes": { "type": "array", "items": { "type": "object", "properties": { "name": {} } } },
                "maps": { "type": "object", "additionalProperties": { "properties": { "a": {} } } },
            },
            "patternProperties": { "^x-": {} },
        }))
        .unwrap();
        let content = json!({
            "host": "h", "hots": "typo", "x-a": 1,
            "labels": { "any": 1 },
            "spec": { "size": 1, "sise": { "deep": 1 } },
            "nodes": [{ "name": "a" }, { "nmae": "b" }],
            "maps": { "k": { "a": 1, "b": 2 } },
        });
        let all = ["/hots", "/spec/sise", "/nodes/1/nmae", "/maps/k/b"];
        assert_eq!(schema.undeclared(&content, 10), all);
        assert_eq!(schema.undeclared(&content, 2), all[..2]);
        let open = Schema::compile(json!({})).unwrap();
        assert_eq!(open.undeclared(&content, 10), Vec::<String>::new());
    }
}
