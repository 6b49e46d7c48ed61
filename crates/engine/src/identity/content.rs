//! The contents of the engine's own kinds, at the version that this release's code speaks. What
//! other versions hold beside is not here and stays as it is: a write at this one leaves it alone.

use super::own::Spoken;
use crate::error::EngineError;
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
pub(crate) struct OrgContent {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) display_name: Option<String>,
    #[serde(default = "yes")]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) vdcs: Vec<String>,
}

/// Of a user.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserContent {
    pub(crate) org: String,
    pub(crate) username: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) full_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) email: Option<String>,
    #[serde(default = "yes")]
    pub(crate) enabled: bool,
    #[serde(default)]
    pub(crate) roles: Vec<String>,
    #[serde(default)]
    pub(crate) session_epoch: u64,
    #[serde(default)]
    pub(crate) token_epoch: u64,
}

/// What a role holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum RoleHolds {
    #[default]
    These,
    Everything,
    WhatIsPublished,
}

/// Of a role.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RoleContent {
    pub(crate) rolename: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) org: Option<String>,
    #[serde(default)]
    pub(crate) holds: RoleHolds,
    #[serde(default)]
    pub(crate) rights: Vec<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) predefined: bool,
}

/// Of a rights bundle.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BundleContent {
    #[serde(default)]
    pub(crate) rights: Vec<String>,
    #[serde(default)]
    pub(crate) published_to_all: bool,
    #[serde(default)]
    pub(crate) published_to: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) of_type: Option<String>,
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) predefined: bool,
}

/// Reads the content of a resource of an own kind.
pub(crate) fn read<T: DeserializeOwned>(spoken: &Spoken) -> Result<T, EngineError> {
    serde_json::from_slice(&spoken.content).map_err(|error| EngineError::Unreadable {
        id: spoken.id,
        reason: format!("its content can't be read: {error}"),
    })
}

/// As it is written.
pub(crate) fn value(content: &impl Serialize) -> Result<Value, EngineError> {
    Ok(crate::encode::encode_value(
        "the content of a built-in kind",
        content,
    )?)
}
