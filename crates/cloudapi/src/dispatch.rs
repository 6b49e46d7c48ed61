//! From a request to its handler and back: the API version, who calls, the body, and what every
//! answer has.

use crate::answer::Answer;
use crate::api::Api;
use crate::api_version::ApiVersion;
use crate::call::Call;
use crate::error::ApiError;
use crate::route::{Form, Needs, Route};
use crate::urn;
use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::response::Response;
use coeval_access::SYSTEM_ORGANIZATION;
use coeval_api::caller::{
    CalledBy, CertificateError, CertificateUser, Peer, RequestQuota, SentCredentials,
};
use coeval_api::negotiation::{RequestHeaders, names};
use coeval_api::rest::{
    QueryParams, UnknownParam, inspect_query, pass_over, read_bytes, tell_deprecation,
};
use coeval_engine::Caller;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use std::sync::Arc;

/// A client's own name for a request, which the answer's begins with.
const CLIENT_REQUEST_ID: &str = "x-vmware-vcloud-client-request-id";
const REQUEST_ID: HeaderName = HeaderName::from_static("x-vmware-vcloud-request-id");
/// What the listener calls a request.
const LISTENERS_ID: &str = "x-request-id";
const LONGEST_ID: usize = 128;
/// The tenant that a provider acts for: a UUID or an id.
const TENANT_CONTEXT: &str = "x-vmware-vcloud-tenant-context";
/// The same by name; it counts where the other is not said.
const AUTH_CONTEXT: &str = "x-vmware-vcloud-auth-context";

/// What the paths of all that is done with one entity begin with.
const ONE_ENTITY: &str = "/cloudapi/1.0.0/entities/{id}";

/// What is known of a request by the time that it is answered, also if it is refused.
struct Known {
    version: ApiVersion,
    user: Option<String>,
    warnings: Vec<String>,
}

impl Known {
    fn nothing() -> Self {
        Self {
            version: ApiVersion::NEWEST,
            user: None,
            warnings: Vec::new(),
        }
    }
}

/// Answers a request.
pub(crate) async fn answer(api: Arc<Api>, route: Arc<Route>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let id = request_id(&parts.headers);
    let form = form(route.form(), &parts.headers);
    let (mut known, mut body) = (Known::nothing(), Some(body));
    let answer = handle(api, &route, &mut parts, &mut body, &mut known).await;
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
    let form = form(Form::of_path(uri.path()), headers);
    finished(error.answer(form, &id), Known::nothing(), &id)
}

/// With what all answers have.
fn finished(answer: Answer, known: Known, id: &str) -> Response {
    let mut response = answer.into_response(known.version);
    if let Ok(id) = HeaderValue::from_str(id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if let Some(user) = known.user {
        response.extensions_mut().insert(CalledBy(user));
    }
    response
}

async fn handle(
    api: Arc<Api>,
    route: &Route,
    parts: &mut Parts,
    body: &mut Option<Body>,
    known: &mut Known,
) -> Result<Answer, ApiError> {
    let headers = RequestHeaders(&parts.headers);
    let peer = parts.extensions.get::<Peer>();
    let source = peer.map(|peer| peer.source.to_string());
    if let Some(accept) = headers.one(header::ACCEPT.as_str())? {
        let asked = ApiVersion::of_accept(accept);
        let asked = asked.map_err(|said| ApiError::VersionUnknown { said })?;
        known.version = asked.unwrap_or(ApiVersion::NEWEST);
    }
    if known.version < route.since {
        let said = format!("{} (this came with {})", known.version, route.since);
        return Err(ApiError::VersionUnknown { said });
    }
    let credentials = SentCredentials::of(headers)?;
    let entity = if route.path.starts_with(ONE_ENTITY) {
        parts.uri.path().split('/').nth(4)
    } else {
        None
    };
    let from = RequestQuota::of_address(peer.map(|peer| peer.source));
    let caller = match route.needs {
        Needs::User => {
            let found = caller(&api, headers, credentials.as_ref(), peer, entity).await;
            if found.is_err() {
                take(&api, &from)?;
            }
            let found = found?;
            known.user = Some(found.user().to_owned());
            take(&api, found.user())?;
            Some(found)
        }
        Needs::Nothing | Needs::Password => {
            take(&api, &from)?;
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
    let body = body.take().unwrap_or_default();
    let body = read_bytes(&parts.headers, body, limit, time).await?;
    let params = RawPathParams::from_request_parts(parts, &()).await;
    let params = params.map_err(|_| ApiError::id(parts.uri.path(), "a path", "it is not UTF-8"))?;
    let call = Call {
        caller,
        credentials,
        version: known.version,
        path: parts.uri.path().to_owned(),
        params: params
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        query,
        headers: std::mem::take(&mut parts.headers),
        body,
        source,
    };
    (route.handler)(api, call).await
}

/// Takes a request out of the bucket of a user, or of an address.
fn take(api: &Api, who: &str) -> Result<(), ApiError> {
    let taken = api.settings.quota.take(who);
    taken.map_err(|retry_after| ApiError::TooManyRequests { retry_after })
}

async fn caller(
    api: &Api,
    headers: RequestHeaders<'_>,
    credentials: Option<&SentCredentials>,
    peer: Option<&Peer>,
    entity: Option<&str>,
) -> Result<Caller, ApiError> {
    let said = |name| Ok::<_, ApiError>(headers.one(name)?.filter(|org| !org.is_empty()));
    let context = match said(TENANT_CONTEXT)? {
        Some(context) => Some(context),
        None => said(AUTH_CONTEXT)?,
    };
    let wanted = headers.wanted()?;
    let at_least = headers.at_least()?;
    let certificate = peer.and_then(|peer| peer.certificate.as_ref());
    // What the request is about is read in the snapshot that tells who sends it.
    let about = entity.and_then(|id| urn::entity(id).ok());
    // Who sends a token means it, whatever certificate the connection was made with.
    let mut caller = match (credentials, certificate) {
        (Some(SentCredentials::Bearer(token)), _) => match &about {
            Some((of, id)) => {
                let about = (of, *id);
                let found = api
                    .engine
                    .caller_for(token, context, wanted, at_least, about);
                found.await?
            }
            None => api.engine.caller(token, context, wanted).await?,
        },
        (None, Some(certificate)) => {
            let named = CertificateUser::of(certificate)?;
            let org = named.org.as_deref().unwrap_or(SYSTEM_ORGANIZATION);
            let engine = &api.engine;
            let found = engine
                .caller_named(org, &named.user, context, wanted)
                .await?;
            found.ok_or_else(CertificateError::unknown_user)?
        }
        _ => return Err(ApiError::CredentialsMissing),
    };
    caller.at_least = at_least;
    Ok(caller)
}

/// Errors under `/api` are XML, unless the caller asks for JSON.
fn form(usual: Form, headers: &HeaderMap) -> Form {
    let accept = headers.get(header::ACCEPT);
    let json =
        accept.is_some_and(|accept| accept.as_bytes().windows(4).any(|part| part == b"json"));
    if json { Form::Json } else { usual }
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
