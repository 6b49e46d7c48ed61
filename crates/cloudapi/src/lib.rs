//! The RDE REST API as its existing clients speak it: `/cloudapi/1.0.0/…` in JSON, and what they
//! need of `/api/…` in XML.
//!
//! It translates and has no rules of its own: what a request means for what is stored is the
//! engine's to say. Every route is in one table, [`routes`], with all that its description says:
//! the router and the `OpenAPI` document are both made from it, so neither can have what the other
//! lacks.

mod api;
mod api_version;
mod call;
mod definitions;
mod dispatch;
mod entities;
mod error;
mod error_form;
mod grants;
mod invocations;
mod listing;
mod openapi;
mod orgs;
mod page;
mod rights;
mod route;
mod router;
mod sessions;
mod tasks;
mod urn;
mod users;
mod xml;

pub use api::CloudApiSettings;
pub use api_version::ApiVersion;
pub use openapi::{deprecations, description};
pub use router::CloudApi;

use route::CloudRoute;

/// Every route of this API.
fn routes() -> Vec<CloudRoute> {
    let mut all = sessions::routes();
    all.extend(orgs::routes());
    all.extend(users::routes());
    all.extend(rights::routes());
    all.extend(tasks::routes());
    all.extend(definitions::routes());
    all.extend(entities::routes());
    all.extend(openapi::routes());
    all.extend(invocations::routes());
    all
}
