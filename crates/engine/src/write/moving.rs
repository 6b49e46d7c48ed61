//! Moving a resource to another version: what an update that changes the version and a mass
//! migration have in common.

use crate::error::EngineError;
use crate::types::state::TypeState;
use coeval_core::convert::Record;
use coeval_core::types::Visibility;
use coeval_core::version::Version;
use serde_json::Value;

/// A record at another version than it was stored at.
pub(crate) struct Moved {
    pub(crate) record: Record,
    /// Pointers to what the version can't hold and is kept beside it.
    pub(crate) kept: Vec<String>,
    /// Pointers to what went with items that the body deleted.
    pub(crate) dropped: Vec<String>,
}

/// Converts a record to a version, puts the body onto it if there is one, and fills in what the
/// version's schema demands and has a default for.
pub(crate) fn move_record(
    state: &TypeState,
    record: Record,
    to: Version,
    body: Option<(Value, Visibility)>,
) -> Result<Moved, EngineError> {
    let from = record.version;
    let mut record = state.versions.moved(record, to)?;
    let (mut kept, mut dropped) = (Vec::new(), Vec::new());
    if let Some((body, sees)) = body {
        let put = state.versions.put_moved(record, from, body, sees)?;
        record = put.record;
        (kept, dropped) = (put.kept, put.dropped);
    }
    if let Some(definition) = state.version(to) {
        record.content = definition.schema.fill_defaults(record.content)?.content;
    }
    kept.extend(record.kept.entries().into_iter().map(|entry| entry.path));
    kept.sort();
    kept.dedup();
    Ok(Moved {
        record,
        kept,
        dropped,
    })
}
