//! What every call goes through: it says who calls and what was seen, and notes what is answered.

use crate::error::{ClientError, ClientErrorKind};
use crate::features::{self, MissingFeatures};
use crate::fitting::{self, FittedRequest, IGNORABLE};
use crate::headers::{ACCEPT, AT_LEAST, FORCE, RELEASE, SEQUENCE, STATUS, insert, text};
use crate::retry::RetryLimits;
use crate::sequence::NewestSequence;
use crate::unanswered::UnansweredCall;
use crate::unsent::{self, RequestBody};
use coeval_releases::Release;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Request, Response};
use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use tonic::Status;
use tonic::body::Body;
use tonic::transport::Channel;
use tower::{Service, ServiceExt as _};
use zeroize::Zeroizing;

/// What all calls of a client share.
#[derive(Default)]
pub(crate) struct SharedState {
    pub(crate) newest: NewestSequence,
    pub(crate) missing: MissingFeatures,
    pub(crate) limits: RetryLimits,
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
impl fmt::Debug for SharedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut told = f.debug_struct("SharedState");
        told.field("newest", &self.newest).finish_non_exhaustive()
    }
}

impl SharedState {
    pub(crate) fn of(url: &str, limits: RetryLimits, warn: Option<WarningHandler>) -> Self {
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
        // Another token may be another user's.
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

    pub(crate) fn warn(&self, text: &str) {
        if let Some(warn) = &self.warn {
            warn(text);
        }
    }

    /// Warns of what the server that answered did not get, or has ignored.
    fn warn_of_ignored(&self, fitted: &FittedRequest, headers: &HeaderMap) {
        // Without a release it was not a server of ours that answered, and nothing is known of what
        // it read.
        let Some(server) = text(headers, &RELEASE).and_then(|release| release.parse().ok()) else {
            return;
        };
        let unread = fitted.left_out.iter().copied();
        let unread = unread.chain(fitted.unknown_to(server));
        for warning in unread.filter_map(|field| fitting::warning(field, server)) {
            self.warn(&warning);
        }
    }

    fn unanswered(&self, why: tonic::transport::Error) -> UnansweredCall {
        let url = Arc::clone(&self.url);
        UnansweredCall { url, why }
    }

    fn add_headers(
        &self,
        headers: &mut HeaderMap,
        own: Option<&(String, String)>,
    ) -> Option<String> {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = &*token
            && let Ok(mut value) = HeaderValue::try_from(format!("Bearer {}", **token))
        {
            // Keeps it out of debug output, and out of the compression tables of HTTP/2.
            value.set_sensitive(true);
            headers.insert(http::header::AUTHORIZATION, value);
        }
        let accept = self.accept.read().unwrap_or_else(PoisonError::into_inner);
        let others = accept
            .iter()
            // What the resources say for their own kind replaces what the client says for it.
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

    fn note_headers(&self, headers: &HeaderMap, carried: Option<&str>) {
        // Before the new sequence is noted: that belongs to the new history, and must not be
        // forgotten.
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
                // Another release, perhaps of another server behind one address: what was missing
                // may be there.
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
            .is_some_and(|status| ClientError::from(status).kind() == ClientErrorKind::Restored)
}

/// A channel to a server that says with every call who calls and what was seen.
#[derive(Clone, Debug)]
pub struct Connection {
    channel: Channel,
    shared: Arc<SharedState>,
    force: bool,
    /// What the resources that are called for are understood at, if they say it themselves.
    own: Option<(String, String)>,
}

impl Connection {
    pub(crate) const fn new(channel: Channel, shared: Arc<SharedState>) -> Self {
        Self {
            channel,
            shared,
            force: false,
            own: None,
        }
    }

    pub(crate) fn shared(&self) -> &SharedState {
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
    type Error = UnansweredCall;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        let ready = self.channel.poll_ready(context);
        ready.map_err(|why| self.shared.unanswered(why))
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let carried = self
            .shared
            .add_headers(request.headers_mut(), self.own.as_ref());
        if self.force {
            insert(request.headers_mut(), FORCE, "true");
        }
        let shared = Arc::clone(&self.shared);
        // The one that is ready is this one, and not its clone.
        let other = self.channel.clone();
        let channel = std::mem::replace(&mut self.channel, other);
        Box::pin(async move {
            let (mut parts, body) = request.into_parts();
            let path = parts.uri.path().to_owned();
            // One message, of a unary call or of a watch's request: so it is in memory anyway, and can
            // be sent again.
            let body = RequestBody::of(body).await;
            let fitted = body.0.map(|frame| {
                // By the release that answered last. The first call of a client knows none, and
                // sends everything.
                let fitted = fitting::fit(&path, frame, shared.known_release());
                if let Some(ignorable) = fitted.ignorable() {
                    insert(&mut parts.headers, IGNORABLE, &ignorable);
                }
                fitted
            });
            let body = RequestBody(
                fitted
                    .as_ref()
                    .map_err(Status::clone)
                    .map(FittedRequest::frame),
            );
            let answer = send(channel, parts, body).await;
            let mut answer = answer.map_err(|why| shared.unanswered(why))?;
            shared.note_headers(answer.headers(), carried.as_deref());
            if let Ok(fitted) = &fitted {
                shared.warn_of_ignored(fitted, answer.headers());
            }
            // A bare *unimplemented* becomes an error that names the release which has the method.
            features::explain(answer.headers_mut(), &path);
            Ok(answer)
        })
    }
}

/// Sends a request, and again on another connection if no server has begun it.
async fn send(
    mut channel: Channel,
    parts: Parts,
    body: RequestBody,
) -> Result<Response<Body>, tonic::transport::Error> {
    for _ in 1..unsent::MOST {
        let request = Request::from_parts(parts.clone(), body.copied());
        match channel.call(request).await {
            Err(error) if unsent::was_unsent(&error) => {
                // Ready again on another connection; the broken one is gone from the channel.
                channel.ready().await?;
            }
            answer => return answer,
        }
    }
    channel
        .call(Request::from_parts(parts, body.copied()))
        .await
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
