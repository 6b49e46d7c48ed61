//! Calls of methods that no fixed service has: those of typed services, or of none.

use crate::api::Api;
use crate::typed::dispatch;
use axum::extract::Request;
use axum::response::Response;
use std::sync::Arc;

/// Answers a call.
pub(crate) async fn answer(api: Arc<Api>, request: Request) -> Response {
    dispatch::call(api, request).await
}
