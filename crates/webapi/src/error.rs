//! What can go wrong, and how clients are told: always `code`, `message`, `advice`, the server's
//! `release`, and where programs can use more, `details`.

use coeval_api::caller::{CallerError, CallerRefusal};
use coeval_api::methods::MethodError;
use coeval_api::negotiation::HeaderError;
use coeval_api::rest::{RestAnswer, RestError, seconds};
use coeval_codes::{Coded, ErrorKind};
use coeval_core::version::VersionError;
use coeval_engine::EngineError;
use http::{Method, StatusCode, header};
use serde_json::{Map, Value, json};

/// The server's release.
pub(crate) const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// What is wrong with a request, or with what it met.
#[derive(Clone, Debug, thiserror::Error, Coded)]
pub(crate) enum WebError {
    #[error(transparent)]
    #[code(transparent)]
    Method(#[from] MethodError),
    #[error(transparent)]
    #[code(transparent)]
    Rest(#[from] RestError),
    /// What `If-Match` says is not so.
    #[error(transparent)]
    #[code(transparent)]
    Precondition(MethodError),
    #[error("this server has nothing at {path}")]
    #[code(
        ROUTE_UNKNOWN,
        advice = "Check the path; if it came with a newer release than {RELEASE}, upgrade the server."
    )]
    RouteUnknown { path: String },
    #[error("{path} does not answer {method}")]
    #[code(METHOD_UNKNOWN, advice = "Use one of the methods in the header Allow.")]
    MethodUnknown { path: String, method: Method },
    #[error(
        "the request is made with a browser's session and without its token in {}",
        crate::cookie::CSRF
    )]
    #[code(
        CSRF_REFUSED,
        advice = "Send the csrf of GET /v1/webapi/sessions/current in the header coeval-csrf, or use a bearer token."
    )]
    CsrfRefused,
    #[error("a page of another site made the browser send this")]
    #[code(
        ORIGIN_REFUSED,
        advice = "Use the API from pages of its own origin, or with a bearer token from a program."
    )]
    OriginForeign,
}

impl From<CallerError> for WebError {
    fn from(error: CallerError) -> Self {
        Self::Method(error.into())
    }
}

impl From<CallerRefusal> for WebError {
    fn from(refusal: CallerRefusal) -> Self {
        Self::Method(refusal.into())
    }
}

impl From<EngineError> for WebError {
    fn from(error: EngineError) -> Self {
        Self::Method(error.into())
    }
}

impl From<HeaderError> for WebError {
    fn from(error: HeaderError) -> Self {
        Self::Method(error.into())
    }
}

impl From<VersionError> for WebError {
    fn from(error: VersionError) -> Self {
        Self::Method(error.into())
    }
}

impl WebError {
    /// Something in the body or the path does not belong.
    pub(crate) fn invalid(reason: impl Into<String>) -> Self {
        Self::Method(MethodError::invalid(reason))
    }

    /// A query parameter.
    pub(crate) fn query(name: &str, reason: impl Into<String>) -> Self {
        Self::Rest(RestError::query(name, reason))
    }

    /// Told as a failed precondition, if the revision was said in `If-Match`.
    pub(crate) fn conditioned(self, if_match: bool) -> Self {
        match self {
            // Who said the condition in a header is told of it by the status that HTTP has for that header.
            Self::Method(error) if if_match && error.error_kind() == ErrorKind::Aborted => {
                Self::Precondition(error)
            }
            other => other,
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        let status = match self {
            Self::Precondition(_) => 412,
            Self::Method(_)
            | Self::Rest(_)
            | Self::RouteUnknown { .. }
            | Self::MethodUnknown { .. }
            | Self::CsrfRefused
            | Self::OriginForeign => self.error_kind().statuses().webapi,
        };
        StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// More for programs.
    fn details(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let (Self::Method(error) | Self::Precondition(error)) = self else {
            return all;
        };
        let found = error.details();
        // What is empty is left out, so that a field that is there always says something.
        let mut put = |key: &str, value: Value| {
            let empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
            if !empty {
                all.insert(key.to_owned(), value);
            }
        };
        let violations = found.violations.iter();
        let violations: Vec<Value> = violations
            .map(|(path, message)| json!({ "path": path, "message": message }))
            .collect();
        let after = found.retry_after.map(|after| after.as_millis());
        put("currentRevision", json!(found.current_revision));
        put("differs", json!(found.differing_paths));
        put("violations", json!(violations));
        put("ids", json!(found.ids));
        put("findings", json!(found.findings));
        put("sequence", json!(found.sequence));
        put(
            "retryAfterMs",
            json!(after.map(|after| u64::try_from(after).unwrap_or(u64::MAX))),
        );
        all
    }

    /// The body of an error. What went wrong inside of the server goes to its log, not to the
    /// caller.
    pub(crate) fn body(&self) -> Value {
        // The title of the code stands in for the text, which may name hosts and files.
        let message = if self.status().is_server_error() {
            tracing::error!(code = %self.code(), error = %self, "a request failed");
            self.code().title().to_owned()
        } else {
            self.to_string()
        };
        let mut body = json!({
            "code": self.code().to_string(),
            "message": message,
            "advice": self.advice(),
            "release": RELEASE,
        });
        let details = self.details();
        if let (Value::Object(body), false) = (&mut body, details.is_empty()) {
            body.insert("details".into(), Value::Object(details));
        }
        body
    }

    pub(crate) fn answer(&self) -> RestAnswer {
        let answer = RestAnswer::json(self.status(), &self.body());
        let after = match self {
            Self::Method(error) => error.details().retry_after,
            _ => None,
        };
        match after {
            Some(after) => answer.with(header::RETRY_AFTER, &seconds(after).to_string()),
            None => answer,
        }
    }
}
