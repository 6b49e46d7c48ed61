//! A schema with nothing left in it but what decides which documents fit.

use super::inline::inlined;
use crate::convert::inclusion::rejects_everything;
use crate::convert::sketch::{SchemaSource, each_inside, objects_in};
use crate::types::limits::SCHEMA_DEPTH;
use crate::types::{Schema, deeper_than};
use jsonschema::Draft;
use serde_json::Value;

/// Keywords that no document is judged by.
const SAID_ONLY: [&str; 12] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "$comment",
    "readOnly",
    "writeOnly",
    "deprecated",
    "externalDocs",
    "nullable",
    "xml",
];

/// Formats that some draft judges by. Others are only said.
const FORMATS: [&str; 20] = [
    "date",
    "date-time",
    "duration",
    "email",
    "host-name",
    "hostname",
    "idn-email",
    "idn-hostname",
    "ip-address",
    "ipv4",
    "ipv6",
    "iri",
    "iri-reference",
    "json-pointer",
    "regex",
    "relative-json-pointer",
    "time",
    "uri",
    "uri-reference",
    "uuid",
];

/// The schema as it is compared.
pub(super) fn language(schema: &Schema) -> SchemaSource {
    let mut source = SchemaSource::of(schema);
    // Descriptions and the like decide nothing, and would make equal schemas look different.
    strip(&mut source.schema);
    // Some references lead through what was left out.
    // Then the original is compared: larger, but right.
    if refers_in_vain(&source) {
        return SchemaSource::of(schema);
    }
    let written_out = inlined(source);
    // Writing out drops definitions, so this is asked again.
    if refers_in_vain(&written_out) {
        return SchemaSource::of(schema);
    }
    written_out
}

fn strip(schema: &mut Value) {
    remove_keywords(schema, &is_annotation);
    write_never_as_not(schema);
}

/// `not: {}` is all that draft 4 has to say it.
fn write_never_as_not(schema: &mut Value) {
    if rejects_everything(schema) {
        *schema = Value::Bool(false);
    } else if let Some(map) = schema.as_object_mut() {
        each_inside(map, &mut write_never_as_not);
    }
}

/// A schema of draft 4 as draft 7 says it; it may let through more, never less. Others stay as they
/// are.
pub(super) fn as_draft_7(source: &SchemaSource) -> Option<SchemaSource> {
    if source.draft != Draft::Draft4 {
        return None;
    }
    let mut schema = source.schema.clone();
    write_in_newer_words(&mut schema);
    Some(SchemaSource {
        schema,
        draft: Draft::Draft7,
    })
}

fn write_in_newer_words(schema: &mut Value) {
    let Some(map) = schema.as_object_mut() else {
        return;
    };
    for (word, limit) in [
        ("exclusiveMinimum", "minimum"),
        ("exclusiveMaximum", "maximum"),
    ] {
        // In draft 4 the word is a flag beside the bound. Without the flag, the plain bound says
        // it all.
        if map.shift_remove(word) == Some(Value::Bool(true))
            && let Some(limit) = map.shift_remove(limit)
        {
            map.insert(word.to_owned(), limit);
        }
    }
    // A format of the same name may be another.
    map.shift_remove("format");
    each_inside(map, &mut write_in_newer_words);
}

/// The schema without its descriptions, which are often most of it; nothing that is compared
/// depends on them. One that has too many levels stays as it is: nobody compiles it.
#[must_use]
pub fn without_descriptions(mut schema: Value) -> Value {
    if !deeper_than(&schema, SCHEMA_DEPTH) {
        remove_keywords(&mut schema, &|word, value| {
            word == "description" && value.is_string()
        });
    }
    schema
}

fn remove_keywords(schema: &mut Value, which: &dyn Fn(&str, &Value) -> bool) {
    if let Some(map) = schema.as_object_mut() {
        map.retain(|word, value| !which(word, value));
        each_inside(map, &mut |inner| remove_keywords(inner, which));
    }
}

fn is_annotation(word: &str, value: &Value) -> bool {
    let unknown = |name: &str| !FORMATS.contains(&name) && name != "uri-template";
    SAID_ONLY.contains(&word)
        || word.starts_with("x-")
        || (word == "format" && value.as_str().is_some_and(unknown))
}

fn refers_in_vain(source: &SchemaSource) -> bool {
    let mut references = objects_in(&source.schema).filter_map(|map| map.get("$ref")?.as_str());
    references.any(|reference| source.resolve(reference).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn bare(schema: Value) -> Value {
        language(&Schema::compile(schema).unwrap()).schema
    }

    #[test]
    fn what_judges_no_document_is_left_out_and_nothing_else() {
        let schema = json!({
            "title": "App", "x-owner": "me", "type": "object",
            "properties": {
                "title": {"type": "string", "description": "d", "format": "int32"},
                "x-y": {"enum": [{"title": 1}], "default": 1, "format": "date"},
            },
            "required": ["title"],
        });
        let left = json!({
            "type": "object",
            "properties": {"title": {"type": "string"}, "x-y": {"enum": [{"title": 1}], "format": "date"}},
            "required": ["title"],
        });
        assert_eq!(bare(schema), left);
    }

    #[test]
    fn a_schema_whose_references_lead_through_it_stays_whole() {
        let schema = json!({
            "x-parts": {"size": {"type": "integer"}},
            "properties": {"size": {"$ref": "#/x-parts/size"}},
        });
        if let Ok(compiled) = Schema::compile(schema.clone()) {
            assert_eq!(language(&compiled).schema, schema);
        }
    }
}
