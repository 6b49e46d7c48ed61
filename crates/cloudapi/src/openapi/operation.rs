//! One operation of the description.

use super::schemas;
use crate::route::{CloudBody, CloudRoute, RequiredCredentials};
use coeval_api::rest::openapi::{content, deprecation, operation_name, parameters, reference, tag};
use serde_json::{Map, Value, json};

/// Statuses of refusals that any route may answer, and what they mean.
const REFUSALS: [(u16, &str); 12] = [
    (400, "The request is not valid, or the state forbids it"),
    (401, "The credentials are missing or not valid"),
    (403, "The caller may not, or it does not exist"),
    (406, "The API version is not served"),
    (408, "The body did not arrive in time"),
    (413, "The body is too large"),
    (412, "The revision is not the current one"),
    (414, "The path is too long"),
    (428, "If-Match is needed"),
    (431, "The headers are too large"),
    (429, "Too many requests; Retry-After says when to go on"),
    (
        503,
        "The store can't be reached; nothing is known to have happened",
    ),
];

/// `getEntitiesById`, from the method and the path.
pub(super) fn name(route: &CloudRoute) -> String {
    operation_name(&route.method, below(route.path))
}

/// What all paths begin with says nothing.
fn below(path: &str) -> &str {
    path.trim_start_matches("/cloudapi/1.0.0")
}

pub(super) fn describe(route: &CloudRoute) -> Value {
    let mut operation = json!({
        "operationId": name(route),
        "summary": route.about,
        "description": format!("Since API version {}.", route.since),
        "tags": [tag(below(route.path))],
        "parameters": parameters(route.path, &route.params),
        "responses": responses(route),
    });
    if let Some(operation) = operation.as_object_mut() {
        if let Some(body) = route.body.and_then(body) {
            operation.insert("requestBody".into(), body);
        }
        // None of its own is that of the whole document: a bearer token.
        let security = match route.needs {
            RequiredCredentials::User => None,
            RequiredCredentials::Nothing => Some(json!([])),
            RequiredCredentials::Password => Some(json!([{ "password": [] }])),
        };
        operation.extend(
            route
                .deprecated
                .as_ref()
                .map(deprecation)
                .unwrap_or_default(),
        );
        operation.extend(security.map(|security| ("security".to_owned(), security)));
    }
    operation
}

fn schema(shape: CloudBody) -> Option<(&'static str, Value)> {
    Some(match shape {
        CloudBody::One(name) => ("application/json", reference(name)),
        CloudBody::Page(name) => (
            "application/json",
            json!({
                "allOf": [
                    { "$ref": "#/components/schemas/Page" },
                    { "properties": { "values": { "items": reference(name) } } },
                ],
            }),
        ),
        CloudBody::Xml => ("application/*", json!({ "type": "string" })),
        CloudBody::Text => ("text/plain", json!({ "type": "string" })),
        CloudBody::Form => (
            "application/x-www-form-urlencoded",
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ),
        CloudBody::Empty => return None,
    })
}

/// A body as it is sent: of a page only the values count.
fn body(shape: CloudBody) -> Option<Value> {
    let shape = match shape {
        CloudBody::Page(name) => {
            let items = reference(name);
            let values = json!({ "type": ["array", "null"], "items": items });
            let schema = json!({ "type": "object", "properties": { "values": values } });
            ("application/json", schema)
        }
        CloudBody::One(name) => {
            // What is sent has a form of its own where answers have more in them.
            let name = schemas::input(name).unwrap_or_else(|| name.to_owned());
            ("application/json", reference(&name))
        }
        other => schema(other)?,
    };
    Some(json!({ "content": content(shape.0, &shape.1) }))
}

fn responses(route: &CloudRoute) -> Map<String, Value> {
    let mut all = Map::new();
    for (status, shape) in &route.answers {
        let mut response = json!({ "description": "Done." });
        if let (Some((media, schema)), Some(response)) = (schema(*shape), response.as_object_mut())
        {
            let mut content = content(media, &schema);
            if let (CloudBody::Xml, Some(content)) = (*shape, content.as_object_mut()) {
                // To those who ask for it.
                content.insert("application/json".into(), json!({}));
            }
            response.insert("content".into(), content);
        }
        all.insert(status.to_string(), response);
    }
    for (status, about) in REFUSALS {
        let mut content = content("application/json", &reference("Error"));
        // Errors below /api are XML, unless JSON is asked for.
        if let (true, Some(content)) = (route.path.starts_with("/api"), content.as_object_mut()) {
            let schema = json!({ "type": "string" });
            content.insert("application/*".into(), json!({ "schema": schema }));
        }
        // What is refused before it is a request has no form.
        let refusal = match status {
            414 | 431 => json!({ "description": about }),
            _ => json!({ "description": about, "content": content }),
        };
        all.insert(status.to_string(), refusal);
    }
    all
}
