//! References that lead out of a schema. Nothing is ever fetched: they are refused, or, where a
//! schema has to be taken as it comes, stand for *anything*.

use super::schema_error::{SchemaError, SchemaFlaw};
use serde_json::{Map, Value};

/// What a reference that leads out of the schema means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RemoteRefs {
    /// The schema is refused.
    #[default]
    Refused,
    /// Whatever is there fits.
    Anything,
}

/// A reference that stands for anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRef {
    /// Where in the schema.
    pub pointer: String,
    /// Where it leads to.
    pub reference: String,
}

/// The references among the flaws of a schema.
pub(super) fn among(errors: &[SchemaError]) -> Vec<RemoteRef> {
    let remote = errors.iter().filter_map(|error| match &error.flaw {
        SchemaFlaw::RemoteRef(reference) if error.pointer.ends_with("/$ref") => Some(RemoteRef {
            pointer: error.pointer.clone(),
            reference: reference.clone(),
        }),
        _ => None,
    });
    remote.collect()
}

/// The schema with these references led to an empty schema of its own. What stands beside them
/// keeps its meaning, or the lack of one that old drafts give it.
pub(super) fn opened(source: &Value, refs: &[RemoteRef]) -> Option<Value> {
    let mut opened = source.clone();
    let local = opened.as_object_mut().and_then(add_anything)?;
    for found in refs {
        *opened.pointer_mut(&found.pointer)? = Value::String(local.clone());
    }
    Some(opened)
}

/// A reference to an empty schema, which is added.
fn add_anything(root: &mut Map<String, Value>) -> Option<String> {
    let definitions = root
        .entry("definitions")
        .or_insert_with(|| Value::Object(Map::new()))
        .as_object_mut()?;
    let mut name = "anything".to_owned();
    while definitions.contains_key(&name) {
        name.push('_');
    }
    definitions.insert(name.clone(), Value::Object(Map::new()));
    Some(format!("#/definitions/{name}"))
}

#[cfg(test)]
mod tests {
    use crate::types::{RemoteRefs, Schema};
    use serde_json::json;

    const ELSEWHERE: &str = "https://example.com/schema.json";

    #[test]
    fn a_reference_that_leads_out_is_refused_or_stands_for_anything() {
        for schema in [
            json!({ "$ref": ELSEWHERE }),
            json!({ "$ref": ELSEWHERE, "type": "object" }),
            json!({ "$ref": "other.json#/definitions/x", "definitions": { "anything": false } }),
            json!({ "$schema": "http://json-schema.org/draft-04/schema#", "$ref": ELSEWHERE }),
            json!({ "$schema": "https://json-schema.org/draft/2020-12/schema", "$ref": ELSEWHERE }),
            json!({ "properties": { "a": { "$ref": ELSEWHERE }, "b": { "$ref": "#/properties/a" } } }),
        ] {
            let refused = Schema::compile(schema.clone()).unwrap_err();
            assert!(refused[0].to_string().contains("leads out"), "{schema}");
            let open = Schema::compile_with(schema.clone(), RemoteRefs::Anything).unwrap();
            assert_eq!(open.given(), &schema, "it is shown as it was given");
            assert_eq!(open.remote_refs().len(), 1, "{schema}");
            for content in [json!({}), json!({ "a": 1 }), json!({ "a": {}, "b": [] })] {
                assert!(open.validate(&content).is_ok(), "{schema} {content}");
            }
        }
    }

    #[test]
    fn what_stands_around_such_a_reference_still_holds() {
        let schema = json!({
            "type": "object",
            "required": ["a"],
            "properties": { "a": { "$ref": ELSEWHERE }, "b": { "type": "string" } },
        });
        let open = Schema::compile_with(schema, RemoteRefs::Anything).unwrap();
        assert!(open.validate(&json!({ "a": 1, "b": "x" })).is_ok());
        assert!(open.validate(&json!({ "b": "x" })).is_err());
        assert!(open.validate(&json!({ "a": 1, "b": 2 })).is_err());
    }

    #[test]
    fn whatever_else_is_wrong_is_told_all_the_same() {
        for schema in [
            json!({ "$ref": ELSEWHERE, "properties": { "x": { "$ref": "#/nowhere" } } }),
            json!({ "$ref": ELSEWHERE, "definitions": 7 }),
            json!({ "$ref": ELSEWHERE, "definitions": { "x": { "pattern": "(" } } }),
        ] {
            let errors = Schema::compile_with(schema.clone(), RemoteRefs::Anything);
            assert!(errors.is_err(), "{schema}");
        }
    }
}
