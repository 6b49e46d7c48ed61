//! From a request to its handler and back: who calls and by what, the body, and what every answer
//! has.
//!
//! The order matters. First whether another site's page made a browser send it, before anything
//! is told about the credentials. Then the gate, then the CSRF token, then the body: whoever is
//! refused costs no memory. Whatever goes wrong on the way becomes the same form of answer, and
//! still has its warnings and its user in the access log. A body that is not read is passed over,
//! so that the client sees the answer instead of a closed connection.

use crate::api::WebState;
use crate::call::WebCall;
use crate::cookie;
use crate::error::WebError;
use crate::openapi;
use crate::origin;
use crate::route::{RequiredCaller, WebBody, WebRoute};
use axum::body::Body;
use axum::extract::Request;
use axum::response::Response;
use coeval_api::caller::{CalledBy, CallerRequest, Peer, SentCredentials};
use coeval_api::negotiation::{RequestHeaders, names};
use coeval_api::rest::{
    PathParams, QueryParams, RestAnswer, UnknownParam, inspect_body, inspect_query, pass_over,
    read_bytes, tell_deprecation,
};
use coeval_engine::Caller;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Uri, header};
use std::sync::Arc;

/// Answers a request.
pub(crate) async fn answer(api: Arc<WebState>, route: Arc<WebRoute>, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    // Outlive the handler: an answer to a refused request is logged with its user, and warns as well.
    let mut user = None;
    let mut warnings = Vec::new();
    let answer = handle(api, &route, &mut parts, body, (&mut user, &mut warnings)).await;
    let mut answer = answer.unwrap_or_else(|error| error.answer());
    for warning in &warnings {
        answer = answer.saying(names::WARNING, warning);
    }
    if let Some(deprecated) = &route.deprecated {
        tell_deprecation(&mut answer.headers, deprecated);
    }
    let mut response = finished(answer);
    // For the access log, which the listener writes.
    if let Some(user) = user {
        response.extensions_mut().insert(CalledBy(user));
    }
    response
}

/// Answers a request for what this API does not have.
pub(crate) async fn no_such_route(uri: Uri) -> Response {
    let path = uri.path().to_owned();
    finished(WebError::RouteUnknown { path }.answer())
}

/// Answers a request with a method that its path does not take.
pub(crate) async fn no_such_method(method: Method, uri: Uri) -> Response {
    let path = uri.path().to_owned();
    let error = WebError::MethodUnknown { path, method };
    finished(error.answer())
}

/// With what all answers have. Nothing of them belongs into a cache: they are somebody's own.
fn finished(answer: RestAnswer) -> Response {
    let mut response = answer.into_response("");
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        HeaderValue::from_static("nosniff"),
    );
    response
}

/// By what a caller is known.
struct ShownSecret {
    secret: Option<String>,
    by_cookie: bool,
}

impl ShownSecret {
    /// A token in a header counts, and the cookie where there is none.
    fn of(api: &WebState, headers: &HeaderMap) -> Result<Self, WebError> {
        Ok(match SentCredentials::of(RequestHeaders(headers))? {
            Some(SentCredentials::Bearer(secret)) => Self {
                secret: Some(secret),
                by_cookie: false,
            },
            Some(SentCredentials::Basic { .. }) => Self {
                secret: None,
                by_cookie: false,
            },
            None => {
                let secret = cookie::session(headers, api.is_secure());
                let by_cookie = secret.is_some();
                Self { secret, by_cookie }
            }
        })
    }

    /// Whether the sender chose to show it. A browser sends cookies, certificates and passwords
    /// whoever makes it send a request.
    fn is_chosen(&self) -> bool {
        self.secret.is_some() && !self.by_cookie
    }
}

async fn handle(
    api: Arc<WebState>,
    route: &WebRoute,
    parts: &mut Parts,
    body: Body,
    (user, warnings): (&mut Option<String>, &mut Vec<String>),
) -> Result<RestAnswer, WebError> {
    // Else the connection would be closed while the client still sends, and it would not see the answer.
    let known = match known(&api, route, parts).await {
        Ok(known) => known,
        Err(error) => {
            pass_over(body).await;
            return Err(error);
        }
    };
    let (shown, caller) = known;
    *user = caller.as_ref().map(|caller| caller.user().to_owned());
    let source = parts.extensions.get::<Peer>();
    let source = source.map(|peer| peer.source.to_string());
    // Read behind the gate: whoever is refused can't make the server hold a body.
    let (limit, time) = (api.settings.body_bytes, api.settings.body_time);
    let body = read_bytes(&parts.headers, body, limit, time).await?;
    let query = QueryParams::parse(parts.uri.query().unwrap_or_default())?;
    let ignorable = RequestHeaders(&parts.headers).ignorable();
    let unknown = UnknownParam::Refused;
    *warnings = inspect_query(&query, &route.params, &ignorable, unknown)?;
    // Only a body with a schema has fields that could be taken out or warned of.
    let body = match route.body {
        Some(WebBody::One(schema)) => {
            let (body, more) = inspect_body(body, schema, openapi::body_schemas(), &ignorable);
            warnings.extend(more);
            body
        }
        _ => body,
    };
    let params = PathParams::of(parts).await;
    let params = params.ok_or_else(|| WebError::invalid("the path is not UTF-8"))?;
    let call = WebCall {
        caller,
        secret: shown.secret,
        by_cookie: shown.by_cookie,
        params,
        query,
        // Taken and not copied: nobody reads them there any more.
        headers: std::mem::take(&mut parts.headers),
        body,
        source,
    };
    (route.handler)(api, call).await
}

/// Who calls, and by what; and that it is no other site's page that makes a browser call.
async fn known(
    api: &WebState,
    route: &WebRoute,
    parts: &Parts,
) -> Result<(ShownSecret, Option<Caller>), WebError> {
    let shown = ShownSecret::of(api, &parts.headers)?;
    let peer = parts.extensions.get::<Peer>();
    let changes = origin::is_unsafe(&parts.method);
    // Before the credentials are checked: another site's page learns nothing of them from the answer.
    if changes && !shown.is_chosen() {
        origin::check(parts, &api.settings.public_url)?;
    }
    if route.needs == RequiredCaller::Nothing {
        // Open routes cost the address something: logging in is one of them.
        api.gate.admit_unknown(peer)?;
        return Ok((shown, None));
    }
    let mut asking = CallerRequest::new(&parts.headers, peer);
    if let (true, Some(secret)) = (shown.by_cookie, &shown.secret) {
        // What the cookie holds is a token as any other.
        asking = asking.with_credentials(SentCredentials::Bearer(secret.clone()));
    }
    let caller = api.gate.enter(&asking).await?;
    // Only a cookie is sent by a browser that did not mean to. Whoever sets a header holds the secret.
    if let (true, true, Some(secret)) = (changes, shown.by_cookie, &shown.secret) {
        let sent = RequestHeaders(&parts.headers).one(cookie::CSRF)?;
        if !sent.is_some_and(|sent| cookie::is_csrf(secret, sent)) {
            return Err(WebError::CsrfRefused);
        }
    }
    Ok((shown, Some(caller)))
}
