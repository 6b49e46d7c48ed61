//! Answers in the one form that every error has.

use axum::response::{IntoResponse, Response};
use coeval_codes::Coded;
use http::{StatusCode, header};
use serde_json::{Value, json};

/// The JSON answer of a coded error: `code`, `message` and what to do (`advice`).
#[must_use]
pub fn error_answer(status: StatusCode, error: &dyn Coded) -> Response {
    json_answer(
        status,
        &json!({
            "code": error.code().to_string(),
            "message": error.to_string(),
            "advice": error.advice(),
        }),
    )
}

pub(crate) fn json_answer(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json")];
    (status, headers, format!("{body}\n")).into_response()
}
