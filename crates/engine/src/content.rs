//! What the core says about content, in the terms of the engine.

use crate::error::EngineError;
use crate::header::{Indexed, MOST_KEYS, to_hex};
use crate::seen::SeenContent;
use crate::stored::{Stored, json};
use crate::types::state::TypeState;
use crate::views::Shown;
use crate::visible_versions::VisibleVersions;
use bytes::Bytes;
use coeval_core::convert::{Put, Record};
use coeval_core::types::{FieldsTooNew, TypeVersion, Visibility};
use coeval_core::version::Version;
use coeval_filter::{Field, index_keys};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many places an answer lists.
const LISTED: usize = 32;

/// The content at a version, for readers of a class.
pub(crate) fn view(
    state: &TypeState,
    record: Record,
    at: Version,
    sees: Visibility,
) -> Result<Shown, EngineError> {
    let view = state.versions.view_for(record, at, sees)?;
    Ok(Shown {
        content: json(&view.content),
        secure: view.secure.into(),
    })
}

/// The content of an unknown version: what version `to` declares of it, shown at `at`.
pub(crate) fn pruned(
    state: &TypeState,
    record: Record,
    to: Version,
    at: Version,
    sees: Visibility,
) -> Result<Shown, EngineError> {
    let content = state.versions.pruned(record.content, to)?;
    let pruned = Record::new(to, content);
    let mut shown = view(state, pruned, at, sees)?;
    shown.secure = Arc::new([]);
    Ok(shown)
}

/// Puts a body onto what is stored; what the caller can't see stays.
pub(crate) fn put(
    state: &TypeState,
    stored: Record,
    at: Version,
    body: Value,
    sees: Visibility,
) -> Result<Put, EngineError> {
    Ok(state.versions.put_for(stored, at, body, sees)?)
}

/// Whether a body sets fields of versions later than its own.
pub(crate) fn check_since(
    state: &TypeState,
    visible: &VisibleVersions,
    at: Version,
    body: &Value,
    stored: Option<&Value>,
) -> Result<(), EngineError> {
    let told = |error: FieldsTooNew| visible.refusal(state, error.into());
    // What only hidden versions declare is nobody's for this caller.
    for later in visible.definitions(state).filter(|one| one.id.version > at) {
        later.check_since(at, body, stored).map_err(told)?;
    }
    Ok(())
}

/// The keys of a content in the declared indexes. Every resource has at least one in each.
pub(crate) fn indexed(definition: &TypeVersion, content: &Value) -> Indexed {
    let mut all = BTreeMap::new();
    for (name, path) in &definition.indexes {
        let field = Field::Content(path.into());
        let keys = index_keys(&field, &SeenContent(content), MOST_KEYS);
        all.insert(name.clone(), keys.iter().map(|key| to_hex(key)).collect());
    }
    all
}

/// Where two documents differ.
pub(crate) fn differing(one: &Value, other: &Value) -> Vec<String> {
    coeval_core::types::differing(one, other, LISTED)
}

/// A whole record, as bytes that can be brought back.
pub(crate) fn whole(stored: &Stored, secrets: Option<&Bytes>) -> Bytes {
    let header = serde_json::to_value(&stored.header).unwrap_or_default();
    let text = |bytes: &Bytes| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    json(&serde_json::json!({
        "revision": stored.revision.to_string(),
        "header": header,
        "content": text(&stored.content),
        "kept": stored.kept.as_ref().map(text),
        "replaced": stored.replaced.as_ref().map(text),
        // Sealed as they were: only the keyring opens them.
        "secrets": secrets.map(|bytes| to_hex(bytes)),
    }))
}
