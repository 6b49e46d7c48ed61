//! How an operation is described in an `OpenAPI` 3.1 document: its name, its parameters, what it
//! takes and answers. What the routes are is each API's own.

use coeval_releases::{DeprecatedItem, ReleaseDeprecation};
use http::Method;
use serde_json::{Map, Value, json};

/// A schema and its name.
pub type NamedSchema = (&'static str, Value);

/// A query parameter.
#[derive(Clone, Copy, Debug)]
pub struct QueryParam {
    /// Its name.
    pub name: &'static str,
    /// What it says, in a phrase.
    pub about: &'static str,
    /// What it may be.
    pub kind: ParamKind,
    /// Set if a server that does not know it may ignore it: what that does without it; empty if the
    /// request means the same.
    pub ignorable: Option<&'static str>,
    /// Set if it is to go.
    pub deprecated: Option<ReleaseDeprecation>,
}

impl QueryParam {
    /// One that every server knows.
    #[must_use]
    pub const fn new(name: &'static str, about: &'static str, kind: ParamKind) -> Self {
        Self {
            name,
            about,
            kind,
            ignorable: None,
            deprecated: None,
        }
    }
}

/// What an operation, a parameter or a field says of itself that is to go.
#[must_use]
pub fn deprecation(by: &ReleaseDeprecation) -> Map<String, Value> {
    let mut told = Map::new();
    told.insert("deprecated".into(), json!(true));
    told.insert("x-deprecated".into(), by.document());
    told
}

/// The schema of a field that is to go.
#[must_use]
pub fn deprecated_field(mut schema: Value, by: &ReleaseDeprecation) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.extend(deprecation(by));
    }
    schema
}

/// The schema of a field that an older server may ignore; `without_it` is what that does instead, empty
/// if the request means the same.
#[must_use]
pub fn ignorable_field(mut schema: Value, without_it: &str) -> Value {
    if let Some(map) = schema.as_object_mut() {
        map.insert("x-ignorable".into(), ignorable(without_it));
    }
    schema
}

/// The fields of these schemas that are to go.
#[must_use]
pub fn deprecated_fields(schemas: &Map<String, Value>) -> Vec<DeprecatedItem> {
    let mut found = Vec::new();
    for (name, schema) in schemas {
        let mut open = vec![(name.clone(), schema)];
        while let Some((name, schema)) = open.pop() {
            let properties = schema.get("properties").and_then(Value::as_object);
            for (property, inner) in properties.into_iter().flatten() {
                let name = format!("{name}.{property}");
                let declared = inner.get("x-deprecated");
                let declared = declared.and_then(ReleaseDeprecation::from_document);
                found.extend(declared.map(|deprecation| DeprecatedItem {
                    what: "field",
                    name: name.clone(),
                    deprecation,
                }));
                open.push((name, inner));
            }
            open.extend(schema.get("items").map(|inner| (name.clone(), inner)));
        }
    }
    found
}

fn ignorable(without_it: &str) -> Value {
    match without_it {
        "" => json!(true),
        said => json!(said),
    }
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
    // Of the method and the path, so that a name changes only with its route.
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
pub fn parameters(path: &str, params: &[QueryParam]) -> Vec<Value> {
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
        let mut described =
            json!({ "name": param.name, "in": "query", "description": param.about, "schema": schema });
        if let Some(map) = described.as_object_mut() {
            let said = param.ignorable.map(ignorable);
            map.extend(said.map(|said| ("x-ignorable".to_owned(), said)));
            map.extend(param.deprecated.as_ref().map(deprecation).unwrap_or_default());
        }
        described
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
                    // A reference out of the document dangles as well: readers have nothing but
                    // this file.
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
    use coeval_releases::Release;

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
        let flag = QueryParam::new("f", "F", ParamKind::Flag);
        let all = parameters("/a/{x}/{y}", &[flag]);
        let names: Vec<&str> = all.iter().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["x", "y", "f"]);
        assert_eq!(all.first().map(|one| &one["required"]), Some(&json!(true)));
    }

    #[test]
    fn fields_that_are_to_go_are_found_wherever_they_are() {
        let old = ReleaseDeprecation {
            since: Release::new(0, 2, 0),
            last_used_in: Release::new(0, 1, 0),
            removed_in: Release::new(0, 3, 0),
            instead: "duplicateCount",
        };
        let old = deprecated_field(json!({ "type": "boolean" }), &old);
        let foos =
            json!({ "properties": { "foos": { "items": { "properties": { "old": old } } } } });
        let schemas = Map::from_iter([("Foos".to_owned(), foos)]);
        let found = deprecated_fields(&schemas);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].name, "Foos.foos.old");
        assert_eq!(found[0].deprecation.removed_in, Release::new(0, 3, 0));
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_found() {
        let document = json!({ "a": reference("A"), "components": { "schemas": { "B": {} } } });
        assert_eq!(dangling(&document), ["#/components/schemas/A"]);
        let whole = json!({ "a": reference("B"), "components": { "schemas": { "B": {} } } });
        assert!(dangling(&whole).is_empty());
    }
}
