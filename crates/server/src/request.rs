//! What happens around every request: an id, a span, counters.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method};
use std::time::Instant;
use tracing::Instrument;

/// The header that names a request, in logs and in the answer. A caller's own id is kept.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

const LONGEST_ID: usize = 128;

pub(crate) async fn observe(mut request: Request, next: Next) -> Response {
    let id = match request.headers().get(&REQUEST_ID) {
        Some(given) if acceptable(given) => given.clone(),
        _ => {
            let drawn = draw();
            request.headers_mut().insert(REQUEST_ID, drawn.clone());
            drawn
        }
    };
    let method = method_name(request.method());
    let span = tracing::info_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        method,
        path = request.uri().path(),
    );
    let began = Instant::now();
    let mut response = next.run(request).instrument(span.clone()).await;
    let took = began.elapsed();
    let status = response.status().as_u16();
    span.in_scope(|| {
        let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(status, ms, "answered");
    });
    metrics::counter!("coeval_http_requests_total", "method" => method, "status" => status.to_string())
        .increment(1);
    metrics::histogram!("coeval_http_request_seconds", "method" => method).record(took);
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

/// Ids go to logs: only what can be read there, and not without end.
fn acceptable(id: &HeaderValue) -> bool {
    let bytes = id.as_bytes();
    !bytes.is_empty() && bytes.len() <= LONGEST_ID && bytes.iter().all(u8::is_ascii_graphic)
}

fn draw() -> HeaderValue {
    let mut bytes = [0; 16];
    // Without entropy requests share an id, which is no reason to refuse them.
    let _ = getrandom::fill(&mut bytes);
    let text = format!("{:032x}", u128::from_be_bytes(bytes));
    HeaderValue::from_str(&text).unwrap_or_else(|_| HeaderValue::from_static("none"))
}

/// A label must not let callers make new time series.
fn method_name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_callers_id_is_kept_only_if_it_can_stand_in_a_log() {
        let long = "x".repeat(LONGEST_ID + 1);
        for (id, kept) in [("a-1", true), ("", false), ("a b", false), (&long, false)] {
            assert_eq!(acceptable(&HeaderValue::from_str(id).unwrap()), kept);
        }
    }

    #[test]
    fn drawn_ids_differ() {
        assert_ne!(draw(), draw());
        assert_eq!(draw().len(), 32);
    }

    #[test]
    fn an_invented_method_makes_no_new_label() {
        let invented = Method::from_bytes(b"BREW").unwrap();
        assert_eq!(method_name(&invented), "other");
    }
}
