//! What all services share, and their routes.

use crate::typed::Packages;
use crate::{around, protos, services};
use axum::Router;
use axum::middleware::from_fn;
use coeval_api::caller::{CallerGate, RequestQuota};
use coeval_api::methods::ResourceMethods;
use coeval_engine::Engine;
use coeval_releases::DeprecatedItem;
use coeval_server::{Lifecycle, Readiness};
use std::sync::Arc;

/// How this API is set up.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes of a message that comes in.
    pub message_bytes: usize,
    /// How many requests one user, or one address without a user, may send: the same buckets as the
    /// other APIs have.
    pub quota: Arc<RequestQuota>,
    /// The stop of the server, in which watches take part.
    pub lifecycle: Lifecycle,
    /// Everything that is deprecated in this release, in whatever API.
    pub deprecations: Arc<[DeprecatedItem]>,
    /// What has to be ready, for those who ask by gRPC.
    pub readiness: Readiness,
}

/// What all services share.
#[derive(Debug)]
pub(crate) struct Api {
    pub(crate) methods: ResourceMethods,
    pub(crate) gate: CallerGate,
    pub(crate) settings: Settings,
    pub(crate) packages: Packages,
}

/// The API.
#[derive(Debug)]
pub struct Grpc(Arc<Api>);

impl Grpc {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: Settings) -> Self {
        let gate = CallerGate::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        let methods = ResourceMethods::new(engine);
        Self(Arc::new(Api {
            methods,
            gate,
            settings,
            packages: Packages::default(),
        }))
    }

    /// The routes of the services that are always there.
    pub fn router(&self) -> Router {
        let routes = services::all(&self.0);
        // Its own answer to unknown paths would be that of every path.
        let routes = routes.prepare().into_axum_router().reset_fallback();
        routes
            .layer(from_fn(around::around))
            .merge(protos::router(Arc::clone(&self.0)))
    }

    /// What answers calls that no route takes: typed services, or that there is none.
    pub fn unmatched(&self) -> Router {
        let api = Arc::clone(&self.0);
        let routes = Router::new().fallback(move |request: axum::extract::Request| {
            crate::unmatched::answer(Arc::clone(&api), request)
        });
        routes.layer(from_fn(around::around))
    }
}
