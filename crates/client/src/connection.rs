//! What every call goes through: it says who calls and what was seen, and notes what is answered.

use crate::sequence::Newest;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response};
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};
use std::task::{Context, Poll};
use tonic::body::Body;
use tonic::transport::Channel;
use tower::Service;
use zeroize::Zeroizing;

const AT_LEAST: HeaderName = HeaderName::from_static("coeval-at-least");
const SEQUENCE: HeaderName = HeaderName::from_static("coeval-sequence");
const ACCEPT: HeaderName = HeaderName::from_static("coeval-accept");
const RELEASE: HeaderName = HeaderName::from_static("coeval-release");
const FORCE: HeaderName = HeaderName::from_static("coeval-force");

/// What all calls of a client share.
#[derive(Debug, Default)]
pub(crate) struct Shared {
    pub(crate) newest: Newest,
    token: RwLock<Option<Zeroizing<String>>>,
    /// The newest versions that are understood, by kind.
    accept: RwLock<BTreeMap<String, String>>,
    release: RwLock<Option<String>>,
}

impl Shared {
    pub(crate) fn set_token(&self, token: String) {
        let mut held = self.token.write().unwrap_or_else(PoisonError::into_inner);
        *held = Some(Zeroizing::new(token));
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

    fn say(&self, headers: &mut HeaderMap) {
        let token = self.token.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = &*token
            && let Ok(mut value) = HeaderValue::try_from(format!("Bearer {}", **token))
        {
            value.set_sensitive(true);
            headers.insert(http::header::AUTHORIZATION, value);
        }
        let accept = self.accept.read().unwrap_or_else(PoisonError::into_inner);
        if !accept.is_empty() {
            let all: Vec<_> = accept.iter().map(|(k, v)| format!("{k}={v}")).collect();
            insert(headers, ACCEPT, &all.join(", "));
        }
        if let Some(newest) = self.newest.get() {
            insert(headers, AT_LEAST, &newest);
        }
    }

    fn note(&self, headers: &HeaderMap) {
        if let Some(sequence) = text(headers, &SEQUENCE) {
            self.newest.note(sequence);
        }
        if let Some(release) = text(headers, &RELEASE) {
            let mut held = self.release.write().unwrap_or_else(PoisonError::into_inner);
            if held.as_deref() != Some(release) {
                *held = Some(release.to_owned());
            }
        }
    }
}

fn text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// A channel to a server that says with every call who calls and what was seen.
#[derive(Clone, Debug)]
pub struct Connection {
    channel: Channel,
    shared: Arc<Shared>,
    force: bool,
}

impl Connection {
    pub(crate) const fn new(channel: Channel, shared: Arc<Shared>) -> Self {
        Self {
            channel,
            shared,
            force: false,
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
}

impl Service<Request<Body>> for Connection {
    type Response = Response<Body>;
    type Error = tonic::transport::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.channel.poll_ready(context)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        self.shared.say(request.headers_mut());
        if self.force {
            insert(request.headers_mut(), FORCE, "true");
        }
        let shared = Arc::clone(&self.shared);
        let answer = self.channel.call(request);
        Box::pin(async move {
            let answer = answer.await?;
            shared.note(answer.headers());
            Ok(answer)
        })
    }
}
