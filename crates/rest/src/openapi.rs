//! How an operation is described in an `OpenAPI` 3.1 document: its name, its parameters, what it
//! takes and answers. What the routes are is each API's own.

use http::Method;
use serde_json::{Map, Value, json};

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it says, in a phrase.
    pub about: &'static str,
    /// What it may be.
    pub kind: ParamKind,
}

/// What a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum ParamKind {
    /// Text.
    Text,
    /// Text that may be said several times.
    Texts,
    /// True or false.
    Flag,
    /// From, to.
    Number(u64, u64),
}

/// `getEntitiesById`, from the method and the path below what all paths begin with.
#[must_use]
pub fn operation_name(method: &Method, path: &str) -> String {
    let mut name = method.as_str().to_lowercase();
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

/// The first word of a path.
#[must_use]
pub fn tag(path: &str) -> &str {
    let mut parts = path.split('/');
    parts.find(|part| !part.is_empty()).unwrap_or("api")
}

/// The parts of a path that vary, and the parameters of its query.
#[must_use]
pub fn parameters(path: &str, params: &[Param]) -> Vec<Value> {
    let names = path.split('/');
    let names = names.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let in_path = names.map(|name| {
        json!({
            "name": name,
            "in": "path",
            "required": true,
            "schema": { "type": "string", "minLength": 1, "maxLength": 400 },
        })
    });
    let in_query = params.iter().map(|param| {
        let text = || json!({ "type": "string", "maxLength": 4096 });
        let schema = match param.kind {
            ParamKind::Text => text(),
            ParamKind::Texts => json!({ "type": "array", "items": text(), "maxItems": 32 }),
            ParamKind::Flag => json!({ "type": "boolean" }),
            ParamKind::Number(from, to) => {
                json!({ "type": "integer", "minimum": from, "maximum": to })
            }
        };
        json!({ "name": param.name, "in": "query", "description": param.about, "schema": schema })
    });
    in_path.chain(in_query).collect()
}

/// Where a schema of that name is.
#[must_use]
pub fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// What is sent or answered, in one media type.
#[must_use]
pub fn content(media: &str, schema: &Value) -> Value {
    let mut content = Map::new();
    content.insert(media.to_owned(), json!({ "schema": schema }));
    Value::Object(content)
}

/// References in a document that lead nowhere.
#[must_use]
pub fn dangling(document: &Value) -> Vec<String> {
    let mut open = vec![document];
    let mut found = Vec::new();
    while let Some(value) = open.pop() {
        match value {
            Value::Object(map) => {
                if let Some(Value::String(to)) = map.get("$ref") {
                    let pointer = to.strip_prefix('#').unwrap_or_default();
                    if document.pointer(pointer).is_none() || pointer.is_empty() {
                        found.push(to.clone());
                    }
                }
                open.extend(map.values());
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_named_after_its_path() {
        for (path, name) in [
            ("/entities/{id}", "getEntitiesById"),
            ("/openapi.json", "getOpenapiJson"),
            ("/a-b/{x}/c", "getABByXC"),
        ] {
            assert_eq!(operation_name(&Method::GET, path), name);
        }
        assert_eq!((tag("/a/b"), tag("/")), ("a", "api"));
    }

    #[test]
    fn what_varies_in_a_path_is_a_parameter_that_is_needed() {
        let flag = Param {
            name: "f",
            about: "F",
            kind: ParamKind::Flag,
        };
        let all = parameters("/a/{x}/{y}", &[flag]);
        let names: Vec<&str> = all.iter().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["x", "y", "f"]);
        assert_eq!(all.first().map(|one| &one["required"]), Some(&json!(true)));
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_found() {
        let document = json!({ "a": reference("A"), "components": { "schemas": { "B": {} } } });
        assert_eq!(dangling(&document), ["#/components/schemas/A"]);
        let whole = json!({ "a": reference("B"), "components": { "schemas": { "B": {} } } });
        assert!(dangling(&whole).is_empty());
    }
}
