//! What a handler answers.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use coeval_callers::{names, warning_text};
use coeval_storage::{Revision, Token};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

/// An answer; the dispatcher adds what all answers have.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: AnswerBody,
}

#[derive(Debug)]
pub(crate) enum AnswerBody {
    Empty,
    Json(Bytes),
    /// Server-sent events.
    Events(Body),
}

impl Answer {
    pub(crate) fn of(status: StatusCode, body: AnswerBody) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body,
        }
    }

    /// 200 with JSON.
    pub(crate) fn ok(value: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, value)
    }

    /// 201 with JSON.
    pub(crate) fn created(value: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, value)
    }

    /// JSON. What can't be encoded is a fault of the server, and no empty answer that says all is well.
    pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::of(status, AnswerBody::Json(bytes.into())),
            Err(error) => {
                tracing::error!(%error, "an answer can't be encoded");
                Self::of(StatusCode::INTERNAL_SERVER_ERROR, AnswerBody::Empty)
            }
        }
    }

    /// JSON that is written already.
    pub(crate) fn raw_json(status: StatusCode, bytes: Vec<u8>) -> Self {
        Self::of(status, AnswerBody::Json(bytes.into()))
    }

    /// 204.
    pub(crate) fn none() -> Self {
        Self::of(StatusCode::NO_CONTENT, AnswerBody::Empty)
    }

    /// With a header; a value that can't be one is left out.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }

    /// With one of our own headers.
    pub(crate) fn saying(self, name: &'static str, value: &str) -> Self {
        self.with(HeaderName::from_static(name), value)
    }

    /// With warnings, each a header of its own.
    pub(crate) fn warnings(self, warnings: &[String]) -> Self {
        warnings.iter().fold(self, |answer, warning| {
            answer.saying(names::WARNING, &warning_text(warning))
        })
    }

    /// Saying at which sequence something was read or written.
    pub(crate) fn sequenced(self, token: Token) -> Self {
        self.saying(names::SEQUENCE, &token.to_string())
    }

    /// Saying which revision it is: all views of one have the same.
    pub(crate) fn revised(self, revision: Revision) -> Self {
        self.with(header::ETAG, &format!("\"{revision}\""))
    }

    /// As a response. Nothing of it belongs into a cache: it is somebody's own.
    pub(crate) fn into_response(self) -> Response {
        let (kind, body) = match self.body {
            AnswerBody::Empty => (None, Body::empty()),
            AnswerBody::Json(bytes) => (Some("application/json"), Body::from(bytes)),
            AnswerBody::Events(body) => (Some("text/event-stream"), body),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        let headers = response.headers_mut();
        if let Some(kind) = kind {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        response
    }
}
