//! Restricted fields: what a caller does not see, and what is secret.

use super::declares::DeclaredPath;
use super::limits::CONTENT_DEPTH;
use super::part::{PartId, SchemaPart};
use super::pointer::child;
use super::restriction::{Restriction, Visibility};
use super::schema::Schema;
use super::shape::{SchemaShape, under_index, under_key};
use serde_json::Value;

/// Content as a caller sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct RedactedContent {
    /// Without what was taken out.
    pub content: Value,
    /// Pointers, into the content as it was, to what the caller may not see.
    pub removed: Vec<String>,
    /// Pointers to secure fields that the caller could see otherwise. They are taken out too; an
    /// API that shows a mask puts it there.
    pub secure: Vec<String>,
}

impl Schema {
    /// The content without fields that are marked stronger than `sees`, and without secure ones.
    /// Everybody who may read sees what is protected; full control sees what is private. A mark
    /// in any alternative counts, and what is too deep to be judged is not shown.
    ///
    /// ```
    /// # use coeval_core::types::{Schema, Visibility};
    /// # use serde_json::json;
    /// let source = json!({"type": "object", "properties": {
    ///     "size": {}, "note": {"x-vcloud-restricted": "private"}, "key": {"x-vcloud-restricted": "secure"},
    /// }});
    /// let schema = Schema::compile(source).unwrap();
    /// let seen = schema.redact(&json!({"size": 1, "note": "n", "key": "k"}), Visibility::Public);
    /// assert_eq!(seen.content, json!({"size": 1}));
    /// assert_eq!((seen.removed, seen.secure), (vec!["/note".to_owned()], vec!["/key".to_owned()]));
    /// ```
    #[must_use]
    pub fn redact(&self, content: &Value, sees: Visibility) -> RedactedContent {
        let mut walk = RedactWalk {
            shape: &self.shape,
            sees,
            removed: Vec::new(),
            secure: Vec::new(),
        };
        let shown = walk.show(&[0], content, "", Restriction::default(), 0);
        RedactedContent {
            content: shown.unwrap_or_else(|| Value::Object(serde_json::Map::new())),
            removed: walk.removed,
            secure: walk.secure,
        }
    }

    /// Whether any field is restricted.
    pub(crate) fn restricts(&self) -> bool {
        let marked = |part: &SchemaPart| part.restriction != Restriction::default();
        self.shape.parts().iter().any(marked)
    }

    /// Pointers to all secure fields of the content, outermost only.
    #[must_use]
    pub fn secure_pointers(&self, content: &Value) -> Vec<String> {
        self.redact(content, Visibility::Private).secure
    }

    /// The declared fields that carry a mark of their own or of a field around them.
    #[must_use]
    pub fn restricted_paths(&self) -> Vec<DeclaredPath<'_>> {
        let mut paths = self.declared_paths().paths;
        paths.retain(|path| path.restriction != Restriction::default());
        paths
    }
}

struct RedactWalk<'s> {
    shape: &'s SchemaShape,
    sees: Visibility,
    removed: Vec<String>,
    secure: Vec<String>,
}

impl RedactWalk<'_> {
    /// What the caller sees of a value; `None` for nothing at all.
    fn show(
        &mut self,
        ids: &[PartId],
        value: &Value,
        at: &str,
        around: Restriction,
        depth: usize,
    ) -> Option<Value> {
        let parts = self.shape.possible(ids);
        let marks = parts.iter().map(|part| part.restriction);
        let mark = marks.fold(around, Restriction::and);
        if mark.visibility > self.sees || depth > CONTENT_DEPTH {
            self.removed.push(at.to_owned());
            return None;
        }
        if mark.secure {
            self.secure.push(at.to_owned());
            return None;
        }
        match value {
            Value::Object(map) => {
                let mut shown = serde_json::Map::with_capacity(map.len());
                for (key, inner) in map {
                    let ids = under_key(&parts, key);
                    let inner = self.show(&ids, inner, &child(at, key), mark, depth + 1);
                    shown.extend(inner.map(|inner| (key.clone(), inner)));
                }
                Some(Value::Object(shown))
            }
            Value::Array(items) => {
                let numbered = items.iter().enumerate();
                let shown: Vec<Option<Value>> = numbered
                    .map(|(index, inner)| {
                        let ids = under_index(&parts, index);
                        self.show(&ids, inner, &format!("{at}/{index}"), mark, depth + 1)
                    })
                    .collect();
                Some(Value::Array(in_place(shown)))
            }
            other => Some(other.clone()),
        }
    }
}

/// Items that stay keep their numbers: a gap is null, unless nothing stays.
fn in_place(shown: Vec<Option<Value>>) -> Vec<Value> {
    if shown.iter().all(Option::is_none) {
        return Vec::new();
    }
    shown.into_iter().map(Option::unwrap_or_default).collect()
}
