//! Secure values apart from the record, because they are stored elsewhere, and encrypted.

use crate::convert::kept::KeptValues;
use crate::convert::refusal::{ConversionObstacle, ConversionRefusal, bounded};
use crate::convert::versions::{ContentRecord, Versions};
use crate::types::Visibility;
use crate::types::pointer::tokens;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};
use std::fmt;

/// The secure parts of a record.
#[derive(Clone, Default, PartialEq)]
pub struct RecordSecrets {
    /// Values of secure fields, by their pointers into the content.
    pub content: BTreeMap<String, Value>,
    /// All that is kept, if something secure is kept.
    pub kept: Option<Value>,
}

/// Values are not printed.
impl fmt::Debug for RecordSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kept = if self.kept.is_some() {
            " and what is kept"
        } else {
            ""
        };
        write!(
            f,
            "Secrets({:?}{kept})",
            self.content.keys().collect::<Vec<_>>()
        )
    }
}

impl RecordSecrets {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.content.is_empty() && self.kept.is_none()
    }
}

impl Versions {
    /// Takes the secure values out of a record. In a list null stands in their place, so that the
    /// others keep their numbers.
    ///
    /// # Errors
    ///
    /// If the version is unknown, or the content is too deep.
    pub fn split_secure(
        &self,
        mut record: ContentRecord,
    ) -> Result<(ContentRecord, RecordSecrets), ConversionRefusal> {
        let mut secrets = RecordSecrets::default();
        // Types without restrictions pay nothing.
        if !self.restricts() {
            return Ok((record, secrets));
        }
        let number = self.number(record.version)?;
        record.content = bounded(record.content)?;
        // As somebody who sees everything else: what is still concealed then is secure.
        let marks = self.marks(number, &record.content, Visibility::Private, HashMap::new())?;
        for (pointer, _) in marks.conceal(&record.content).hidden {
            if let Some(value) = take(&mut record.content, &pointer) {
                secrets.content.insert(pointer, value);
            }
        }
        if self.keeps_secure(number, &record.kept) {
            secrets.kept = Some(std::mem::take(&mut record.kept).to_json());
        }
        Ok((record, secrets))
    }
}

/// Puts secure values back: the inverse of [`Versions::split_secure`].
///
/// # Errors
///
/// If a value has no place, or something stands there already.
pub fn join_secure(
    mut record: ContentRecord,
    secrets: RecordSecrets,
) -> Result<ContentRecord, ConversionRefusal> {
    let mismatch = |pointer: &str| ConversionRefusal {
        pointer: pointer.to_owned(),
        reason: ConversionObstacle::Secrets,
    };
    for (pointer, value) in secrets.content {
        // Content and secrets are stored apart, so they can be from different backups.
        put_back(&mut record.content, &pointer, value).ok_or_else(|| mismatch(&pointer))?;
    }
    record.content = bounded(record.content)?;
    if let Some(kept) = secrets.kept {
        // A record that has kept values of its own as well can't be the one that was split.
        let kept = KeptValues::from_json(&kept).filter(|_| record.kept.is_empty());
        record.kept = kept.ok_or_else(|| mismatch(""))?;
    }
    Ok(record)
}

/// What holds the value that a pointer names, and the last token; `None` for the whole.
fn parent<'v>(content: &'v mut Value, pointer: &str) -> Option<(&'v mut Value, String)> {
    let mut path = tokens(pointer)?;
    let last = path.pop()?;
    let parent = path.iter().try_fold(content, |value, token| match value {
        Value::Object(map) => map.get_mut(token),
        Value::Array(items) => items.get_mut(token.parse::<usize>().ok()?),
        _ => None,
    })?;
    Some((parent, last))
}

fn take(content: &mut Value, pointer: &str) -> Option<Value> {
    if pointer.is_empty() {
        return Some(std::mem::replace(content, Value::Object(Map::new())));
    }
    match parent(content, pointer)? {
        (Value::Object(map), key) => map.shift_remove(&key),
        (Value::Array(items), index) => {
            let item = items.get_mut(index.parse::<usize>().ok()?)?;
            // Null in its place, so that the pointers of the items behind it stay true.
            Some(std::mem::take(item))
        }
        _ => None,
    }
}

fn put_back(content: &mut Value, pointer: &str, value: Value) -> Option<()> {
    if pointer.is_empty() {
        let empty = content.as_object().is_some_and(Map::is_empty);
        return empty.then(|| *content = value);
    }
    match parent(content, pointer)? {
        (Value::Object(map), key) => {
            // Something is there already: the secrets are not this record's.
            if map.contains_key(&key) {
                None
            } else {
                map.insert(key, value);
                Some(())
            }
        }
        (Value::Array(items), index) => {
            let item = items.get_mut(index.parse::<usize>().ok()?)?;
            item.is_null().then(|| *item = value)
        }
        _ => None,
    }
}
