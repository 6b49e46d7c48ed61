//! One request, as handlers see it.

use crate::api_version::ApiVersion;
use crate::error::ApiError;
use bytes::Bytes;
use coeval_api::caller::{CallerRefusal, SentCredentials};
use coeval_api::negotiation::RequestHeaders;
pub(crate) use coeval_api::rest::BodyFields;
use coeval_api::rest::{PathParams, QueryParams};
use coeval_engine::Caller;
use http::HeaderMap;
use serde_json::{Map, Value};

/// One request, all of it read and its sender known.
#[derive(Debug)]
pub(crate) struct CloudCall {
    /// Who calls; there always is one where the route needs a user.
    pub(crate) caller: Option<Caller>,
    pub(crate) credentials: Option<SentCredentials>,
    pub(crate) version: ApiVersion,
    /// The path as it was sent, for links.
    pub(crate) path: String,
    pub(crate) params: PathParams,
    pub(crate) query: QueryParams,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Where it comes from.
    pub(crate) source: Option<String>,
}

impl CloudCall {
    /// Who calls.
    pub(crate) fn caller(&self) -> Result<&Caller, ApiError> {
        // Routes that need a user always have one: this is the error of a table that says otherwise.
        self.caller
            .as_ref()
            .ok_or_else(|| CallerRefusal::CredentialsMissing.into())
    }

    /// A part of the path that varies.
    pub(crate) fn param(&self, name: &str) -> &str {
        self.params.get(name)
    }

    pub(crate) fn headers(&self) -> RequestHeaders<'_> {
        RequestHeaders(&self.headers)
    }

    /// The body as JSON, read strictly.
    pub(crate) fn json(&self) -> Result<Value, ApiError> {
        Ok(coeval_api::rest::read_json(&self.body)?)
    }

    /// The body as a JSON object.
    pub(crate) fn object(&self) -> Result<Map<String, Value>, ApiError> {
        Ok(coeval_api::rest::read_object(&self.body)?)
    }

    /// A query parameter that is true or false.
    pub(crate) fn flag(&self, name: &'static str) -> Result<Option<bool>, ApiError> {
        Ok(self.query.flag(name)?)
    }
}
