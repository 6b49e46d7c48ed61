//! A router made from a table of routes.

use axum::Router;
use axum::routing::MethodRouter;
use std::collections::BTreeMap;

/// A router of these paths; what answers several methods of one is given several times. Each path works
/// with and without a slash at its end.
pub fn table_router(routes: impl IntoIterator<Item = (String, MethodRouter)>) -> Router {
    let mut paths: BTreeMap<String, MethodRouter> = BTreeMap::new();
    for (path, methods) in routes {
        // Merged by path: axum refuses a path that is added twice.
        let there = paths.remove(&path).unwrap_or_default();
        paths.insert(path, there.merge(methods));
    }
    let mut router = Router::new();
    for (path, methods) in paths {
        router = router.route(&format!("{path}/"), methods.clone());
        router = router.route(&path, methods);
    }
    router
}
