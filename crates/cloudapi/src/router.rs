//! The router, made from the table of routes.

use crate::api::{CloudApiSettings, CloudState};
use crate::dispatch;
use axum::Router;
use axum::extract::Request;
use axum::routing::{MethodFilter, any, on};
use coeval_api::caller::CallerGate;
use coeval_api::rest::table_router;
use coeval_engine::Engine;
use std::sync::Arc;

/// The API.
#[derive(Debug)]
pub struct CloudApi(Arc<CloudState>);

impl CloudApi {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: CloudApiSettings) -> Self {
        let gate = CallerGate::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        Self(Arc::new(CloudState {
            engine,
            gate,
            settings,
        }))
    }

    /// All routes; each path works with and without a slash at its end.
    pub fn router(&self) -> Router {
        let routes = crate::routes().into_iter().filter_map(|route| {
            // A method that axum does not know has no filter; the table has none of those.
            let filter = MethodFilter::try_from(route.method.clone()).ok()?;
            let (path, api, route) = (route.path, Arc::clone(&self.0), Arc::new(route));
            let handler = move |request: Request| {
                dispatch::answer(Arc::clone(&api), Arc::clone(&route), request)
            };
            Some((path.to_owned(), on(filter, handler)))
        });
        let mut router = table_router(routes);
        // What this API lacks is told in its own form, so that its clients can read it.
        router = router.method_not_allowed_fallback(dispatch::no_such_method);
        for below in ["/api/{*rest}", "/cloudapi/{*rest}"] {
            router = router.route(below, any(dispatch::no_such_route));
        }
        router
    }
}
