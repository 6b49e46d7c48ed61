//! From a request to its handler and back: the API version, who calls, the body, and what every
//! answer has.
//!
//! The order matters. The API version is first, so that refusals have its form as well. Then the
//! caller, who is named in the access log even if it comes too often. Then the query, and at last
//! the body: whoever is refused can't make the server hold one. The entity that a path names is
//! told to the gate, which reads it in the snapshot that says who calls. A parameter that no
//! route declares is ignored with a warning, as clients of this API expect (decision 0001).

use crate::api::CloudState;
use crate::api_version::ApiVersion;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::error_form::ErrorForm;
use crate::route::{CloudRoute, RequiredCredentials};
use crate::urn;
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use coeval_api::caller::{CalledBy, CallerRequest, Peer, SentCredentials};
use coeval_api::negotiation::{RequestHeaders, names};
use coeval_api::rest::{
    PathParams, QueryParams, RestAnswer, UnknownParam, inspect_query, pass_over, read_bytes,
    tell_deprecation,
};
use coeval_core::version::Uuid;
use coeval_engine::TypeKey;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use std::sync::Arc;

/// A client's own name for a request, which the answer's begins with.
const CLIENT_REQUEST_ID: &str = "x-vmware-vcloud-client-request-id";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-vmware-vcloud-request-id");
/// What the listener calls a request.
const LISTENERS_ID: &str = "x-request-id";
const LONGEST_ID: usize = 128;
/// The tenant that a provider acts for: a UUID or an id; or, where that is not said, its name.
const TENANT_HEADERS: [&str; 2] = [
    "x-vmware-vcloud-tenant-context",
    "x-vmware-vcloud-auth-context",
];

/// What the paths of all that is done with one entity begin with.
const ONE_ENTITY: &str = "/cloudapi/1.0.0/entities/{id}";

/// What is known of a request by the time that it is answered, also if it is refused.
struct AnswerContext {
    version: ApiVersion,
    user: Option<String>,
    warnings: Vec<String>,
}

impl AnswerContext {
    fn nothing() -> Self {
        Self {
            version: ApiVersion::NEWEST,
            user: None,
            warnings: Vec::new(),
        }
    }
}

/// Answers a request.
pub(crate) async fn answer(
    api: Arc<CloudState>,
    route: Arc<CloudRoute>,
    request: Request,
) -> Response {
    // Before anything can fail: every answer has an id and a form, also that to a request that can't be read.
    let (mut parts, body) = request.into_parts();
    let id = request_id(&parts.headers);
    let form = form(ErrorForm::of_path(route.path), &parts.headers);
    let (mut known, mut body) = (AnswerContext::nothing(), Some(body));
    let answer = handle(api, &route, &mut parts, &mut body, &mut known).await;
    // Else the connection would be closed while the client still sends, and it would not see the answer.
    if let Some(unread) = body {
        pass_over(unread).await;
    }
    let mut answer = answer.unwrap_or_else(|error| error.answer(form, &id));
    for warning in &known.warnings {
        answer = answer.saying(names::WARNING, warning);
    }
    if let Some(deprecated) = &route.deprecated {
        tell_deprecation(&mut answer.headers, deprecated);
    }
    finished(answer, known, &id)
}

/// Answers a request for what this API does not have.
pub(crate) async fn no_such_route(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().to_owned();
    refused(&ApiError::RouteUnknown { path }, &uri, &headers)
}

/// Answers a request with a method that its path does not take.
pub(crate) async fn no_such_method(method: Method, uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().to_owned();
    refused(&ApiError::MethodUnknown { path, method }, &uri, &headers)
}

fn refused(error: &ApiError, uri: &Uri, headers: &HeaderMap) -> Response {
    let id = request_id(headers);
    let form = form(ErrorForm::of_path(uri.path()), headers);
    finished(error.answer(form, &id), AnswerContext::nothing(), &id)
}

/// With what all answers have.
fn finished(answer: RestAnswer, known: AnswerContext, id: &str) -> Response {
    // Clients read from the media type which version has answered.
    let mut response = answer.into_response(&format!(";version={}", known.version));
    // A name that can't stand in a header is left out.
    if let Ok(id) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if let Some(user) = known.user {
        response.extensions_mut().insert(CalledBy(user));
    }
    response
}

async fn handle(
    api: Arc<CloudState>,
    route: &CloudRoute,
    parts: &mut Parts,
    body: &mut Option<Body>,
    known: &mut AnswerContext,
) -> Result<RestAnswer, ApiError> {
    let headers = RequestHeaders(&parts.headers);
    let peer = parts.extensions.get::<Peer>();
    let source = peer.map(|peer| peer.source.to_string());
    // The version comes first: what is answered from here on has its fields, refusals too.
    if let Some(accept) = headers.one(header::ACCEPT.as_str())? {
        let asked = ApiVersion::of_accept(accept);
        let asked = asked.map_err(|said| ApiError::VersionUnknown { said })?;
        known.version = asked.unwrap_or(ApiVersion::NEWEST);
    }
    // For a client of an older version the route is not there yet.
    if known.version < route.since {
        let said = format!("{} (this came with {})", known.version, route.since);
        return Err(ApiError::VersionUnknown { said });
    }
    let credentials = SentCredentials::of(headers)?;
    let caller = match route.needs {
        RequiredCredentials::User => {
            let asking = CallerRequest::new(&parts.headers, peer)
                .with_tenant_headers(&TENANT_HEADERS)
                .about(entity(route, parts.uri.path()));
            let found = api.gate.identify(&asking).await?;
            // The access log names also those who are refused for coming too often.
            known.user = Some(found.user().to_owned());
            api.gate.admit(&found)?;
            Some(found)
        }
        RequiredCredentials::Nothing | RequiredCredentials::Password => {
            api.gate.admit_unknown(peer)?;
            None
        }
    };
    let raw = parts.uri.query().unwrap_or_default();
    let query = QueryParams::parse(raw)?;
    // Clients of the RDE API send what other servers of it know; it is ignored as there, and said so.
    let ignorable = RequestHeaders(&parts.headers).ignorable();
    let unknown = UnknownParam::Ignored;
    known.warnings = inspect_query(&query, &route.params, &ignorable, unknown)?;
    let (limit, time) = (api.settings.body_bytes, api.settings.body_time);
    // After the caller is admitted: who comes too often makes the server hold no body.
    let body = body.take().unwrap_or_default();
    let body = read_bytes(&parts.headers, body, limit, time).await?;
    let params = PathParams::of(parts).await;
    let no_text = || ApiError::id(parts.uri.path(), "a path", "it is not UTF-8");
    let params = params.ok_or_else(no_text)?;
    let call = CloudCall {
        caller,
        credentials,
        version: known.version,
        path: parts.uri.path().to_owned(),
        params,
        query,
        headers: std::mem::take(&mut parts.headers),
        body,
        source,
    };
    (route.handler)(api, call).await
}

/// The entity that a request is about, if its path names one.
fn entity(route: &CloudRoute, path: &str) -> Option<(TypeKey, Uuid)> {
    if route.path.starts_with(ONE_ENTITY) {
        // What can't be read here is refused by the handler, which says why. The first part is
        // empty.
        urn::entity(path.split('/').nth(4)?).ok()
    } else {
        None
    }
}

/// Errors under `/api` are XML, unless the caller asks for JSON.
fn form(usual: ErrorForm, headers: &HeaderMap) -> ErrorForm {
    let accept = headers.get(header::ACCEPT);
    // Clients send many media types with json in them; whichever it is, they don't want XML.
    let json =
        accept.is_some_and(|accept| accept.as_bytes().windows(4).any(|part| part == b"json"));
    if json { ErrorForm::Json } else { usual }
}

fn request_id(headers: &HeaderMap) -> String {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let own = text(LISTENERS_ID).unwrap_or("none");
    let acceptable =
        |id: &&str| id.len() <= LONGEST_ID && id.bytes().all(|byte| byte.is_ascii_graphic());
    // The client's name first, so that its logs and the server's can be matched.
    match text(CLIENT_REQUEST_ID).filter(acceptable) {
        Some(client) => format!("{client}-{own}"),
        None => own.to_owned(),
    }
}
