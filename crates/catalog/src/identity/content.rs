//! The contents of the engine's own kinds, at the version that this release's code speaks. What
//! other versions hold beside is not here and stays as it is: a write at this one leaves it alone.

use bytes::Bytes;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_storage::Revision;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands in a reference"
)]
fn is_false(value: &bool) -> bool {
    !*value
}

const fn yes() -> bool {
    true
}

/// Of an organization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OrgContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display_name: Option<String>,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default)]
    pub vdcs: Vec<String>,
}

/// Of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UserContent {
    pub org: String,
    pub username: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    #[serde(default = "yes")]
    pub enabled: bool,
    #[serde(default)]
    pub roles: Vec<String>,
    #[serde(default)]
    pub session_epoch: u64,
    #[serde(default)]
    pub token_epoch: u64,
}

/// What a role holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RoleHolds {
    #[default]
    These,
    Everything,
    WhatIsPublished,
}

/// Of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RoleContent {
    pub rolename: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub org: Option<String>,
    #[serde(default)]
    pub holds: RoleHolds,
    #[serde(default)]
    pub rights: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub predefined: bool,
}

/// Of a rights bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleContent {
    #[serde(default)]
    pub rights: Vec<String>,
    #[serde(default)]
    pub published_to_all: bool,
    #[serde(default)]
    pub published_to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of_type: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub predefined: bool,
}

/// Reads the content of a resource of an own kind.
pub fn read<T: DeserializeOwned>(spoken: &Spoken) -> Result<T, EngineError> {
    serde_json::from_slice(&spoken.content).map_err(|error| EngineError::Unreadable {
        id: spoken.id,
        reason: format!("its content can't be read: {error}"),
    })
}

/// As it is written.
pub fn value(content: &impl Serialize) -> Result<Value, EngineError> {
    Ok(coeval_records::encode::encode_value(
        "the content of a built-in kind",
        content,
    )?)
}

/// A resource of an own kind as this release's code speaks of it: at its version, whatever it is
/// stored at. It is for looking at, and never written back.
#[derive(Clone, Debug)]
pub struct Spoken {
    pub id: Uuid,
    pub revision: Revision,
    pub header: Header,
    pub content: Bytes,
}
