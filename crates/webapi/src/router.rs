//! The router, made from the table of routes.

use crate::api::{WebApiSettings, WebState};
use crate::dispatch;
use axum::Router;
use axum::extract::Request;
use axum::routing::{MethodFilter, any, on};
use coeval_api::caller::CallerGate;
use coeval_api::methods::ResourceMethods;
use coeval_api::rest::table_router;
use coeval_engine::Engine;
use std::sync::Arc;

/// The API.
#[derive(Debug)]
pub struct WebApi(Arc<WebState>);

impl WebApi {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: WebApiSettings) -> Self {
        let gate = CallerGate::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        let methods = ResourceMethods::new(engine);
        Self(Arc::new(WebState {
            methods,
            gate,
            settings,
        }))
    }

    /// All routes, under each of their prefixes, with and without a slash at the end.
    pub fn router(&self) -> Router {
        let mut routes = Vec::new();
        for route in crate::routes() {
            let Ok(filter) = MethodFilter::try_from(route.method.clone()) else {
                continue;
            };
            let route = Arc::new(route);
            for prefix in route.prefixes() {
                let (api, route) = (Arc::clone(&self.0), Arc::clone(&route));
                let path = format!("{prefix}{}", route.among.unwrap_or(route.path));
                let handler = move |request: Request| {
                    let (api, route) = (Arc::clone(&api), Arc::clone(&route));
                    async move {
                        // Two routes may share a pattern of the router: a path that only the other one has does not take this
                        // method.
                        if route.answers_path(request.uri().path()) {
                            return dispatch::answer(api, route, request).await;
                        }
                        let (method, uri) = (request.method().clone(), request.uri().clone());
                        dispatch::no_such_method(method, uri).await
                    }
                };
                routes.push((path, on(filter, handler)));
            }
        }
        let mut router = table_router(routes);
        // What this server lacks is told with its release, so that a newer client can say what is
        // needed.
        router = router.method_not_allowed_fallback(dispatch::no_such_method);
        for below in ["/webapi", "/{version}/webapi"] {
            for end in ["", "/", "/{*rest}"] {
                let path = format!("{below}{end}");
                router = router.route(&path, any(dispatch::no_such_route));
            }
        }
        router
    }
}
