//! Something deprecated, with its place: what an operator looks through before an upgrade.

use crate::deprecation::ReleaseDeprecation;
use serde_json::{Value, json};

/// Something that is deprecated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeprecatedItem {
    /// What it is: route, method, field, parameter, setting, flag or metric.
    pub what: &'static str,
    /// Where it is, such as `GET /v1/webapi/foos`.
    pub name: String,
    /// Since when, and when it goes.
    pub deprecation: ReleaseDeprecation,
}

impl DeprecatedItem {
    /// As APIs show it.
    #[must_use]
    pub fn document(&self) -> Value {
        json!({ "what": self.what, "name": self.name, "deprecation": self.deprecation.document() })
    }
}
