//! `.proto` files over plain HTTP: ours for everybody, those of types for callers who see the type
//! version that they describe.

use crate::api::GrpcState;
use crate::error::CallError;
use crate::package::refusal::TypedRefusal;
use crate::proto::SOURCES;
use crate::symbols;
use axum::Extension;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use coeval_api::caller::{CalledBy, Peer};
use coeval_codes::Coded;
use coeval_engine::Caller;
use coeval_server::error_answer;
use http::{HeaderMap, StatusCode, header};
use serde_json::json;
use std::sync::Arc;
use tonic::Code;

/// The routes.
pub(crate) fn router(api: Arc<GrpcState>) -> Router {
    Router::new()
        .route("/protos", get(list))
        .route("/protos/{*path}", get(file))
        .with_state(api)
}

async fn list(
    State(api): State<Arc<GrpcState>>,
    headers: HeaderMap,
    peer: Option<Extension<Peer>>,
) -> Response {
    let listed = async {
        let caller = api.known(&headers, peer.as_deref()).await?;
        let mut files: Vec<String> = SOURCES.iter().map(|(path, _)| (*path).to_owned()).collect();
        // Our own files describe the product and are open to everybody; which types there are is not.
        if let Some(caller) = &caller {
            let layouts = api.layouts(caller).await?;
            files.extend(layouts.iter().map(|layout| layout.path()));
        }
        files.sort_unstable();
        let body = format!("{}\n", json!({ "files": files }));
        let headers = [(header::CONTENT_TYPE, "application/json")];
        Ok(by(caller.as_ref(), (headers, body).into_response()))
    };
    listed.await.unwrap_or_else(refused)
}

async fn file(
    State(api): State<Arc<GrpcState>>,
    Path(path): Path<String>,
    headers: HeaderMap,
    peer: Option<Extension<Peer>>,
) -> Response {
    let found = async {
        let caller = api.known(&headers, peer.as_deref()).await?;
        let text = text(&api, caller.as_ref(), &path).await?;
        let headers = [(header::CONTENT_TYPE, "text/plain; charset=utf-8")];
        Ok(by(caller.as_ref(), (headers, text).into_response()))
    };
    found.await.unwrap_or_else(refused)
}

async fn text(
    api: &GrpcState,
    caller: Option<&Caller>,
    path: &str,
) -> Result<String, TypedRefusal> {
    if let Some((_, text)) = SOURCES.iter().find(|(own, _)| *own == path) {
        return Ok((*text).to_owned());
    }
    let package = match symbols::package_of_path(path) {
        Some(package) => api.package_for(caller, &package).await?,
        None => None,
    };
    // The package is found by its folder; the file has to have the one name that it has.
    let package = package.filter(|package| package.layout.path() == path);
    let unknown = || CallError::FileUnknown {
        path: path.chars().take(200).collect(),
    };
    Ok(package.ok_or_else(unknown)?.layout.proto())
}

/// For the access log.
fn by(caller: Option<&Caller>, mut response: Response) -> Response {
    let by = caller.map(|caller| CalledBy(caller.user().to_owned()));
    if let Some(by) = by {
        response.extensions_mut().insert(by);
    }
    response
}

fn refused(refused: TypedRefusal) -> Response {
    let ours = CallError::Failed {
        code: Code::Internal,
    };
    let http = |status: u16| StatusCode::from_u16(status).unwrap_or_default();
    match &refused {
        TypedRefusal::Call(error) => error_answer(StatusCode::NOT_FOUND, error),
        TypedRefusal::Method(error) if !error.error_kind().is_ours() => {
            error_answer(http(error.error_kind().statuses().webapi), error)
        }
        TypedRefusal::Method(_) | TypedRefusal::Typed(_) => {
            tracing::error!(error = %refused, "a .proto file can't be given");
            error_answer(StatusCode::INTERNAL_SERVER_ERROR, &ours)
        }
    }
}
