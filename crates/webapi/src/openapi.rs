//! The `OpenAPI` 3.1 document of what is served, made from the table of routes.

mod definitions;
mod identity;
mod migrations;
mod operation;
mod schemas;
mod shapes;

use crate::api::WebState;
use crate::call::WebCall;
use crate::error::{RELEASE, WebError};
use crate::route::{WebRoute, handler};
use coeval_api::rest::openapi::deprecated_fields;
use coeval_api::rest::{BodySchemas, RestAnswer};
use coeval_releases::DeprecatedItem;
use serde_json::{Map, Value, json};
use std::sync::{Arc, LazyLock};

pub(crate) fn routes() -> Vec<WebRoute> {
    vec![
        WebRoute::get("/openapi.json", handler!(get))
            .about("This description.")
            .open()
            .gives("Any"),
    ]
}

async fn get(api: Arc<WebState>, _call: WebCall) -> Result<RestAnswer, WebError> {
    // Made for each request: it is seldom asked for.
    let document = document(&crate::routes(), &api.settings.public_url);
    Ok(RestAnswer::ok(&document))
}

/// The schemas of what is sent and answered, by name.
pub(crate) fn body_schemas() -> &'static BodySchemas {
    static ALL: LazyLock<BodySchemas> = LazyLock::new(|| BodySchemas::new(schemas::all()));
    &ALL
}

/// Everything in this API that is deprecated.
#[must_use]
pub fn deprecations() -> Vec<DeprecatedItem> {
    let mut all = deprecated_fields(body_schemas().all());
    for route in crate::routes() {
        let name = format!("{} /v{}/webapi{}", route.method, route.version, route.path);
        all.extend(route.deprecated.map(|deprecation| DeprecatedItem {
            what: "route",
            name: name.clone(),
            deprecation,
        }));
        let params = route.params.iter();
        all.extend(params.filter_map(|param| {
            Some(DeprecatedItem {
                what: "parameter",
                name: format!("{} of {name}", param.name),
                deprecation: param.deprecated?,
            })
        }));
    }
    all
}

/// The description of this release's API, without a server's address.
#[must_use]
pub fn description() -> Value {
    document(&crate::routes(), "/")
}

/// The whole document. Only the first prefix of a route is described; the others are the same.
fn document(routes: &[WebRoute], server: &str) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let prefix = route.prefixes().into_iter().next().unwrap_or_default();
        // Several methods share a path.
        let path = paths
            .entry(format!("{prefix}{}", route.path))
            .or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            let method = route.method.as_str().to_lowercase();
            path.insert(method, operation::describe(route));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Coeval: the console's API",
            "version": RELEASE,
            "description": "Everything that the console does. A route of version 1 is also there without /v1.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": server }],
        "security": [{ "bearer": [] }, { "cookie": [], "csrf": [] }],
        "paths": paths,
        "components": {
            "schemas": schemas::all(),
            "responses": operation::refusals(),
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "cookie": { "type": "apiKey", "in": "cookie", "name": "coeval-session" },
                "csrf": { "type": "apiKey", "in": "header", "name": crate::cookie::CSRF },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_route_is_described_with_a_sentence_and_its_answers() {
        let document = document(&crate::routes(), "/");
        for route in crate::routes() {
            let what = format!("{} {}", route.method, route.path);
            let method = route.method.as_str().to_lowercase();
            let path = format!("/v{}/webapi{}", route.version, route.path);
            let described = &document["paths"][&path][&method];
            assert!(described.is_object(), "{what} is missing");
            let about = described["summary"].as_str().unwrap_or_default();
            assert!(about.ends_with('.'), "{what}: a sentence, not {about:?}");
            assert!(!route.answers.is_empty(), "{what} says no answer");
        }
    }

    #[test]
    fn no_two_operations_have_one_name_and_every_reference_leads_somewhere() {
        let mut names = BTreeSet::new();
        for route in crate::routes() {
            let name = operation::name(&route);
            assert!(names.insert(name.clone()), "{name} is there twice");
        }
        let dangling = coeval_api::rest::openapi::dangling(&document(&crate::routes(), "/"));
        assert!(dangling.is_empty(), "{dangling:?}");
    }

    #[test]
    fn answers_are_objects_so_that_something_can_be_added_to_them() {
        let all = schemas::all();
        for route in crate::routes() {
            for (_, shape) in &route.answers {
                if let crate::route::WebBody::One(name) = shape {
                    let kind = &all[*name]["type"];
                    let composed = all[*name].get("allOf").is_some();
                    assert!(kind == "object" || composed, "{name} is {kind}");
                }
            }
        }
    }
}
