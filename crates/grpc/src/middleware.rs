//! What happens around every call: its content type is looked at, its deadline holds on the server
//! too, and every status that is not OK has a code, whoever made it.

use crate::deprecated;
use crate::ending_body::EndingBody;
use crate::error::CallError;
use crate::explained::explain;
use crate::status;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use coeval_api::negotiation::{RequestHeaders, names};
use coeval_proto::strict::{FieldInspection, inspecting};
use coeval_server::error_answer;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::time::Duration;
use tokio::time::Instant;
use tonic::Status;

const TIMEOUT: &str = "grpc-timeout";
const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// Answers a call, in time or not at all.
pub(crate) async fn handle(request: Request, next: Next) -> Response {
    // In HTTP's words: who sends another content type is no gRPC client and would not read a status.
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
    // Taken here: the request is gone when its answer is explained.
    let path = request.uri().path().to_owned();
    let ignorable = RequestHeaders(request.headers()).ignorable();
    // The codec that reads the message is deep inside of tonic and knows no headers. What may be ignored
    // reaches it, and what it finds comes back, through a task-local of this call.
    let call = inspecting(&path, ignorable, next.run(request));
    let (answer, inspection) = match deadline {
        None => call.await,
        Some(deadline) => match tokio::time::timeout_at(deadline, call).await {
            Ok(called) => called,
            // What ran was dropped with it: a write is done as a whole or not at all.
            Err(_) => return status::refused(&CallError::DeadlinePassed).into_http(),
        },
    };
    // Whatever the method answered: tonic made a status of its own of the refused message, which does not
    // name the fields.
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
    // A status in the headers is the whole answer (*trailers-only*): there is no body whose end has one.
    if answer.headers().contains_key(Status::GRPC_STATUS) {
        let (mut parts, body) = answer.into_parts();
        explain(&mut parts.headers, &path);
        return Response::from_parts(parts, body);
    }
    answer.map(|body| Body::new(EndingBody::new(body, deadline, path)))
}

/// Names what was ignored, and who ignored it.
fn warn_of_ignored(headers: &mut HeaderMap, inspection: &FieldInspection, path: &str) {
    for field in &inspection.ignored {
        let warning = format!(
            "this server, of release {RELEASE}, ignored the field {field} of the request of {path}"
        );
        // Field names come from our own descriptors, so that this never fails.
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
    // gRPC's own grammar: one to eight digits and a unit. Eight digits of hours still fit in a u64 of
    // seconds.
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
#[path = "middleware_tests.rs"]
mod tests;
