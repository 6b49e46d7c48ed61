//! Filling of required fields that are missing, from the schema's defaults.

use super::limits::{CONTENT_DEPTH, FILLED};
use super::nulls::without_absent_at;
use super::part::{PartId, SchemaPart};
use super::pointer::child;
use super::schema::Schema;
use super::shape::{SchemaShape, under_index, under_key};
use coeval_codes::Coded;
use serde_json::Value;
use std::borrow::Cow;

/// Content with defaults, and where they are.
#[derive(Clone, Debug, PartialEq)]
pub struct FilledContent {
    /// The content.
    pub content: Value,
    /// Pointers to what was inserted.
    pub filled: Vec<String>,
}

/// Defaults whose own required fields have defaults, and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error(
    "the defaults of the schema need more than {FILLED} other defaults, or {CONTENT_DEPTH} levels"
)]
#[code(
    DEFAULTS_ENDLESS,
    advice = "Give the field a default that is complete, or don't require it."
)]
pub struct DefaultsEndless;

impl Schema {
    /// The content with every required field that is missing and has a default. What is there stays
    /// as it is; a null that counts as absent is missing. Filling twice is filling once.
    ///
    /// ```
    /// # use coeval_core::types::Schema;
    /// # use serde_json::json;
    /// let source = json!({
    ///     "required": ["size"],
    ///     "properties": {"size": {"type": "integer", "default": 3}, "gpu": {"type": "integer", "default": 1}},
    /// });
    /// let filled = Schema::compile(source).unwrap().fill_defaults(json!({})).unwrap();
    /// assert_eq!(filled.content, json!({"size": 3}), "gpu is not required");
    /// assert_eq!(filled.filled, ["/size"]);
    /// ```
    ///
    /// # Errors
    ///
    /// If defaults need defaults without an end.
    pub fn fill_defaults(&self, content: Value) -> Result<FilledContent, DefaultsEndless> {
        let stripped = match self.without_absent(&content) {
            Cow::Owned(stripped) => Some(stripped),
            Cow::Borrowed(_) => None,
        };
        let mut content = stripped.unwrap_or(content);
        let mut filled = Vec::new();
        loop {
            let before = filled.clone();
            fill(&self.shape, &[0], &mut content, "", 0, &mut filled)?;
            // A default can be an absent null or have some inside: then nothing was filled there.
            let Cow::Owned(stripped) = self.without_absent(&content) else {
                return Ok(FilledContent { content, filled });
            };
            content = stripped;
            filled.retain(|pointer| content.pointer(pointer).is_some());
            if filled == before {
                return Ok(FilledContent { content, filled });
            }
        }
    }
}

impl Schema {
    /// The default of a property, with the defaults that it needs itself; none if they have no end,
    /// or if it is a null that counts as absent.
    pub(crate) fn full_default(&self, parts: &[&SchemaPart], name: &str) -> Option<Value> {
        let mut value = default_of(&self.shape, parts, name)?.clone();
        let ids = under_key(parts, name);
        if value.is_null() && !ids.iter().all(|id| self.shape.takes_null_at(*id)) {
            return None;
        }
        let mut filled = Vec::new();
        fill(&self.shape, &ids, &mut value, "", 0, &mut filled).ok()?;
        Some(without_absent_at(&self.shape, &ids, value))
    }
}

fn fill(
    shape: &SchemaShape,
    ids: &[PartId],
    value: &mut Value,
    at: &str,
    depth: usize,
    filled: &mut Vec<String>,
) -> Result<(), DefaultsEndless> {
    let parts = shape.certain(ids);
    if parts.is_empty() || depth >= CONTENT_DEPTH {
        return Ok(());
    }
    match value {
        Value::Object(map) => {
            for name in parts.iter().flat_map(|part| &part.required) {
                if map.contains_key(name) {
                    continue;
                }
                let Some(default) = default_of(shape, &parts, name) else {
                    continue;
                };
                if depth + 1 >= CONTENT_DEPTH || filled.len() >= FILLED {
                    return Err(DefaultsEndless);
                }
                filled.push(child(at, name));
                map.insert(name.clone(), default.clone());
            }
            for (key, inner) in map.iter_mut().filter(|(_, inner)| has_inside(inner)) {
                let ids = under_key(&parts, key);
                fill(shape, &ids, inner, &child(at, key), depth + 1, filled)?;
            }
        }
        Value::Array(items) => {
            for (index, inner) in items.iter_mut().enumerate().filter(|(_, v)| has_inside(v)) {
                let ids = under_index(&parts, index);
                fill(
                    shape,
                    &ids,
                    inner,
                    &format!("{at}/{index}"),
                    depth + 1,
                    filled,
                )?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn has_inside(value: &Value) -> bool {
    value.is_object() || value.is_array()
}

fn default_of<'s>(shape: &'s SchemaShape, parts: &[&SchemaPart], name: &str) -> Option<&'s Value> {
    let ids = under_key(parts, name);
    shape.nearest(&ids, |part| part.default.as_ref())
}
