//! What the core says about content, in the terms of the engine.

use crate::caches::views::{Fitting, Shown};
use crate::seen::SeenContent;
use bytes::Bytes;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::VisibleVersions;
use coeval_core::convert::{ContentRecord, PutOutcome};
use coeval_core::types::{ContentError, DeclaredPath, FieldsTooNew, TypeVersion, Visibility};
use coeval_core::version::Version;
use coeval_filter::{FilterField, index_keys};
use coeval_records::encode::{EncodeError, encode_value};
use coeval_records::error::EngineError;
use coeval_records::header::{Indexed, MOST_KEYS, to_hex};
use coeval_records::stored::{Stored, json};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How many places an answer lists.
const LISTED: usize = 32;

/// The content at a version, for readers of a class; `checked`: only if it fits that version. Whether
/// it does is asked of the whole content, so what somebody may not see is not missing.
pub fn view(
    state: &TypeState,
    record: ContentRecord,
    at: Version,
    sees: Visibility,
    checked: bool,
) -> Result<Fitting, EngineError> {
    let versions = &state.versions;
    let mut hidden = Vec::new();
    // A second view, the whole one, is computed only for types that hide something from somebody.
    if versions.restricts() && (checked || !record.kept.is_empty()) {
        let whole = versions.view(record.clone(), at)?;
        if checked && let Err(error) = versions.check_view(&whole.content, at) {
            return Ok(Err(Arc::new(told_to(state, at, sees, &error))));
        }
        hidden = versions.kept_above(at, &whole.kept, sees)?;
    }
    let view = versions.view_for(record, at, sees)?;
    if !versions.restricts() {
        hidden = versions.kept_above(at, &view.kept, sees)?;
    }
    if checked
        && !versions.restricts()
        && let Err(error) = versions.check_view(&view.content, at)
    {
        return Ok(Err(Arc::new(error)));
    }
    Ok(Ok(Shown {
        content: json(&view.content),
        secure: view.secure.into(),
        hidden: hidden.into(),
    }))
}

/// What does not fit, as far as somebody of that class may know of it.
fn told_to(state: &TypeState, at: Version, sees: Visibility, error: &ContentError) -> ContentError {
    if sees == Visibility::Private {
        return error.clone();
    }
    // What another version restricts has no path at this one that could be compared.
    let by_others = state.versions.hides_by_others(at);
    let paths = state.version(at).map(|one| one.schema.restricted_paths());
    let private = |path: &&DeclaredPath<'_>| path.restriction.visibility == Visibility::Private;
    error.without(|pointer| {
        let mut paths = paths.iter().flatten().filter(private);
        by_others || paths.any(|path| path.path.leads_to(pointer))
    })
}

/// The content of an unknown version: what version `to` declares of it, shown at `at`.
pub(crate) fn pruned(
    state: &TypeState,
    record: ContentRecord,
    to: Version,
    at: Version,
    sees: Visibility,
    checked: bool,
) -> Result<Fitting, EngineError> {
    let content = state.versions.pruned(record.content, to)?;
    let pruned = ContentRecord::new(to, content);
    let shown = view(state, pruned, at, sees, checked)?;
    Ok(shown.map(|shown| Shown {
        secure: Arc::new([]),
        // An unknown stored version says nothing about what is kept for which.
        hidden: Arc::new([]),
        ..shown
    }))
}

/// Puts a body onto what is stored; what the caller can't see stays.
pub fn put(
    state: &TypeState,
    stored: ContentRecord,
    at: Version,
    body: Value,
    sees: Visibility,
) -> Result<PutOutcome, EngineError> {
    Ok(state.versions.put_for(stored, at, body, sees)?)
}

/// Whether new content fits its version: its schema, and no field that only other versions have.
pub fn check_new(state: &TypeState, at: Version, content: &Value) -> Result<(), EngineError> {
    state.versions.check_expressed(at, content, None)?;
    if let Some(definition) = state.version(at) {
        definition.schema.validate(content)?;
    }
    Ok(())
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
pub fn indexed(definition: &TypeVersion, content: &Value) -> Indexed {
    let mut all = BTreeMap::new();
    for (name, path) in &definition.indexes {
        let field = FilterField::Content(path.into());
        let keys = index_keys(&field, &SeenContent(content), MOST_KEYS);
        all.insert(name.clone(), keys.iter().map(|key| to_hex(key)).collect());
    }
    all
}

/// Where two documents differ.
pub fn differing(one: &Value, other: &Value) -> Vec<String> {
    coeval_core::types::differing(one, other, LISTED)
}

/// A whole record, as bytes that can be brought back.
pub fn whole(stored: &Stored, secrets: Option<&Bytes>) -> Result<Bytes, EncodeError> {
    let header = encode_value("a header", &stored.header)?;
    let text = |bytes: &Bytes| serde_json::from_slice::<Value>(bytes).unwrap_or_default();
    Ok(json(&serde_json::json!({
        "revision": stored.revision.to_string(),
        "header": header,
        "content": text(&stored.content),
        "kept": stored.kept.as_ref().map(text),
        "replaced": stored.replaced.as_ref().map(text),
        // Sealed as they were: only the keyring opens them.
        "secrets": secrets.map(|bytes| to_hex(bytes)),
    })))
}
