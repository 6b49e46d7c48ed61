//! Fields of a body that its version does not declare.
//!
//! Those of other versions are refused (COEVAL-3201): whoever sets them means that other version.
//! Those that no version declares are stored, because open objects are meant to be open, and warned
//! of, because most of them are typing errors.

use coeval_catalog::types::state::TypeState;
use coeval_core::version::Version;
use coeval_records::error::EngineError;
use serde_json::Value;

/// What a write says of fields that its version does not declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Undeclared {
    /// Nothing: the content was accepted before.
    Accept,
    /// Fields of other versions are refused; what no version declares is stored with a warning.
    #[default]
    Warn,
    /// Both are refused.
    Refuse,
}

/// How many fields are named.
const NAMED: usize = 8;

/// Warnings about the fields of a body that no version of its type declares.
///
/// # Errors
/// If they are to be refused.
pub(crate) fn check_declared(
    state: &TypeState,
    at: Version,
    body: &Value,
    undeclared: Undeclared,
) -> Result<Option<String>, EngineError> {
    let definition = match state.version(at) {
        Some(definition) if undeclared != Undeclared::Accept => definition,
        _ => return Ok(None),
    };
    let mut fields = definition.schema.undeclared(body, NAMED + 1);
    // What another version has at that place was refused, or is unchanged.
    fields.retain(|field| !state.known_versions().any(|one| one.schema.declares(field)));
    if fields.is_empty() {
        return Ok(None);
    }
    if undeclared == Undeclared::Refuse {
        let of = state.key.clone();
        return Err(EngineError::FieldsUndeclared { of, fields });
    }
    let more = if fields.len() > NAMED { ", …" } else { "" };
    fields.truncate(NAMED);
    let (fields, of) = (fields.join(", "), &state.key);
    Ok(Some(format!(
        "no version of {of} declares {fields}{more}: stored as sent"
    )))
}
