//! What all handlers share.

use crate::dispatch;
use axum::Router;
use axum::extract::Request;
use axum::routing::{MethodFilter, any, on};
use coeval_api::caller::{CallerGate, RequestQuota};
use coeval_api::rest::table_router;
use coeval_engine::Engine;
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
    /// Whether a write of an entity must carry If-Match.
    pub if_match_required: bool,
    /// Whether a type version whose bump is too small is refused, as the other APIs do.
    pub refuse_small_bumps: bool,
    /// How many requests one user, or one address without a user, may send.
    pub quota: Arc<RequestQuota>,
}

/// Requests of one user a second, if nothing is said.
const REQUESTS: u32 = 1000;

impl Settings {
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
pub(crate) struct Api {
    pub(crate) engine: Arc<Engine>,
    pub(crate) gate: CallerGate,
    pub(crate) settings: Settings,
}

/// The API.
#[derive(Debug)]
pub struct CloudApi(Arc<Api>);

impl CloudApi {
    /// On an engine.
    #[must_use]
    pub fn new(engine: Arc<Engine>, settings: Settings) -> Self {
        let gate = CallerGate::new(Arc::clone(&engine), Arc::clone(&settings.quota));
        Self(Arc::new(Api {
            engine,
            gate,
            settings,
        }))
    }

    /// All routes; each path works with and without a slash at its end.
    pub fn router(&self) -> Router {
        let routes = crate::routes().into_iter().filter_map(|route| {
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
