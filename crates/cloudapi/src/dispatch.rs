//! From a request to its handler and back: the API version, who calls, the body, and what every
//! answer has.

use crate::answer::Answer;
use crate::api::Api;
use crate::api_version::ApiVersion;
use crate::call::Call;
use crate::error::ApiError;
use crate::query::Query;
use crate::route::{Form, Needs, Route};
use crate::urn;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use bytes::Bytes;
use coeval_callers::{Credentials, Headers, names};
use coeval_core::types::BodyError;
use coeval_engine::Caller;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, header};
use std::sync::Arc;

/// A client's own name for a request, which the answer's begins with.
const CLIENT_REQUEST_ID: &str = "x-vmware-vcloud-client-request-id";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-vmware-vcloud-request-id");
/// What the listener calls a request.
const LISTENERS_ID: &str = "x-request-id";
const LONGEST_ID: usize = 128;
/// The tenant that a provider acts for: a UUID or an id.
const TENANT_CONTEXT: &str = "x-vmware-vcloud-tenant-context";

/// What the paths of all that is done with one entity begin with.
const ONE_ENTITY: &str = "/cloudapi/1.0.0/entities/{id}";

/// Answers a request.
pub(crate) async fn answer(api: Arc<Api>, route: Arc<Route>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let id = request_id(&parts.headers);
    let form = form(&route, &parts.headers);
    let mut version = ApiVersion::NEWEST;
    let answer = handle(api, &route, &mut parts, body, &mut version).await;
    let answer = answer.unwrap_or_else(|error| error.answer(form, &id));
    let mut response = answer.into_response(version);
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, id);
    }
    headers.insert(
        HeaderName::from_static(names::SERVER_RELEASE),
        HeaderValue::from_static(env!("CARGO_PKG_VERSION")),
    );
    response
}

async fn handle(
    api: Arc<Api>,
    route: &Route,
    parts: &mut Parts,
    body: Body,
    version: &mut ApiVersion,
) -> Result<Answer, ApiError> {
    let headers = Headers(&parts.headers);
    if let Some(accept) = headers.one(header::ACCEPT.as_str())? {
        let asked = ApiVersion::of_accept(accept);
        let asked = asked.map_err(|said| ApiError::VersionUnknown { said })?;
        *version = asked.unwrap_or(ApiVersion::NEWEST);
    }
    if *version < route.since {
        let said = format!("{version} (this came with {})", route.since);
        return Err(ApiError::VersionUnknown { said });
    }
    let credentials = Credentials::of(headers)?;
    let entity = match route.path.starts_with(ONE_ENTITY) {
        true => parts.uri.path().split('/').nth(4),
        false => None,
    };
    let caller = match route.needs {
        Needs::User => Some(caller(&api, headers, credentials.as_ref(), entity).await?),
        Needs::Nothing | Needs::Password => None,
    };
    let raw = parts.uri.query().unwrap_or_default();
    let query = Query::parse(raw).map_err(|why| ApiError::query("", why))?;
    let body = read(&api, &parts.headers, body).await?;
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|_| ApiError::id(parts.uri.path(), "a path", "it is not UTF-8"))?;
    let call = Call {
        caller,
        credentials,
        version: *version,
        path: parts.uri.path().to_owned(),
        params: params
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        query,
        headers: std::mem::take(&mut parts.headers),
        body,
        source: None,
    };
    (route.handler)(api, call).await
}

async fn caller(
    api: &Api,
    headers: Headers<'_>,
    credentials: Option<&Credentials>,
    entity: Option<&str>,
) -> Result<Caller, ApiError> {
    let Some(Credentials::Bearer(token)) = credentials else {
        return Err(ApiError::CredentialsMissing);
    };
    let context = headers.one(TENANT_CONTEXT)?.filter(|org| !org.is_empty());
    let wanted = headers.wanted()?;
    let at_least = headers.at_least()?;
    // What the request is about is read in the snapshot that tells who sends it.
    if let Some((of, id)) = entity.and_then(|id| urn::entity(id).ok()) {
        let found = api
            .engine
            .caller_for(token, context, wanted, at_least, (&of, id));
        return Ok(found.await?);
    }
    let mut caller = api.engine.caller(token, context, wanted).await?;
    caller.at_least = at_least;
    Ok(caller)
}

async fn read(api: &Api, headers: &HeaderMap, body: Body) -> Result<Bytes, ApiError> {
    let limit = api.settings.body_bytes;
    let too_large = |bytes| ApiError::Body(BodyError::TooLarge { bytes, limit });
    let said = headers.get(header::CONTENT_LENGTH);
    let said = said.and_then(|said| said.to_str().ok()?.parse::<usize>().ok());
    if let Some(said) = said.filter(|said| *said > limit) {
        return Err(too_large(said));
    }
    let time = api.settings.body_time;
    match tokio::time::timeout(time, axum::body::to_bytes(body, limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) => Err(too_large(limit + 1)),
        Err(_) => Err(ApiError::BodyTooSlow { limit: time }),
    }
}

/// Errors under `/api` are XML, unless the caller asks for JSON.
fn form(route: &Route, headers: &HeaderMap) -> Form {
    let accept = headers.get(header::ACCEPT);
    let json =
        accept.is_some_and(|accept| accept.as_bytes().windows(4).any(|part| part == b"json"));
    match json {
        true => Form::Json,
        false => route.form(),
    }
}

fn request_id(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let own = text(LISTENERS_ID).unwrap_or("none");
    let acceptable =
        |id: &&str| id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    match text(CLIENT_REQUEST_ID).filter(acceptable) {
        Some(client) => format!("{client}-{own}"),
        None => own.to_owned(),
    }
}
