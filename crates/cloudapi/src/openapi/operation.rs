//! One operation of the description.

use super::schemas;
use crate::route::{Needs, ParamKind, Route, Shape};
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
pub(super) fn name(route: &Route) -> String {
    let mut name = route.method.as_str().to_lowercase();
    let path = route.path.trim_start_matches("/cloudapi/1.0.0");
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let (prefix, part) = match part.strip_prefix('{') {
            Some(part) => ("By", part.trim_end_matches('}')),
            None => ("", part),
        };
        name.push_str(prefix);
        for word in part.split(|c: char| !c.is_ascii_alphanumeric()) {
            let mut letters = word.chars();
            name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            name.extend(letters);
        }
    }
    name
}

pub(super) fn describe(route: &Route) -> Value {
    let mut operation = json!({
        "operationId": name(route),
        "summary": route.about,
        "description": format!("Since API version {}.", route.since),
        "tags": [tag(route.path)],
        "parameters": parameters(route),
        "responses": responses(route),
    });
    if let Some(operation) = operation.as_object_mut() {
        if let Some(body) = route.body.and_then(body) {
            operation.insert("requestBody".into(), body);
        }
        let security = match route.needs {
            Needs::User => None,
            Needs::Nothing => Some(json!([])),
            Needs::Password => Some(json!([{ "password": [] }])),
        };
        operation.extend(security.map(|security| ("security".to_owned(), security)));
    }
    operation
}

/// The first word of the path that says something.
fn tag(path: &str) -> &str {
    let path = path.trim_start_matches("/cloudapi/1.0.0");
    path.split('/')
        .find(|part| !part.is_empty())
        .unwrap_or("api")
}

fn parameters(route: &Route) -> Vec<Value> {
    let parts = route.path.split('/');
    let names = parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = names.map(|name| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": 400 },
        })
    });
    let in_query = route.params.iter().map(|param| {
        let schema = match param.kind {
            ParamKind::Text => json!({ "type": "string", "maxLength": 4096 }),
            ParamKind::Flag => json!({ "type": "boolean" }),
            ParamKind::Number(from, to) => {
                json!({ "type": "integer", "minimum": from, "maximum": to })
            }
        };
        json!({ "name": param.name, "in": "query", "description": param.about, "schema": schema })
    });
    in_path.chain(in_query).collect()
}

fn schema(shape: Shape) -> Option<(&'static str, Value)> {
    let of = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    Some(match shape {
        Shape::One(name) => ("application/json", of(name)),
        Shape::Page(name) => (
            "application/json",
            json!({
                "allOf": [
                    { "$ref": "#/components/schemas/Page" },
                    { "properties": { "values": { "items": of(name) } } },
                ],
            }),
        ),
        Shape::Xml => ("application/*", json!({ "type": "string" })),
        Shape::Text => ("text/plain", json!({ "type": "string" })),
        Shape::Form => (
            "application/x-www-form-urlencoded",
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ),
        Shape::Empty => return None,
    })
}

/// A body as it is sent: of a page only the values count.
fn body(shape: Shape) -> Option<Value> {
    let shape = match shape {
        Shape::Page(name) => {
            let items = json!({ "$ref": format!("#/components/schemas/{name}") });
            let values = json!({ "type": ["array", "null"], "items": items });
            let schema = json!({ "type": "object", "properties": { "values": values } });
            ("application/json", schema)
        }
        Shape::One(name) => {
            let name = schemas::input(name).unwrap_or_else(|| name.to_owned());
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            ("application/json", schema)
        }
        other => schema(other)?,
    };
    let mut content = Map::new();
    content.insert(shape.0.to_owned(), json!({ "schema": shape.1 }));
    Some(json!({ "content": content }))
}

fn responses(route: &Route) -> Map<String, Value> {
    let mut all = Map::new();
    for (status, shape) in &route.answers {
        let mut response = json!({ "description": "Done." });
        if let (Some((media, schema)), Some(response)) = (schema(*shape), response.as_object_mut())
        {
            let mut content = Map::new();
            content.insert(media.to_owned(), json!({ "schema": schema }));
            if *shape == Shape::Xml {
                // To those who ask for it.
                content.insert("application/json".into(), json!({}));
            }
            response.insert("content".into(), Value::Object(content));
        }
        all.insert(status.to_string(), response);
    }
    for (status, about) in REFUSALS {
        let schema = json!({ "$ref": "#/components/schemas/Error" });
        let mut content = json!({ "application/json": { "schema": schema } });
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
