//! A resource as requests say it.

use crate::methods::error::MethodError;
use coeval_core::version::{Version, WriteVersion};
use coeval_engine::write::Undeclared;
use coeval_storage::{Revision, UnixMillis};
use serde_json::Value;
use std::collections::BTreeMap;

/// A resource in a request; its kind is said beside it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceBody {
    /// Free text beside the kind; empty: none.
    pub sub_kind: String,
    /// The version of the content, as it was said: `v1.1`, `1.1.0`, `v1.1+downgraded`.
    pub version: String,
    /// What all resources have.
    pub meta: ResourceMeta,
    /// The content.
    pub spec: Option<Value>,
    /// JSON pointers to all that a file declares, if the body comes from one.
    pub applied: Option<Vec<String>>,
    /// Whether fields that no version declares are refused.
    pub strict: bool,
}

impl ResourceBody {
    pub(crate) const fn undeclared(&self) -> Undeclared {
        if self.strict {
            Undeclared::Refuse
        } else {
            Undeclared::Warn
        }
    }
}

/// What all resources have, as far as a request can say it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceMeta {
    /// The name; or an id, where the resource is there.
    pub name: String,
    /// The id; it says which resource is meant before the name does.
    pub id: String,
    /// The organization's name; empty: the caller's own.
    pub namespace: String,
    /// Empty: none.
    pub description: String,
    /// All labels.
    pub labels: BTreeMap<String, String>,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// The revision that was read; empty: none.
    pub revision: String,
}

impl ResourceBody {
    /// The version of the content, with its mark.
    ///
    /// # Errors
    /// If none is said, or it can't be read.
    pub fn written_at(&self) -> Result<WriteVersion, MethodError> {
        if self.version.is_empty() {
            return Err(MethodError::invalid(
                "version is missing: say which version the content has, such as v1.1",
            ));
        }
        written(&self.version)
    }
}

impl ResourceMeta {
    /// The revision, if one is said. What can't be one never matches.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        (!self.revision.is_empty()).then(|| parse_revision(&self.revision))
    }
}

/// Reads a revision. What can't be one never matches; it is compared as it was given, letter by
/// letter.
#[must_use]
pub fn parse_revision(text: &str) -> Revision {
    let read = Revision::from_opaque(text);
    // Another spelling of the same bytes is another text, which no answer ever had.
    if read.to_string() == text {
        read
    } else {
        Revision::NEVER
    }
}

/// Reads a version in whatever form: `2`, `2.0`, `v2`, `2.0.0`, with its mark if it has one.
fn written(text: &str) -> Result<WriteVersion, MethodError> {
    let read = WriteVersion::parse(text);
    // The full form first: only that can have the mark of a downgraded view.
    Ok(read.or_else(|error| match Version::parse_header(text) {
        Ok(version) => Ok(WriteVersion::plain(version)),
        Err(_) => Err(error),
    })?)
}

/// Reads a version that is asked for: `2`, `2.0`, `v2` or `2.0.0`; empty: none.
///
/// # Errors
/// If it can't be read.
pub fn parse_version(text: &str) -> Result<Option<Version>, MethodError> {
    match text {
        "" => Ok(None),
        text => Ok(Some(written(text)?.version())),
    }
}
