//! What every server answers, whatever else it serves.

use crate::answer::{error_answer, json_answer};
use crate::lifecycle::Lifecycle;
use crate::readiness::Readiness;
use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use coeval_codes::Coded;
use http::{Method, StatusCode, Uri, header};
use metrics_exporter_prometheus::PrometheusHandle;
use serde_json::json;
use tower::ServiceExt;

#[derive(Clone)]
struct ProbeState {
    lifecycle: Lifecycle,
    readiness: Readiness,
}

/// The probes and metrics, the caller's routes, and an answer for all others.
pub(crate) fn all(
    routes: Router,
    grpc: Option<Router>,
    lifecycle: Lifecycle,
    readiness: Readiness,
    metrics: PrometheusHandle,
) -> Router {
    let probes = Router::new()
        .route("/readyz", get(readyz))
        .with_state(ProbeState {
            lifecycle,
            readiness,
        });
    let metrics = Router::new()
        .route("/metrics", get(render_metrics))
        .with_state(metrics);
    Router::new()
        .route("/healthz", get(healthz))
        .merge(probes)
        .merge(metrics)
        .merge(routes)
        .fallback(move |request: Request| unmatched(grpc.clone(), request))
        .method_not_allowed_fallback(no_such_method)
}

/// The process is alive. It asks nobody: a store that is down is no reason to kill the server.
async fn healthz() -> &'static str {
    "ok\n"
}

async fn readyz(State(probes): State<ProbeState>) -> Response {
    let draining = probes.lifecycle.is_draining();
    let states = probes.readiness.ask().await;
    // Draining is told beside the parts: an operator sees that nothing is broken.
    let ready = !draining && states.iter().all(|state| state.trouble.is_none());
    let parts: serde_json::Map<_, _> = states
        .into_iter()
        .map(|state| {
            let said = state.trouble.unwrap_or_else(|| "ready".to_owned());
            (state.name.to_owned(), said.into())
        })
        .collect();
    let status = if ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let body = json!({ "ready": ready, "draining": draining, "parts": parts });
    json_answer(status, &body)
}

async fn render_metrics(State(metrics): State<PrometheusHandle>) -> Response {
    let headers = [(header::CONTENT_TYPE, "text/plain; version=0.0.4")];
    (headers, metrics.render()).into_response()
}

/// gRPC calls are answered in their own form.
async fn unmatched(grpc: Option<Router>, request: Request) -> Response {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let is_grpc = kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/grpc"));
    match grpc.filter(|_| is_grpc) {
        Some(grpc) => {
            let Ok(response) = grpc.oneshot(request).await;
            response
        }
        None => no_such_route(request.uri()),
    }
}

fn no_such_route(uri: &Uri) -> Response {
    let path = uri.path().to_owned();
    error_answer(StatusCode::NOT_FOUND, &RouteError::Route { path })
}

async fn no_such_method(method: Method, uri: Uri) -> Response {
    let path = uri.path().to_owned();
    let error = RouteError::Method { path, method };
    error_answer(StatusCode::METHOD_NOT_ALLOWED, &error)
}

/// A request that no route takes.
#[derive(Debug, thiserror::Error, Coded)]
enum RouteError {
    #[error("this server has nothing at {path}")]
    #[code(ROUTE_UNKNOWN, advice = "Check the path and the server's release.")]
    Route { path: String },
    #[error("{path} does not answer {method}")]
    #[code(METHOD_UNKNOWN, advice = "Use one of the methods in the header Allow.")]
    Method { path: String, method: Method },
}
