//! The routes of all services.

use crate::api::{GrpcSettings, GrpcState};
use crate::package::cache::PackageCache;
use crate::typed::dispatch;
use crate::{middleware, protos, services};
use axum::Router;
use axum::middleware::from_fn;
use coeval_api::caller::CallerGate;
use coeval_api::methods::ResourceMethods;
use coeval_engine::Engine;
use std::sync::Arc;

/// The API.
#[derive(Debug)]
pub struct GrpcApi(Arc<GrpcState>);

impl GrpcApi {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: GrpcSettings) -> Self {
        let gate = CallerGate::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        let methods = ResourceMethods::new(engine);
        Self(Arc::new(GrpcState {
            methods,
            gate,
            settings,
            packages: PackageCache::default(),
        }))
    }

    /// The routes of the services that are always there.
    pub fn router(&self) -> Router {
        let routes = services::all(&self.0);
        // Its own answer to unknown paths would be that of every path.
        let routes = routes.prepare().into_axum_router().reset_fallback();
        routes
            .layer(from_fn(middleware::handle))
            .merge(protos::router(Arc::clone(&self.0)))
    }

    /// What answers calls that no route takes: typed services, or that there is none.
    pub fn unmatched(&self) -> Router {
        let api = Arc::clone(&self.0);
        let routes = Router::new().fallback(move |request: axum::extract::Request| {
            dispatch::call(Arc::clone(&api), request)
        });
        routes.layer(from_fn(middleware::handle))
    }
}
