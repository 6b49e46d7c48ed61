//! What every call goes through: it says who calls and what was seen, and notes what is answered.

use crate::error::{ClientError, Kind};
use crate::fitting::{self, Fitted, IGNORABLE};
use crate::missing::{self, Missing};
use crate::retry::Limits;
use crate::sequence::Newest;
use coeval_proto::errors::v1::ErrorDetail;
use coeval_proto::wire;
use coeval_releases::Release;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use http_body_util::{BodyExt as _, Full};
use prost::Message as _;
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tower::Service;
use zeroize::Zeroizing;

const AT_LEAST: HeaderName = HeaderName::from_static("coeval-at-least");
const SEQUENCE: HeaderName = HeaderName::from_static("coeval-sequence");
const ACCEPT: HeaderName = HeaderName::from_static("coeval-accept");
const RELEASE: HeaderName = HeaderName::from_static("coeval-release");
const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const FORCE: HeaderName = HeaderName::from_static("coeval-force");

/// What all calls of a client share.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) newest: Newest,
    pub(crate) missing: Missing,
    pub(crate) limits: Limits,
    /// Where the server is.
    url: Arc<str>,
    /// Who calls, once it was asked for.
    pub(crate) me: RwLock<Option<String>>,
    token: RwLock<Option<Zeroizing<String>>>,
    /// The newest versions that are understood, by kind.
    accept: RwLock<BTreeMap<String, String>>,
    release: RwLock<Option<String>>,
    warn: Option<WarningHandler>,
}

/// Who is told what a server did not read or has ignored.
pub(crate) type WarningHandler = Arc<dyn Fn(&str) + Send + Sync>;

/// Without the token: what is printed ends in logs.
impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("Shared");
        told.field("newest", &self.newest).finish_non_exhaustive()
    }
}

impl Shared {
    pub(crate) fn of(url: &str, limits: Limits, warn: Option<WarningHandler>) -> Self {
        Self {
            limits,
            warn,
            url: url.into(),
            ..Self::default()
        }
    }

    pub(crate) fn set_token(&self, token: String) {
        let mut held = self.token.write().unwrap_or_else(PoisonError::into_inner);
        *held = Some(Zeroizing::new(token));
        *self.me.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn understands(&self, kind: String, version: String) {
        let mut accept = self.accept.write().unwrap_or_else(PoisonError::into_inner);
        accept.insert(kind, version);
    }

    /// The release of the server that answered last.
    pub(crate) fn release(&self) -> Option<String> {
        let release = self.release.read();
        release.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The same, as it is compared.
    fn known_release(&self) -> Option<Release> {
        self.release()?.parse().ok()
    }

    fn warn(&self, text: &str) {
        if let Some(warn) = &self.warn {
            warn(text);
        }
    }

    /// Warns of what the server that answered did not get, or has ignored.
    fn warn_of(&self, fitted: &Fitted, headers: &HeaderMap) {
        let Some(server) = text(headers, &RELEASE).and_then(|release| release.parse().ok()) else {
            return;
        };
        let unread = fitted.left_out.iter().copied();
        let unread = unread.chain(fitted.unknown_to(server));
        for warning in unread.filter_map(|field| fitting::warning(field, server)) {
            self.warn(&warning);
        }
    }

    fn unanswered(&self, why: tonic::transport::Error) -> Unanswered {
        let url = Arc::clone(&self.url);
        Unanswered { url, why }
    }

    fn say(&self, headers: &mut HeaderMap, own: Option<&(String, String)>) -> Option<String> {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = &*token
            && let Ok(mut value) = HeaderValue::try_from(format!("Bearer {}", **token))
        {
            value.set_sensitive(true);
            headers.insert(http::header::AUTHORIZATION, value);
        }
        let accept = self.accept.read().unwrap_or_else(PoisonError::into_inner);
        let others = accept
            .iter()
            .filter(|(kind, _)| own.is_none_or(|own| own.0 != **kind));
        let all = own.map(|(kind, version)| (kind, version)).into_iter();
        let all: Vec<_> = all.chain(others).map(|(k, v)| format!("{k}={v}")).collect();
        if !all.is_empty() {
            insert(headers, ACCEPT, &all.join(", "));
        }
        let newest = self.newest.get();
        if let Some(newest) = &newest {
            insert(headers, AT_LEAST, newest);
        }
        newest
    }

    fn note(&self, headers: &HeaderMap, carried: Option<&str>) {
        if is_of_another_history(headers) {
            self.newest.forget(carried);
        }
        if let Some(sequence) = text(headers, &SEQUENCE) {
            self.newest.note(sequence);
        }
        if let Some(release) = text(headers, &RELEASE) {
            let mut held = self.release.write().unwrap_or_else(PoisonError::into_inner);
            if held.as_deref() != Some(release) {
                *held = Some(release.to_owned());
                self.missing.forget();
            }
        }
    }
}

/// Whether a refusal says that what was seen is not in the server's history.
fn is_of_another_history(headers: &HeaderMap) -> bool {
    let refused = text(headers, &STATUS).is_some_and(|code| code != "0");
    refused
        && Status::from_header_map(headers)
            .is_some_and(|status| ClientError::from(status).kind() == Kind::Restored)
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// What came of a call that was not answered, and where it was sent.
#[derive(Debug, thiserror::Error)]
#[error("{url} can't be reached")]
pub struct Unanswered {
    pub(crate) url: Arc<str>,
    #[source]
    pub(crate) why: tonic::transport::Error,
}

/// A channel to a server that says with every call who calls and what was seen.
#[derive(Clone, Debug)]
pub struct Connection {
    channel: Channel,
    shared: Arc<Shared>,
    force: bool,
    /// What the resources that are called for are understood at, if they say it themselves.
    own: Option<(String, String)>,
}

impl Connection {
    pub(crate) const fn new(channel: Channel, shared: Arc<Shared>) -> Self {
        Self {
            channel,
            shared,
            force: false,
            own: None,
        }
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The same, insisting.
    pub(crate) fn forcing(mut self, force: bool) -> Self {
        self.force = force;
        self
    }

    /// The same, understanding a kind up to this version.
    pub(crate) fn understanding(mut self, own: Option<(String, String)>) -> Self {
        self.own = own;
        self
    }
}

impl Service<Request<Body>> for Connection {
    type Response = Response<Body>;
    type Error = Unanswered;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let ready = self.channel.poll_ready(context);
        ready.map_err(|why| self.shared.unanswered(why))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let carried = self.shared.say(request.headers_mut(), self.own.as_ref());
        if self.force {
            insert(request.headers_mut(), FORCE, "true");
        }
        let shared = Arc::clone(&self.shared);
        let path = request.uri().path().to_owned();
        if !wire::newer_fields(&path).is_empty() {
            // The channel that is ready is the one that is called.
            let ready = self.channel.clone();
            let channel = std::mem::replace(&mut self.channel, ready);
            return Box::pin(fitted(channel, shared, request, carried));
        }
        let answer = self.channel.call(request);
        Box::pin(async move {
            let answer = answer.await.map_err(|why| shared.unanswered(why))?;
            shared.note(answer.headers(), carried.as_deref());
            Ok(explained(answer, &path))
        })
    }
}

/// Calls a method whose request may have fields that the server does not know.
async fn fitted(
    mut channel: Channel,
    shared: Arc<Shared>,
    request: Request<Body>,
    carried: Option<String>,
) -> Result<Response<Body>, Unanswered> {
    let (mut parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    // One message of our own, in memory already: collecting it can't fail.
    let frame = match body.collect().await {
        Ok(collected) => collected.to_bytes(),
        Err(status) => return Ok(status.into_http()),
    };
    let fitted = fitting::fit(&path, frame, shared.known_release());
    if let Some(ignorable) = fitted.ignorable() {
        insert(&mut parts.headers, IGNORABLE, &ignorable);
    }
    let body = Body::new(Full::new(fitted.frame.clone()));
    let answer = channel.call(Request::from_parts(parts, body)).await;
    let answer = answer.map_err(|why| shared.unanswered(why))?;
    shared.note(answer.headers(), carried.as_deref());
    shared.warn_of(&fitted, answer.headers());
    Ok(explained(answer, &path))
}

/// An answer that the server has no such method says which release has it.
fn explained(mut answer: Response<Body>, path: &str) -> Response<Body> {
    let headers = answer.headers_mut();
    let unimplemented = (Code::Unimplemented as i32).to_string();
    if text(headers, &STATUS) != Some(unimplemented.as_str()) {
        return answer;
    }
    let release = text(headers, &RELEASE)
        .map(str::to_owned)
        .unwrap_or_default();
    let needed = release.parse().ok();
    let needed = needed.and_then(|server| missing::method_needed(path, server));
    if let Some((message, since)) = needed {
        let detail = ErrorDetail {
            code: coeval_codes::RELEASE_TOO_OLD.to_string(),
            message: message.clone(),
            advice: format!("Use a server of release {since} or later."),
            release,
            ..ErrorDetail::default()
        };
        let status = tonic_types::pb::Status {
            code: Code::Unimplemented as i32,
            message: message.clone(),
            details: vec![prost_types::Any {
                type_url: "type.googleapis.com/coeval.errors.v1.ErrorDetail".to_owned(),
                value: detail.encode_to_vec(),
            }],
        };
        let status =
            Status::with_details(Code::Unimplemented, message, status.encode_to_vec().into());
        // Made of text that fits into headers.
        let _ = status.add_header(headers);
    }
    answer
}

#[cfg(test)]
mod tests {
    use crate::Client;

    #[tokio::test]
    async fn a_token_is_not_in_what_is_printed() {
        let client = Client::builder("http://127.0.0.1:1").token("very-secret");
        assert!(!format!("{client:?}").contains("very-secret"));
        let client = client.build().unwrap();
        let all = format!("{client:?} {:?}", client.resources("app"));
        assert!(!all.contains("very-secret"), "{all}");
    }
}
