//! What all handlers share.

use coeval_api::caller::{CallerGate, RequestQuota};
use coeval_engine::Engine;
use std::sync::Arc;
use std::time::Duration;

/// How this API is set up.
#[derive(Clone, Debug)]
pub struct CloudApiSettings {
    /// What every absolute URL begins with, without a slash at its end.
    pub public_url: String,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// Whether a write of an entity must carry If-Match.
    pub if_match_required: bool,
    /// Whether a type version whose bump is too small is refused, as the other APIs do.
    pub refuse_small_bumps: bool,
    /// How many requests one user, or one address without a user, may send.
    pub quota: Arc<RequestQuota>,
}

/// Requests of one user a second, if nothing is said.
const REQUESTS: u32 = 1000;

impl CloudApiSettings {
    /// The usual ones.
    #[must_use]
    pub fn new(public_url: impl Into<String>) -> Self {
        Self {
            public_url: public_url.into(),
            body_bytes: 512 * 1024,
            body_time: Duration::from_secs(30),
            if_match_required: false,
            refuse_small_bumps: false,
            quota: Arc::new(RequestQuota::per_second(REQUESTS)),
        }
    }
}

/// What all handlers share.
#[derive(Debug)]
pub(crate) struct CloudState {
    pub(crate) engine: Arc<Engine>,
    pub(crate) gate: CallerGate,
    pub(crate) settings: CloudApiSettings,
}
