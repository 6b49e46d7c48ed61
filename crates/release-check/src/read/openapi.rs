//! An `OpenAPI` 3.1 document as an [`ApiDocument`].
//!
//! - `schema`: a schema becomes a shape; references stay references, so that a shape may contain
//!   itself and each is compared once
//! - `merge`: `allOf` is merged while it is read, since what it means is one object
//! - `operation`: parameters and body become one request, successes become answers
//! - `references`: what leads where, and which schemas no operation leads to

mod merge;
mod operation;
mod references;
mod schema;

use super::DocumentProblem;
use crate::model::{ApiDocument, ApiStyle, DeprecationNote};
use serde_json::{Map, Value};

const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// The document of one of the REST APIs.
pub fn read_openapi(style: ApiStyle, document: &Value) -> Result<ApiDocument, DocumentProblem> {
    let mut api = ApiDocument::empty(style);
    let Some(paths) = document.get("paths").and_then(Value::as_object) else {
        return Err(DocumentProblem::new("it has no paths"));
    };
    for (path, item) in paths {
        // Beside its methods a path has parameters and remarks.
        for (method, described) in entries(item).filter(|(key, _)| METHODS.contains(&key.as_str()))
        {
            let name = format!("{} {path}", method.to_uppercase());
            let read = operation::read(document, item, described);
            let operation = read.map_err(|problem| in_place(&name, &problem))?;
            api.operations.insert(name, operation);
        }
    }
    for (name, described) in schemas(document) {
        let read = schema::shape(document, described);
        let shape = read.map_err(|problem| in_place(&format!("schema {name}"), &problem))?;
        api.shapes.insert(name.clone(), shape);
    }
    api.standalone = references::standalone(document);
    Ok(api)
}

fn in_place(place: &str, problem: &DocumentProblem) -> DocumentProblem {
    DocumentProblem::new(format!("{place}: {problem}"))
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flat_map(Map::iter)
}

fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// A member of an object; null if there is none, so that a chain of them needs no care.
fn member<'a>(value: &'a Value, key: &str) -> &'a Value {
    value.get(key).unwrap_or(&Value::Null)
}

fn schemas(document: &Value) -> impl Iterator<Item = (&String, &Value)> {
    entries(member(member(document, "components"), "schemas"))
}

/// `x-deprecated`; and `deprecated` alone, which says too little.
pub(super) fn deprecation(described: &Value) -> Option<DeprecationNote> {
    let Some(declared) = described.get("x-deprecated") else {
        let bare = member(described, "deprecated") == &Value::Bool(true);
        return bare.then(|| {
            DeprecationNote::Incomplete("it is deprecated without x-deprecated".to_owned())
        });
    };
    let part = |name: &str| member(declared, name).as_str().unwrap_or_default();
    Some(DeprecationNote::from_parts(
        part("since"),
        part("lastUsedIn"),
        part("removedIn"),
        part("instead"),
    ))
}

/// `x-ignorable: true`, or what an older server does without it.
fn is_ignorable(described: &Value) -> bool {
    match member(described, "x-ignorable") {
        Value::Bool(ignorable) => *ignorable,
        Value::String(without_it) => !without_it.trim().is_empty(),
        _ => false,
    }
}
