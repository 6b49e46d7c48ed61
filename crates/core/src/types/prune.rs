//! Pruning of what `additionalProperties: false` excludes.

use super::limits::CONTENT_DEPTH;
use super::nulls::forbids;
use super::part::{PartId, SchemaPart};
use super::pointer::child;
use super::schema::Schema;
use super::shape::{SchemaShape, under_index, under_key};
use serde_json::Value;

/// Content without what its schema excludes, and where that was.
#[derive(Clone, Debug, PartialEq)]
pub struct PrunedContent {
    /// The content.
    pub content: Value,
    /// Pointers to what was taken out.
    pub pruned: Vec<String>,
}

impl Schema {
    /// The content without the properties that the schema excludes by `additionalProperties: false`
    /// or `unevaluatedProperties: false`. Only what is excluded for certain goes: an alternative
    /// under `anyOf` that might not apply takes nothing out. Pruning twice is pruning once.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({"properties": {"size": {}}, "additionalProperties": false});
    /// let pruned = Schema::compile(source).unwrap().prune(json!({"size": 1, "gpu": 2}));
    /// assert_eq!(pruned.content, json!({"size": 1}));
    /// assert_eq!(pruned.pruned, ["/gpu"]);
    /// ```
    #[must_use]
    pub fn prune(&self, mut content: Value) -> PrunedContent {
        let mut pruned = Vec::new();
        take_out(&self.shape, &[0], &mut content, "", 0, &mut pruned);
        PrunedContent { content, pruned }
    }
}

fn take_out(
    shape: &SchemaShape,
    ids: &[PartId],
    value: &mut Value,
    at: &str,
    depth: usize,
    pruned: &mut Vec<String>,
) {
    if depth >= CONTENT_DEPTH || ids.is_empty() {
        return;
    }
    let parts = shape.certain(ids);
    match value {
        Value::Object(map) => {
            let possible = shape.possible(ids);
            // A condition may evaluate what it asks of; then nothing is certain.
            let unsure = |part: &&SchemaPart| part.opened || !part.asked.is_empty();
            let sealed = parts.iter().any(|part| part.sealed) && !possible.iter().any(unsure);
            map.retain(|key, _| {
                let excluded = parts.iter().any(|part| forbids(part, key));
                let unknown = sealed && under_key(&possible, key).is_empty();
                if excluded || unknown {
                    pruned.push(child(at, key));
                }
                !excluded && !unknown
            });
            for (key, inner) in map.iter_mut() {
                let ids = under_key(&parts, key);
                take_out(shape, &ids, inner, &child(at, key), depth + 1, pruned);
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter_mut().enumerate() {
                let ids = under_index(&parts, index);
                take_out(
                    shape,
                    &ids,
                    inner,
                    &format!("{at}/{index}"),
                    depth + 1,
                    pruned,
                );
            }
        }
        _ => {}
    }
}
