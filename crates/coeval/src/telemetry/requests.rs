//! What the span of a request says to a collector beyond what the log shows of it.

use axum::http::{HeaderMap, StatusCode};
use coeval_server::RequestSpans;
use opentelemetry::Context;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{Status, TraceContextExt as _};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

/// The longest `traceparent` that is looked at: version 0 has 55 characters, later ones may have more.
const LONGEST: usize = 128;

pub(crate) const REQUESTS: RequestSpans = RequestSpans { begins, ends };

/// Goes on with the caller's trace, if it named one.
fn begins(span: &Span, headers: &HeaderMap, method: &str, route: &str) {
    if let Some(parent) = parent(headers) {
        // An error says that this span is not sent.
        let _ = span.set_parent(parent);
    }
    let name = match route {
        "none" => method.to_owned(),
        route => format!("{method} {route}"),
    };
    span.context().span().update_name(name);
    span.set_attribute("http.route", route.to_owned());
}

fn ends(span: &Span, status: StatusCode) {
    span.set_attribute("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        span.set_status(Status::error(""));
    }
}

/// The span that the caller's headers name. `tracestate` is not kept: anybody could fill it.
fn parent(headers: &HeaderMap) -> Option<Context> {
    let found =
        TraceContextPropagator::new().extract_with_context(&Context::new(), &TraceParent(headers));
    let named = found.span().span_context().is_valid();
    named.then_some(found)
}

struct TraceParent<'h>(&'h HeaderMap);

impl Extractor for TraceParent<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let mut all = match key {
            "traceparent" => self.0.get_all(key).iter(),
            _ => return None,
        };
        let one = all.next()?.to_str().ok()?;
        // Of two nobody knows which one is meant.
        (all.next().is_none() && one.len() <= LONGEST).then_some(one)
    }

    fn keys(&self) -> Vec<&str> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn found(values: &[&str]) -> Option<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append("traceparent", value.parse().unwrap());
        }
        headers.insert("tracestate", "vendor=opaque".parse().unwrap());
        let parent = parent(&headers)?;
        let span = parent.span().span_context().clone();
        assert_eq!(span.trace_state().header(), "");
        Some(format!("{}-{}", span.trace_id(), span.span_id()))
    }

    #[test]
    fn a_callers_trace_is_taken_up_only_if_it_is_well_formed() {
        let expected = Some("0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331".to_owned());
        assert_eq!(found(&[GOOD]), expected);
        let later = format!("01{}-more", &GOOD[2..]);
        assert_eq!(found(&[&later]), expected);
        let long = format!("01{}-{}", &GOOD[2..], "x".repeat(LONGEST));
        for bad in [
            "",
            "x",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            &long,
        ] {
            assert_eq!(found(&[bad]), None, "{bad}");
        }
        assert_eq!(found(&[GOOD, GOOD]), None);
        assert_eq!(found(&[]), None);
    }
}
