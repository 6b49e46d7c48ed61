//! One operation of the description.

use crate::route::{RequiredCaller, WebBody, WebRoute};
use coeval_api::rest::openapi::{content, deprecation, operation_name, parameters, reference, tag};
use http::Method;
use serde_json::{Map, Value, json};

const JSON: &str = "application/json";

/// Statuses of refusals that any route may answer, and what they mean.
const REFUSALS: [(u16, &str); 14] = [
    (400, "The request is not valid"),
    (401, "The credentials are missing or not valid"),
    (403, "The caller may not"),
    (404, "There is none that the caller may see"),
    (408, "The body did not arrive in time"),
    (
        409,
        "The revision is another by now, the name is taken, or the state forbids it",
    ),
    (410, "That point of the history is not there any more"),
    (412, "The revision in If-Match is not the current one"),
    (413, "The body is too large"),
    (414, "The path is too long"),
    (429, "Too many requests; Retry-After says when to go on"),
    (431, "The headers are too large"),
    (500, "What is stored can't be read"),
    (
        503,
        "The store can't be reached; nothing is known to have happened",
    ),
];

/// `getTypesByType`, from the method and the path.
pub(super) fn name(route: &WebRoute) -> String {
    let name = operation_name(&route.method, route.path);
    // The first version has no suffix: these names are released.
    match route.version {
        1 => name,
        version => format!("{name}V{version}"),
    }
}

pub(super) fn describe(route: &WebRoute) -> Value {
    let mut operation = json!({
        "operationId": name(route),
        "summary": route.about,
        "description": format!("Since release {}.", route.since),
        "tags": [tag(route.path)],
        "parameters": all_parameters(route),
        "responses": responses(route),
    });
    let Some(map) = operation.as_object_mut() else {
        return operation;
    };
    if let Some(deprecated) = &route.deprecated {
        map.extend(deprecation(deprecated));
    }
    // The check of releases asks for a reason where a list has no pages.
    if let Some(why) = route.bounded {
        map.insert("x-bounded".into(), json!(why));
    }
    if let Some((media, schema)) = route.body.and_then(schema) {
        let body = json!({ "content": content(media, &schema) });
        map.insert("requestBody".into(), body);
    }
    // All others have what the document says for all.
    if route.needs == RequiredCaller::Nothing {
        map.insert("security".into(), json!([]));
    }
    operation
}

fn all_parameters(route: &WebRoute) -> Vec<Value> {
    let mut all = parameters(route.path, &route.params);
    let header = |name: &str, about: &str| {
        json!({
            "name": name,
            "in": "header",
            "description": about,
            "schema": { "type": "string", "maxLength": 200 },
        })
    };
    let changes = matches!(route.method, Method::PUT | Method::PATCH | Method::DELETE);
    if changes && route.path.starts_with("/resources/{kind}/{name}") {
        all.push(header(
            "If-Match",
            "The revision that was read; 412 if it is another by now",
        ));
    }
    // Only a stream can be taken up again.
    if matches!(route.answers.first(), Some((_, WebBody::Events(_)))) {
        all.push(header(
            "Last-Event-ID",
            "From this event on; it counts before from",
        ));
    }
    all
}

fn schema(shape: WebBody) -> Option<(&'static str, Value)> {
    Some(match shape {
        WebBody::One(name) => (JSON, reference(name)),
        WebBody::Page(name) => (
            JSON,
            json!({
                "allOf": [
                    reference("Page"),
                    { "type": "object", "properties": { "items": { "items": reference(name) } } },
                ],
            }),
        ),
        WebBody::Events(name) => (
            "text/event-stream",
            json!({ "type": "string", "description": format!("Events, each with data of {name}") }),
        ),
        WebBody::Empty => return None,
    })
}

fn responses(route: &WebRoute) -> Map<String, Value> {
    let mut all = Map::new();
    for (status, shape) in &route.answers {
        let mut response = json!({ "description": "Done." });
        if let (Some((media, schema)), Some(map)) = (schema(*shape), response.as_object_mut()) {
            map.insert("content".into(), content(media, &schema));
        }
        all.insert(status.to_string(), response);
    }
    // Every route may meet each of these; a choice by route would be wrong soon.
    for (status, _) in REFUSALS {
        let to = format!("#/components/responses/Refused{status}");
        all.insert(status.to_string(), json!({ "$ref": to }));
    }
    all
}

/// What refusals are, once for all operations.
pub(super) fn refusals() -> Map<String, Value> {
    let one = |(status, about): (u16, &str)| {
        // What is refused before it is a request has no form.
        let refusal = match status {
            414 | 431 => json!({ "description": about }),
            _ => json!({ "description": about, "content": content(JSON, &reference("Error")) }),
        };
        (format!("Refused{status}"), refusal)
    };
    REFUSALS.into_iter().map(one).collect()
}
