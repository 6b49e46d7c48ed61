//! What a handler answers.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use coeval_callers::{names, warning_text};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::api_version::ApiVersion;

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
    /// With the part of its content type after `application/`.
    Xml(&'static str, String),
}

impl Answer {
    fn of(status: StatusCode, body: AnswerBody) -> Self {
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
    pub(crate) fn raw_json(bytes: impl Into<Bytes>) -> Self {
        Self::of(StatusCode::OK, AnswerBody::Json(bytes.into()))
    }

    /// XML, of the media type `application/{kind}`.
    pub(crate) fn xml(kind: &'static str, text: String) -> Self {
        Self::of(StatusCode::OK, AnswerBody::Xml(kind, text))
    }

    /// 204.
    pub(crate) fn none() -> Self {
        Self::of(StatusCode::NO_CONTENT, AnswerBody::Empty)
    }

    /// 202, with where the task is.
    pub(crate) fn accepted(location: &str) -> Self {
        Self::of(StatusCode::ACCEPTED, AnswerBody::Empty).with(header::LOCATION, location)
    }

    /// With a header; a value that can't be one is left out.
    pub(crate) fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.headers.append(name, value);
        }
        self
    }

    /// With something that should be looked at.
    pub(crate) fn warning(self, text: &str) -> Self {
        self.saying(names::WARNING, &warning_text(text))
    }

    /// With one of our own headers.
    pub(crate) fn saying(self, name: &'static str, value: &str) -> Self {
        self.with(HeaderName::from_static(name), value)
    }

    /// As a response of the API version that was asked for.
    pub(crate) fn into_response(self, version: ApiVersion) -> Response {
        let (kind, body) = match self.body {
            AnswerBody::Empty => (None, Body::empty()),
            AnswerBody::Json(bytes) => (
                Some(format!("application/json;version={version}")),
                Body::from(bytes),
            ),
            AnswerBody::Xml(kind, text) => (
                Some(format!("application/{kind};version={version}")),
                Body::from(text),
            ),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if let Some(kind) = kind.and_then(|kind| HeaderValue::from_str(&kind).ok()) {
            response.headers_mut().insert(header::CONTENT_TYPE, kind);
        }
        response
    }
}
