//! The headers of calls and answers.

use http::{HeaderMap, HeaderName, HeaderValue};

pub(crate) const AT_LEAST: HeaderName = HeaderName::from_static("coeval-at-least");
pub(crate) const SEQUENCE: HeaderName = HeaderName::from_static("coeval-sequence");
pub(crate) const ACCEPT: HeaderName = HeaderName::from_static("coeval-accept");
pub(crate) const RELEASE: HeaderName = HeaderName::from_static("coeval-release");
pub(crate) const STATUS: HeaderName = HeaderName::from_static("grpc-status");
pub(crate) const FORCE: HeaderName = HeaderName::from_static("coeval-force");

/// The value of a header, if it is text.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Sets a header; a value that is none is left out.
pub(crate) fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}
