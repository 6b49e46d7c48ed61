//! The `OpenAPI` 3.1 document of what is served, made from the table of routes and, for a caller
//! who is known, from the types that it sees.

mod around;
mod operation;
mod schemas;

use crate::api::CloudState;
use crate::call::CloudCall;
use crate::error::ApiError;
use crate::route::{CloudBody, CloudRoute, RequiredCredentials, handler};
use crate::urn;
use coeval_api::caller::SentCredentials;
use coeval_api::rest::RestAnswer;
use coeval_api::rest::openapi::deprecated_fields;
use coeval_engine::WantedVersions;
use coeval_releases::DeprecatedItem;
use serde_json::{Map, Value, json};
use std::sync::Arc;

pub(crate) fn routes() -> Vec<CloudRoute> {
    vec![
        CloudRoute::get("/cloudapi/openapi.json", handler!(get))
            .about("This description. With credentials it also has the schemas of the types that the caller sees.")
            .needs(RequiredCredentials::Nothing)
            .answers(200, CloudBody::One("Any")),
    ]
}

async fn get(api: Arc<CloudState>, call: CloudCall) -> Result<RestAnswer, ApiError> {
    // Open to everybody, and more for those who are known: the routes are no secret, types are.
    let types = match &call.credentials {
        // Only a token: a password is for logging in.
        Some(SentCredentials::Bearer(token)) => {
            let wanted = WantedVersions::default();
            let caller = api.engine.caller(token, None, wanted).await?;
            types(&api, &caller).await?
        }
        _ => Map::new(),
    };
    Ok(RestAnswer::ok(&document(
        &crate::routes(),
        &api.settings.public_url,
        types,
    )))
}

/// The schemas of the type versions that a caller sees, each by its name.
async fn types(
    api: &CloudState,
    caller: &coeval_engine::Caller,
) -> Result<Map<String, Value>, ApiError> {
    let mut all = Map::new();
    for entry in api.engine.visible_types(caller).await? {
        let id = &entry.version.id;
        let mut schema = entry.version.schema.given().clone();
        if let Some(schema) = schema.as_object_mut() {
            // A resource of its own: references inside of it stay inside.
            schema.insert("$id".into(), urn::of_type_version(id).into());
            schema
                .entry("$schema")
                .or_insert_with(|| "http://json-schema.org/draft-07/schema#".into());
        }
        let name = format!("{}.{}.{}", id.vendor, id.nss, id.version);
        all.insert(name, schema);
    }
    Ok(all)
}

/// Everything in this API that is deprecated.
#[must_use]
pub fn deprecations() -> Vec<DeprecatedItem> {
    let routes = crate::routes().into_iter();
    let deprecated = routes.filter_map(|route| {
        Some(DeprecatedItem {
            what: "route",
            name: format!("{} {}", route.method, route.path),
            deprecation: route.deprecated?,
        })
    });
    let fields = deprecated_fields(&schemas::all());
    deprecated.chain(fields).collect()
}

/// The description of this release's API, without a server's address and without anybody's types.
#[must_use]
pub fn description() -> Value {
    document(&crate::routes(), "/", Map::new())
}

/// The whole document.
pub(crate) fn document(routes: &[CloudRoute], server: &str, types: Map<String, Value>) -> Value {
    let mut paths = Map::new();
    for route in routes {
        // Several methods share a path.
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Some(path) = path.as_object_mut() {
            let method = route.method.as_str().to_lowercase();
            path.insert(method, operation::describe(route));
        }
    }
    let mut components = schemas::all();
    components.extend(types);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Coeval: the RDE API",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Entities, their types and interfaces, and what clients need around them.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": server }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "password": { "type": "http", "scheme": "basic" },
            },
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn whole() -> Value {
        document(&crate::routes(), "http://localhost", Map::new())
    }

    #[test]
    fn every_route_is_described_with_a_sentence_its_parameters_and_its_answers() {
        let document = whole();
        for route in crate::routes() {
            let what = format!("{} {}", route.method, route.path);
            let method = route.method.as_str().to_lowercase();
            let described = &document["paths"][route.path][&method];
            assert!(described.is_object(), "{what} is missing");
            let about = described["summary"].as_str().unwrap_or_default();
            assert!(about.ends_with('.'), "{what}: a sentence, not {about:?}");
            assert!(!route.answers.is_empty(), "{what} says no answer");
            let answers = described["responses"].as_object().unwrap();
            for (status, _) in &route.answers {
                assert!(answers.contains_key(&status.to_string()), "{what} {status}");
            }
        }
    }

    #[test]
    fn no_two_operations_have_one_name_and_no_route_is_there_twice() {
        let (mut names, mut routes) = (BTreeSet::new(), BTreeSet::new());
        for route in crate::routes() {
            let name = operation::name(&route);
            assert!(names.insert(name.clone()), "{name} is there twice");
            assert!(
                routes.insert((route.method.to_string(), route.path)),
                "{}",
                route.path
            );
        }
    }

    #[test]
    fn every_reference_leads_somewhere() {
        let dangling = coeval_api::rest::openapi::dangling(&whole());
        assert!(dangling.is_empty(), "{dangling:?}");
    }
}
