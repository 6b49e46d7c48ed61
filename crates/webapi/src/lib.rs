//! The REST API of the console: `/v1/webapi/…`, and the same without the version.
//!
//! It has no rules of its own: the standard methods are `coeval-api`'s, everything else is the
//! engine's. Every route is in one table, [`routes`], with all that its description says: the
//! router, the `OpenAPI` document and the test that walks all routes are made from it.

mod access;
mod api;
mod audit;
mod bundles;
mod call;
mod changes;
mod cookie;
mod dispatch;
mod error;
mod interfaces;
mod lists;
mod migrations;
mod openapi;
mod orgs;
mod origin;
mod resources;
mod roles;
mod route;
mod router;
mod server;
mod sessions;
mod tasks;
mod tokens;
mod types;
mod users;
mod watch;

pub use api::WebApiSettings;
pub use openapi::{deprecations, description};
pub use router::WebApi;

use route::WebRoute;

/// Every route of this API.
fn routes() -> Vec<WebRoute> {
    let mut all = server::routes();
    all.extend(openapi::routes());
    all.extend(sessions::routes());
    all.extend(tokens::routes());
    all.extend(types::routes());
    all.extend(interfaces::routes());
    all.extend(resources::routes());
    all.extend(access::routes());
    all.extend(watch::routes());
    all.extend(tasks::routes());
    all.extend(migrations::routes());
    all.extend(orgs::routes());
    all.extend(users::routes());
    all.extend(roles::routes());
    all.extend(bundles::routes());
    all.extend(audit::routes());
    all
}
