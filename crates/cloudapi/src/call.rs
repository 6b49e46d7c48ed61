//! One request, as handlers see it.

use crate::api_version::ApiVersion;
use crate::error::ApiError;
use crate::query::Query;
use bytes::Bytes;
use coeval_callers::{Credentials, Headers};
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyLimits, read_body};
use coeval_engine::Caller;
use http::HeaderMap;
use serde_json::{Map, Value};

/// One request, all of it read and its sender known.
#[derive(Debug)]
pub(crate) struct Call {
    /// Who calls; there always is one where the route needs a user.
    pub(crate) caller: Option<Caller>,
    pub(crate) credentials: Option<Credentials>,
    pub(crate) version: ApiVersion,
    /// The path as it was sent, for links.
    pub(crate) path: String,
    pub(crate) params: Vec<(String, String)>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Where it comes from.
    pub(crate) source: Option<String>,
}

/// Levels around an entity's content in a body.
const AROUND: usize = 4;

impl Call {
    /// Who calls.
    pub(crate) fn caller(&self) -> Result<&Caller, ApiError> {
        self.caller.as_ref().ok_or(ApiError::CredentialsMissing)
    }

    /// A part of the path that varies.
    pub(crate) fn param(&self, name: &str) -> &str {
        let found = self.params.iter().find(|(given, _)| given == name);
        found.map_or("", |(_, value)| value.as_str())
    }

    pub(crate) fn headers(&self) -> Headers<'_> {
        Headers(&self.headers)
    }

    /// The body as JSON, read strictly.
    pub(crate) fn json(&self) -> Result<Value, ApiError> {
        let limits = BodyLimits {
            bytes: self.body.len(),
            depth: CONTENT_DEPTH + AROUND,
        };
        Ok(read_body(&self.body, limits)?)
    }

    /// The body as a JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, ApiError> {
        match self.json()? {
            Value::Object(map) => Ok(map),
            _ => Err(ApiError::request("the body must be a JSON object")),
        }
    }

    /// A query parameter that is true or false.
    pub(crate) fn flag(&self, name: &'static str) -> Result<Option<bool>, ApiError> {
        match self.query.get(name) {
            None | Some("") => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(_) => Err(ApiError::query(name, "use true or false")),
        }
    }
}

/// Reads fields of a JSON object in a body, each with a clear refusal.
pub(crate) trait Fields {
    /// A text; null counts as absent.
    fn text(&self, name: &str) -> Result<Option<String>, ApiError>;
    /// A text that must be there.
    fn needed(&self, name: &str) -> Result<String, ApiError> {
        let missing = || ApiError::request(format!("{name} is missing"));
        self.text(name)?.ok_or_else(missing)
    }
    /// True or false; null counts as absent.
    fn flag(&self, name: &str) -> Result<Option<bool>, ApiError>;
    /// An object; null counts as absent.
    fn map(&self, name: &str) -> Result<Option<&Map<String, Value>>, ApiError>;
    /// A list; null counts as absent.
    fn list(&self, name: &str) -> Result<Option<&Vec<Value>>, ApiError>;
}

impl Fields for Map<String, Value> {
    fn text(&self, name: &str) -> Result<Option<String>, ApiError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err(ApiError::request(format!("{name} must be a string"))),
        }
    }

    fn flag(&self, name: &str) -> Result<Option<bool>, ApiError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(ApiError::request(format!("{name} must be true or false"))),
        }
    }

    fn map(&self, name: &str) -> Result<Option<&Map<String, Value>>, ApiError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(map)),
            Some(_) => Err(ApiError::request(format!("{name} must be an object"))),
        }
    }

    fn list(&self, name: &str) -> Result<Option<&Vec<Value>>, ApiError> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Array(list)) => Ok(Some(list)),
            Some(_) => Err(ApiError::request(format!("{name} must be a list"))),
        }
    }
}
