//! What all handlers share.

use coeval_api::caller::{CallerGate, RequestQuota};
use coeval_api::methods::ResourceMethods;
use coeval_engine::Engine;
use coeval_releases::DeprecatedItem;
use coeval_server::Lifecycle;
use std::sync::Arc;
use std::time::Duration;

/// How this API is set up.
#[derive(Clone, Debug)]
pub struct WebApiSettings {
    /// What every absolute URL begins with, without a slash at its end.
    pub public_url: String,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How many requests one user, or one address without a user, may send: the same buckets as the
    /// other APIs have.
    pub quota: Arc<RequestQuota>,
    /// Everything that is deprecated in this release, in whatever API.
    pub deprecations: Arc<[DeprecatedItem]>,
    /// The stop of the server, in which watches take part.
    pub lifecycle: Lifecycle,
}

/// What all handlers share.
#[derive(Debug)]
pub(crate) struct WebState {
    pub(crate) methods: ResourceMethods,
    pub(crate) gate: CallerGate,
    pub(crate) settings: WebApiSettings,
}

impl WebState {
    pub(crate) fn engine(&self) -> &Arc<Engine> {
        self.methods.engine()
    }

    /// Whether browsers come by https: then the cookie is bound to that.
    pub(crate) fn is_secure(&self) -> bool {
        self.settings.public_url.starts_with("https://")
    }
}
