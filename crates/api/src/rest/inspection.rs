//! What a request says that this release does not read, and what it says for the last time.
//!
//! A parameter or field that a server drops without a word changes what the request means: a filter that
//! is dropped lists everything. So what is unknown is refused, unless its sender names it in
//! `coeval-ignorable`; then it is ignored, and the answer says so. What is deprecated still works, and the
//! answer says until when.

use crate::rest::error::RestError;
use crate::rest::openapi::{QueryParam, deprecated_fields as deprecated_fields_of};
use crate::rest::query::QueryParams;
use bytes::Bytes;
use coeval_releases::ReleaseDeprecation;
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

const RELEASE: &str = env!("CARGO_PKG_VERSION");

/// How deep fields are looked at; bodies are no deeper where it matters.
const DEEPEST: usize = 16;

/// What is done with a parameter that no route declares and nobody calls ignorable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnknownParam {
    /// It is refused.
    Refused,
    /// It is ignored with a warning, as clients of the API that is served expect.
    Ignored,
}

/// Looks at the query of a request; the warnings that its answer has to carry.
///
/// # Errors
/// If it has a parameter that this release does not know, and may not ignore.
pub fn inspect_query(
    query: &QueryParams,
    params: &[QueryParam],
    ignorable: &[String],
    unknown: UnknownParam,
) -> Result<Vec<String>, RestError> {
    let mut warnings = Vec::new();
    for (name, _) in query.pairs() {
        match params.iter().find(|param| param.name == name) {
            Some(param) => {
                let told = param.deprecated.as_ref();
                warnings.extend(told.map(|by| told_of("parameter", name, &by.sentence())));
            }
            None if unknown == UnknownParam::Ignored || ignorable.iter().any(|one| one == name) => {
                warnings.push(ignored("parameter", name));
            }
            None => {
                let name = short(name);
                return Err(RestError::ParamUnknown {
                    name,
                    release: RELEASE,
                });
            }
        }
    }
    // A parameter that is repeated, as `label` is, is told of once.
    warnings.dedup();
    Ok(warnings)
}

/// The schemas that bodies are looked at with, read once.
#[derive(Clone, Debug)]
pub struct BodySchemas {
    all: Map<String, Value>,
    has_deprecated: bool,
}

impl BodySchemas {
    /// By name.
    #[must_use]
    pub fn new(all: Map<String, Value>) -> Self {
        let has_deprecated = !deprecated_fields_of(&all).is_empty();
        Self {
            all,
            has_deprecated,
        }
    }

    /// All of them, by name.
    #[must_use]
    pub const fn all(&self) -> &Map<String, Value> {
        &self.all
    }
}

/// Looks at a body that is a JSON object with this schema: takes out what its sender calls ignorable and
/// this release does not know. The body as it is then, and the warnings that its answer has to carry.
#[must_use]
pub fn inspect_body(
    body: Bytes,
    schema: &str,
    schemas: &BodySchemas,
    ignorable: &[String],
) -> (Bytes, Vec<String>) {
    // Nearly every body: it is not even read here.
    let nothing_to_find = ignorable.is_empty() && !schemas.has_deprecated;
    let schemas = &schemas.all;
    if nothing_to_find || body.is_empty() {
        return (body, Vec::new());
    }
    // What is no JSON is refused by whoever reads it.
    let Ok(mut value) = crate::rest::body::read_json(&body) else {
        return (body, Vec::new());
    };
    // Without a description there is nothing to look for.
    let Some(root) = schemas.get(schema) else {
        return (body, Vec::new());
    };
    let mut warnings = Vec::new();
    for path in ignorable {
        if take_out(&mut value, root, schemas, path) {
            warnings.push(ignored("field", path));
        }
    }
    let changed = !warnings.is_empty();
    deprecated_fields(&value, root, schemas, &mut Vec::new(), &mut warnings);
    // Written anew only if something was taken out. Else it stays byte for byte what was sent.
    if changed {
        (value.to_string().into(), warnings)
    } else {
        (body, warnings)
    }
}

/// Says in the headers of an answer that its route is to go, and when.
pub fn tell_deprecation(headers: &mut HeaderMap, by: &ReleaseDeprecation) {
    for (name, date) in by.headers() {
        let value = HeaderValue::from_str(&date).ok();
        headers.extend(value.map(|value| (HeaderName::from_static(name), value)));
    }
}

fn ignored(what: &str, name: &str) -> String {
    let name = short(name);
    format!("this server, of release {RELEASE}, ignored the {what} {name}")
}

fn told_of(what: &str, name: &str, sentence: &str) -> String {
    format!("the {what} {name}: {sentence}")
}

/// Names come from outside, and go into headers.
fn short(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_graphic() { c } else { '?' };
    name.chars().take(100).map(plain).collect()
}

/// The properties of a schema, through references and all its parts.
fn properties<'s>(
    schema: &'s Value,
    schemas: &'s Map<String, Value>,
    depth: usize,
) -> Vec<(&'s String, &'s Value)> {
    // Schemas may refer to themselves.
    if depth > DEEPEST {
        return Vec::new();
    }
    let referred = schema.get("$ref").and_then(Value::as_str);
    let referred = referred.and_then(|to| schemas.get(to.rsplit('/').next()?));
    let parts = ["allOf", "anyOf", "oneOf"].into_iter();
    let parts = parts
        .filter_map(|key| schema.get(key)?.as_array())
        .flatten();
    let inner = referred.into_iter().chain(parts);
    let own = schema.get("properties").and_then(Value::as_object);
    let own = own.into_iter().flatten();
    own.chain(inner.flat_map(|one| properties(one, schemas, depth + 1)))
        .collect()
}

/// Whether a schema takes whatever name there is.
fn is_open(schema: &Value, schemas: &Map<String, Value>) -> bool {
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    // With no property declared and not closed it is a map of content, such as labels.
    properties(schema, schemas, 0).is_empty() && !closed
}

/// Takes out the field at a dotted path, if the schema has no such field.
fn take_out(value: &mut Value, schema: &Value, schemas: &Map<String, Value>, path: &str) -> bool {
    let (mut value, mut schema, mut rest) = (value, schema, path);
    loop {
        let (name, below) = rest.split_once('.').unwrap_or((rest, ""));
        // In an open object every name is content: nothing of that is this server's to drop.
        let Some(map) = value.as_object_mut().filter(|_| !is_open(schema, schemas)) else {
            return false;
        };
        let declared = properties(schema, schemas, 0);
        // Only the last part of the path is taken out: what it is in must be known.
        let Some((_, inner)) = declared.iter().find(|(known, _)| *known == name) else {
            return below.is_empty() && map.shift_remove(name).is_some();
        };
        let Some(deeper) = map.get_mut(name).filter(|_| !below.is_empty()) else {
            return false;
        };
        (value, schema, rest) = (deeper, inner, below);
    }
}

fn deprecated_fields(
    value: &Value,
    schema: &Value,
    schemas: &Map<String, Value>,
    path: &mut Vec<String>,
    warnings: &mut Vec<String>,
) {
    let Some(map) = value.as_object().filter(|_| path.len() < DEEPEST) else {
        return;
    };
    for (name, inner) in properties(schema, schemas, 0) {
        // Null counts as absent, as it does where bodies are read.
        let Some(said) = map.get(name).filter(|said| !said.is_null()) else {
            continue;
        };
        path.push(name.clone());
        if let Some(by) = inner.get("x-deprecated") {
            let text = |key: &str| by.get(key).and_then(Value::as_str).unwrap_or_default();
            let (since, removed, instead) = (text("since"), text("removedIn"), text("instead"));
            let sentence =
                format!("Deprecated since {since}, removed in {removed}: use {instead}.");
            warnings.push(told_of("field", &path.join("."), &sentence));
        }
        deprecated_fields(said, inner, schemas, path, warnings);
        path.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rest::openapi::{ParamKind, deprecated_field, reference};
    use coeval_releases::Release;
    use serde_json::json;

    const OLD: ReleaseDeprecation = ReleaseDeprecation {
        since: Release::new(0, 2, 0),
        last_used_in: Release::new(0, 1, 0),
        removed_in: Release::new(0, 3, 0),
        instead: "duplicateCount",
    };

    fn params() -> Vec<QueryParam> {
        let old = QueryParam {
            deprecated: Some(OLD),
            ..QueryParam::new("old", "Old", ParamKind::Text)
        };
        vec![QueryParam::new("known", "Known", ParamKind::Text), old]
    }

    fn asked(
        query: &str,
        ignorable: &[&str],
        unknown: UnknownParam,
    ) -> Result<Vec<String>, RestError> {
        let ignorable: Vec<String> = ignorable.iter().map(|&one| one.to_owned()).collect();
        inspect_query(
            &QueryParams::parse(query).unwrap(),
            &params(),
            &ignorable,
            unknown,
        )
    }

    #[test]
    fn a_parameter_that_would_be_dropped_is_refused_or_ignored_with_a_warning() {
        let refused = UnknownParam::Refused;
        assert_eq!(
            asked("known=1", &[], refused).unwrap(),
            Vec::<String>::new()
        );
        let error = asked("connectedOnly=true", &[], refused).unwrap_err();
        assert!(error.to_string().contains("connectedOnly"), "{error}");
        assert!(error.to_string().contains(RELEASE), "{error}");
        for (ignorable, unknown) in [
            (&["connectedOnly"][..], refused),
            (&[], UnknownParam::Ignored),
        ] {
            let warned = asked("connectedOnly=true", ignorable, unknown).unwrap();
            assert!(
                warned[0].contains("connectedOnly") && warned[0].contains(RELEASE),
                "{warned:?}"
            );
        }
    }

    #[test]
    fn a_deprecated_parameter_works_and_says_until_when() {
        let warned = asked("old=1", &[], UnknownParam::Refused).unwrap();
        assert_eq!(
            warned,
            ["the parameter old: Deprecated since 0.2.0, removed in 0.3.0: use duplicateCount."]
        );
    }

    fn schemas() -> BodySchemas {
        let schemas = json!({
            "In": { "type": "object", "additionalProperties": false, "properties": {
                "name": { "type": "string" },
                "inner": reference("Inner"),
                "free": { "type": "object" },
                "containsDuplicates": deprecated_field(json!({ "type": "boolean" }), &OLD),
            } },
            "Inner": { "type": "object", "properties": { "a": { "type": "string" } } },
        });
        BodySchemas::new(schemas.as_object().unwrap().clone())
    }

    fn body(value: &Value, ignorable: &[&str]) -> (Value, Vec<String>) {
        let ignorable: Vec<String> = ignorable.iter().map(|&one| one.to_owned()).collect();
        let (bytes, warnings) =
            inspect_body(value.to_string().into(), "In", &schemas(), &ignorable);
        (serde_json::from_slice(&bytes).unwrap(), warnings)
    }

    #[test]
    fn only_what_is_unknown_and_called_ignorable_is_taken_out() {
        let sent =
            json!({ "name": "a", "new": 1, "inner": { "a": "x", "b": 2 }, "free": { "z": 3 } });
        let (left, warnings) = body(
            &sent,
            &["new", "inner.b", "name", "inner.a", "free.z", "none"],
        );
        assert_eq!(
            left,
            json!({ "name": "a", "inner": { "a": "x" }, "free": { "z": 3 } })
        );
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        let (left, warnings) = body(&sent, &[]);
        assert_eq!(
            (left, warnings.len()),
            (sent, 0),
            "who calls nothing ignorable is refused later"
        );
    }

    #[test]
    fn a_deprecated_field_works_and_says_until_when() {
        let sent = json!({ "name": "a", "containsDuplicates": true });
        let (left, warnings) = body(&sent, &[]);
        assert_eq!(left, sent);
        assert!(warnings[0].contains("removed in 0.3.0"), "{warnings:?}");
    }

    #[test]
    fn what_is_no_object_is_left_to_whoever_reads_it() {
        for text in ["", "[", "[1]", "3", "null"] {
            let (left, warnings) = inspect_body(text.into(), "In", &schemas(), &["a".to_owned()]);
            assert_eq!((&left[..], warnings.len()), (text.as_bytes(), 0), "{text}");
        }
    }

    #[test]
    fn a_route_that_is_to_go_says_so_in_two_headers() {
        let mut headers = HeaderMap::new();
        tell_deprecation(&mut headers, &OLD);
        assert_eq!(headers["deprecation"], "@1800230400");
        assert_eq!(headers["sunset"], "Mon, 19 Apr 2027 00:00:00 GMT");
    }
}
