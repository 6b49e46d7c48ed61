//! The parts of a path that vary.

use axum::extract::{FromRequestParts as _, RawPathParams};
use http::request::Parts;

/// The parts of a path that vary, by name, decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathParams(Vec<(String, String)>);

impl PathParams {
    /// Those of a request that a router has matched; nothing if one is not UTF-8.
    pub async fn of(parts: &mut Parts) -> Option<Self> {
        let params = RawPathParams::from_request_parts(parts, &()).await.ok()?;
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Some(Self(params.iter().map(owned).collect()))
    }

    /// One of them; empty if the path has none that is called so.
    #[must_use]
    pub fn get(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(given, _)| given == name);
        found.map_or("", |(_, value)| value.as_str())
    }
}
