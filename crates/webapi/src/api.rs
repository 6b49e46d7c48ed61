//! What all handlers share.

use axum::Router;
use coeval_callers::Quota;
use coeval_engine::Engine;
use coeval_methods::{Door, Methods};
use coeval_server::Lifecycle;
use std::sync::Arc;
use std::time::Duration;

/// How this API is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What every absolute URL begins with, without a slash at its end.
    pub public_url: String,
    /// Bytes of a body.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How many requests one user, or one address without a user, may send: the same buckets as the
    /// other APIs have.
    pub quota: Arc<Quota>,
    /// The stop of the server, in which watches take part.
    pub lifecycle: Lifecycle,
}

/// What all handlers share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) methods: Methods,
    pub(crate) door: Door,
    pub(crate) settings: Settings,
}

/// The API.
#[derive(Debug)]
pub struct WebApi(Arc<Api>);

impl WebApi {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: Settings) -> Self {
        let door = Door::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        let methods = Methods::new(engine);
        Self(Arc::new(Api {
            methods,
            door,
            settings,
        }))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        let _ = (&self.0.methods, &self.0.door, &self.0.settings);
        Router::new()
    }
}
