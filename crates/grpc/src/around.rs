//! What happens around every call: its content type is looked at, its deadline holds on the server
//! too, and every status that is not OK has a code, whoever made it.

use crate::deprecated;
use crate::ending::Ending;
use crate::error::CallError;
use crate::explained::explain;
use crate::status;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use coeval_api::negotiation::{RequestHeaders, names};
use coeval_proto::strict::{Inspection, inspecting};
use coeval_server::error_answer;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;

const TIMEOUT: &str = "grpc-timeout";
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Answers a call, in time or not at all.
pub(crate) async fn around(request: Request, next: Next) -> Response {
    if !is_grpc(request.headers()) {
        return error_answer(StatusCode::UNSUPPORTED_MEDIA_TYPE, &CallError::ContentType);
    }
    let deadline = match timeout(request.headers()) {
        Ok(timeout) => timeout.and_then(|timeout| Instant::now().checked_add(timeout)),
        Err(error) => return status::refused(&error).into_http(),
    };
    // What comes too late is not begun.
    if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
        return status::refused(&CallError::DeadlinePassed).into_http();
    }
    let path = request.uri().path().to_owned();
    let ignorable = RequestHeaders(request.headers()).ignorable();
    let call = inspecting(&path, ignorable, next.run(request));
    let (answer, inspection) = match deadline {
        None => call.await,
        Some(deadline) => match tokio::time::timeout_at(deadline, call).await {
            Ok(called) => called,
            // What ran was dropped with it: a write is done as a whole or not at all.
            Err(_) => return status::refused(&CallError::DeadlinePassed).into_http(),
        },
    };
    if !inspection.refused.is_empty() {
        let error = CallError::FieldUnknown {
            method: path,
            fields: inspection.refused,
            release: RELEASE,
        };
        return status::refused(&error).into_http();
    }
    let mut answer = answer;
    warn_of_ignored(answer.headers_mut(), &inspection, &path);
    deprecated::tell(answer.headers_mut(), &path);
    if answer.headers().contains_key(Status::GRPC_STATUS) {
        let (mut parts, body) = answer.into_parts();
        explain(&mut parts.headers, &path);
        return Response::from_parts(parts, body);
    }
    answer.map(|body| Body::new(Ending::new(body, deadline, path)))
}

/// Names what was ignored, and who ignored it.
fn warn_of_ignored(headers: &mut HeaderMap, inspection: &Inspection, path: &str) {
    for field in &inspection.ignored {
        let warning = format!(
            "this server, of release {RELEASE}, ignored the field {field} of the request of {path}"
        );
        if let Ok(warning) = HeaderValue::from_str(&warning) {
            headers.append(names::WARNING, warning);
        }
    }
}

/// `application/grpc`, with or without the one form that is served.
fn is_grpc(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    matches!(kind, "application/grpc" | "application/grpc+proto")
}

/// How long the caller waits.
fn timeout(headers: &HeaderMap) -> Result<Option<Duration>, CallError> {
    let Some(value) = headers.get(TIMEOUT) else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let read = || {
        let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let fits = (1..=8).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
        let number: u64 = digits.parse().ok().filter(|_| fits)?;
        Some(match unit {
            "H" => Duration::from_secs(number * 3_600),
            "M" => Duration::from_secs(number * 60),
            "S" => Duration::from_secs(number),
            "m" => Duration::from_millis(number),
            "u" => Duration::from_micros(number),
            "n" => Duration::from_nanos(number),
            _ => return None,
        })
    };
    let bad = || CallError::TimeoutInvalid {
        text: text.chars().take(40).collect(),
    };
    read().map(Some).ok_or_else(bad)
}

#[cfg(test)]
#[path = "around_tests.rs"]
mod tests;
