//! What a handler answers.

use crate::negotiation::{names, warning_text};
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use coeval_storage::{Revision, Token};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use std::borrow::Cow;

/// An answer; the API's dispatcher adds what all of its answers have.
#[derive(Debug)]
pub struct RestAnswer {
    /// The status.
    pub status: StatusCode,
    /// All headers but the content type.
    pub headers: HeaderMap,
    /// The media type, and what is sent.
    content: Option<(Cow<'static, str>, Body)>,
}

impl RestAnswer {
    fn of(status: StatusCode, media: impl Into<Cow<'static, str>>, body: Body) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            content: Some((media.into(), body)),
        }
    }

    fn empty(status: StatusCode) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            content: None,
        }
    }

    /// 200 with JSON.
    pub fn ok(value: &impl Serialize) -> Self {
        Self::json(StatusCode::OK, value)
    }

    /// 201 with JSON.
    pub fn created(value: &impl Serialize) -> Self {
        Self::json(StatusCode::CREATED, value)
    }

    /// JSON. What can't be encoded is a fault of the server, and no empty answer that says all is well.
    pub fn json(status: StatusCode, value: &impl Serialize) -> Self {
        match serde_json::to_vec(value) {
            Ok(bytes) => Self::raw_json(status, bytes),
            Err(error) => {
                tracing::error!(%error, "an answer can't be encoded");
                Self::empty(StatusCode::INTERNAL_SERVER_ERROR)
            }
        }
    }

    /// JSON that is written already.
    pub fn raw_json(status: StatusCode, bytes: impl Into<Bytes>) -> Self {
        Self::of(status, "application/json", Body::from(bytes.into()))
    }

    /// 200 with XML, of the media type `application/{kind}`.
    #[must_use]
    pub fn xml(kind: &str, text: String) -> Self {
        let media = format!("application/{kind}");
        Self::of(StatusCode::OK, media, Body::from(text))
    }

    /// 200 with server-sent events.
    #[must_use]
    pub fn events(events: Body) -> Self {
        Self::of(StatusCode::OK, "text/event-stream", events)
    }

    /// 204.
    #[must_use]
    pub fn none() -> Self {
        Self::empty(StatusCode::NO_CONTENT)
    }

    /// 202, with where the task is.
    #[must_use]
    pub fn accepted(location: &str) -> Self {
        Self::empty(StatusCode::ACCEPTED).with(header::LOCATION, location)
    }

    /// With a header; a value that can't be one is left out.
    #[must_use]
    pub fn with(mut self, name: HeaderName, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            // Appended, not set: a header such as a warning may be there several times.
            self.headers.append(name, value);
        }
        self
    }

    /// With one of our own headers.
    #[must_use]
    pub fn saying(self, name: &'static str, value: &str) -> Self {
        self.with(HeaderName::from_static(name), value)
    }

    /// With something that should be looked at.
    #[must_use]
    pub fn warning(self, text: &str) -> Self {
        self.saying(names::WARNING, &warning_text(text))
    }

    /// With warnings, each a header of its own.
    #[must_use]
    pub fn warnings(self, warnings: &[String]) -> Self {
        warnings
            .iter()
            .fold(self, |answer, warning| answer.warning(warning))
    }

    /// Saying at which sequence something was read or written.
    #[must_use]
    pub fn sequenced(self, token: Token) -> Self {
        self.saying(names::SEQUENCE, &token.to_string())
    }

    /// Saying which revision it is: all views of one have the same.
    #[must_use]
    pub fn revised(self, revision: Revision) -> Self {
        self.with(header::ETAG, &format!("\"{revision}\""))
    }

    /// As a response; the parameters follow the media type, such as `;version=39.0`.
    #[must_use]
    pub fn into_response(self, media_parameters: &str) -> Response {
        let (media, body) = match self.content {
            Some((media, body)) => (Some(format!("{media}{media_parameters}")), body),
            None => (None, Body::empty()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        if let Some(media) = media.and_then(|media| HeaderValue::from_str(&media).ok()) {
            response.headers_mut().insert(header::CONTENT_TYPE, media);
        }
        response
    }
}
