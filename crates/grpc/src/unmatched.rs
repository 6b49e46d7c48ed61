//! Calls of methods that no fixed service has.

use crate::api::Api;
use crate::status;
use axum::extract::Request;
use axum::response::Response;
use std::sync::Arc;

/// Answers a call.
pub(crate) async fn answer(_api: Arc<Api>, request: Request) -> Response {
    status::no_such_method(request.uri().path()).into_http()
}
