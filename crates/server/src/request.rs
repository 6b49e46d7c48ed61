//! What happens around every request: an id, a look at its path and headers, a line in the access
//! log, counters, and the headers that every answer has.

use crate::answer::error_answer;
use crate::config::RequestSpans;
use crate::path;
use crate::peer::{CalledBy, Peer, forwarded_for};
use axum::body::HttpBody;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use coeval_codes::Coded;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use std::time::{Duration, Instant};
use tracing::{Instrument, Span};

/// The header that names a request, in logs and in the answer. A caller's own id is kept.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The header with the server's release, in every answer: a client that misses something can say
/// which release is needed.
const RELEASE: HeaderName = HeaderName::from_static("coeval-release");

const LONGEST_ID: usize = 128;
/// What the log shows of a path.
const LOGGED_PATH: usize = 512;

/// What is looked at around every request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestPolicy {
    pub(crate) trust_forwarded_for: bool,
    pub(crate) header_bytes: u32,
    pub(crate) spans: Option<RequestSpans>,
}

/// What the log and the metrics say of a request.
struct AccessRecord {
    method: &'static str,
    path: String,
    /// The pattern that matched: a label must not let callers make new time series.
    route: String,
    id: HeaderValue,
    source: Option<String>,
}

pub(crate) async fn observe(
    State(around): State<RequestPolicy>,
    mut request: Request,
    next: Next,
) -> Response {
    // Set on the request as well, so that handlers see the id that is logged.
    let id = match request.headers().get(&REQUEST_ID) {
        Some(given) if acceptable(given) => given.clone(),
        _ => {
            let drawn = draw();
            request.headers_mut().insert(REQUEST_ID, drawn.clone());
            drawn
        }
    };
    let told = AccessRecord {
        method: method_name(request.method()),
        path: request.uri().path().chars().take(LOGGED_PATH).collect(),
        route: route(&request),
        id,
        source: locate(around, &mut request),
    };
    let span = span(&told);
    if let Some(spans) = around.spans {
        (spans.begins)(&span, request.headers(), told.method, &told.route);
    }
    let options = request.method() == Method::OPTIONS;
    let began = Instant::now();
    let response = match refusal(around, &request) {
        Some(refused) => refused,
        None => next.run(request).instrument(span.clone()).await,
    };
    let mut response = if options { allowed(response) } else { response };
    if let Some(spans) = around.spans {
        (spans.ends)(&span, response.status());
    }
    // Closed before the access line, which is not a part of the request's own work.
    drop(span);
    tell(&told, &response, began.elapsed());
    let headers = response.headers_mut();
    headers.insert(REQUEST_ID, told.id);
    headers.insert(RELEASE, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
    response
}

/// The log shows it beside every line. Those of probes have a target that is not ours: whoever
/// collects spans is spared them.
fn span(told: &AccessRecord) -> Span {
    let id = told.id.to_str().unwrap_or_default();
    let (method, path) = (told.method, told.path.as_str());
    if is_probe(&told.route) {
        tracing::info_span!(target: "probe", "request", id, method, path)
    } else {
        tracing::info_span!("request", id, method, path)
    }
}

/// Probes ask every second and tell nothing.
fn is_probe(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

/// Where the request comes from; handlers see the same.
fn locate(around: RequestPolicy, request: &mut Request) -> Option<String> {
    let forwarded = if around.trust_forwarded_for {
        forwarded_for(request.headers())
    } else {
        None
    };
    let peer = request.extensions_mut().get_mut::<Peer>()?;
    peer.source = forwarded.unwrap_or(peer.source).to_canonical();
    Some(peer.source.to_string())
}

/// What no route has to look at.
fn refusal(around: RequestPolicy, request: &Request) -> Option<Response> {
    let asks_all = request.method() == Method::OPTIONS && request.uri().path() == "*";
    if asks_all {
        return Some(StatusCode::NO_CONTENT.into_response());
    }
    if let Err(error) = path::check(request.uri().path()) {
        return Some(error_answer(error.status(), &error));
    }
    let (bytes, limit) = (header_bytes(request.headers()), around.header_bytes);
    if bytes > usize::try_from(limit).unwrap_or(usize::MAX) {
        let error = HeadersTooLarge { bytes, limit };
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return Some(error_answer(status, &error));
    }
    None
}

/// With the colon, the space and the end of the line.
fn header_bytes(headers: &HeaderMap) -> usize {
    let lines = headers.iter();
    lines
        .map(|(name, value)| name.as_str().len() + value.len() + 4)
        .sum()
}

/// OPTIONS on a path that has no answer of its own to it: the methods that it takes.
fn allowed(response: Response) -> Response {
    if response.status() != StatusCode::METHOD_NOT_ALLOWED {
        return response;
    }
    let mut answer = StatusCode::NO_CONTENT.into_response();
    if let Some(allow) = response.headers().get(header::ALLOW) {
        answer.headers_mut().insert(header::ALLOW, allow.clone());
    }
    answer
}

fn tell(told: &AccessRecord, response: &Response, took: Duration) {
    let AccessRecord {
        method,
        path,
        route,
        id,
        source,
    } = told;
    let (method, status) = (*method, response.status().as_u16());
    let ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let user = response
        .extensions()
        .get::<CalledBy>()
        .map(|by| by.0.as_str());
    let (id, source) = (id.to_str().unwrap_or_default(), source.as_deref());
    let bytes = response.body().size_hint().exact();
    if is_probe(route) {
        tracing::debug!(target: "access", method, path, status, ms, bytes, user, id, source, "answered");
    } else {
        tracing::info!(target: "access", method, path, status, ms, bytes, user, id, source, "answered");
    }
    metrics::counter!("coeval_http_requests_total", "method" => method, "route" => route.clone(), "status" => status.to_string())
        .increment(1);
    metrics::histogram!("coeval_http_request_seconds", "method" => method, "route" => route.clone())
        .record(took);
}

/// With or without a slash at its end it is the same route.
fn route(request: &Request) -> String {
    match request.extensions().get::<MatchedPath>() {
        Some(matched) => matched.as_str().trim_end_matches('/').to_owned(),
        None => "none".to_owned(),
    }
}

/// More than one client's share of memory.
#[derive(Debug, thiserror::Error, Coded)]
#[error("the headers have {bytes} bytes, more than {limit}")]
#[code(
    HEADERS_TOO_LARGE,
    advice = "Send fewer or shorter headers, or raise --max-header-bytes."
)]
struct HeadersTooLarge {
    bytes: usize,
    limit: u32,
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
