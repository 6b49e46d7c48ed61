//! The document that a schema's references are read against.

use crate::types::subschemas::{each_inside, has_reference};
use crate::types::{Schema, percent_decoded, ref_stands_alone};
use jsonschema::Draft;
use serde_json::{Map, Value, json};

/// The name of the original document among the definitions of a bundle.
const ORIGIN: &str = "origin";

/// A schema as it was written, and its draft.
#[derive(Debug)]
pub(crate) struct SchemaSource {
    pub(crate) schema: Value,
    pub(crate) draft: Draft,
}

impl SchemaSource {
    pub(crate) fn of(schema: &Schema) -> Self {
        let draft = schema.draft();
        let mut schema = schema.source().clone();
        drop_unjudged(&mut schema, draft);
        Self { schema, draft }
    }

    /// What a local reference names; none for an anchor or another document.
    pub(crate) fn resolve(&self, reference: &str) -> Option<&Value> {
        let pointer = percent_decoded(reference.strip_prefix('#')?)?;
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        self.schema.pointer(&pointer)
    }

    /// Whether what stands beside a reference counts.
    pub(crate) const fn ref_stands_alone(&self) -> bool {
        ref_stands_alone(self.draft)
    }

    /// A part of the document, or of a sketch of it, as a document of its own.
    pub(crate) fn bundle(&self, node: &Value) -> Value {
        // The draft decides where definitions are looked for.
        let definitions = match self.draft {
            Draft::Draft4 | Draft::Draft6 | Draft::Draft7 => "definitions",
            _ => "$defs",
        };
        let start = format!("#/{definitions}/{ORIGIN}");
        let mut map = match node {
            Value::Object(map) => map.clone(),
            Value::Bool(false) => Map::from_iter([("not".to_owned(), json!({}))]),
            _ => Map::new(),
        };
        // An id would change what relative references lead to, and the sketch is no longer what it
        // named.
        for word in ["$schema", "$id", "id", "definitions", "$defs"] {
            map.shift_remove(word);
        }
        let mut bundle = Value::Object(map);
        let refers = has_reference(&bundle);
        self.prepare(&mut bundle, &start);
        // The original document is large, and most parts refer to nothing.
        if refers {
            let mut origin = self.schema.clone();
            if let Some(map) = origin.as_object_mut() {
                for word in ["$schema", "$id", "id"] {
                    map.shift_remove(word);
                }
            }
            self.prepare(&mut origin, &start);
            // Up to draft 7 nothing may stand beside a reference.
            if bundle.get("$ref").is_some() {
                bundle = json!({"allOf": [bundle]});
            }
            if let Some(map) = bundle.as_object_mut() {
                map.insert(definitions.to_owned(), json!({ORIGIN: origin}));
            }
        }
        if let Some(map) = bundle.as_object_mut() {
            map.insert("$schema".to_owned(), Value::from(address(self.draft)));
        }
        bundle
    }

    /// References lead to the original document, and in draft 4 no schema is a boolean.
    fn prepare(&self, node: &mut Value, start: &str) {
        let Some(map) = node.as_object_mut() else {
            return;
        };
        if let Some(Value::String(reference)) = map.get_mut("$ref")
            && let Some(fragment) = reference.strip_prefix('#')
            // Only pointers are moved along; a reference by an anchor stays as it is.
            && (fragment.is_empty() || fragment.starts_with('/'))
        {
            *reference = format!("{start}{fragment}");
        }
        // Only as schemas booleans are unknown to draft 4: `additionalProperties: false` is
        // written the same in all drafts, and has to survive.
        let old = self.draft == Draft::Draft4;
        let keep: Vec<(&str, Option<Value>)> = ["additionalProperties", "additionalItems"]
            .into_iter()
            .map(|word| {
                (
                    word,
                    map.get(word).filter(|value| value.is_boolean()).cloned(),
                )
            })
            .collect();
        each_inside(map, &mut |inner| {
            if let (true, Value::Bool(yes)) = (old, &inner) {
                *inner = if *yes { json!({}) } else { json!({"not": {}}) };
            }
            self.prepare(inner, start);
        });
        for (word, value) in keep {
            if let Some(value) = value {
                map.insert(word.to_owned(), value);
            }
        }
    }
}

/// Words that came with draft 2019-09.
const NEWER: [&str; 9] = [
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
    "unevaluatedItems",
    "minContains",
    "maxContains",
    "prefixItems",
    "$recursiveRef",
    "$dynamicRef",
];

/// Whether a draft judges no document by a word that another draft does.
fn is_unjudged(word: &str, draft: Draft) -> bool {
    let since_6 = ["const", "contains", "propertyNames"].contains(&word);
    let since_7 = ["if", "then", "else"].contains(&word);
    let content = ["contentEncoding", "contentMediaType"].contains(&word);
    match draft {
        Draft::Draft4 => since_6 || since_7 || content || NEWER.contains(&word),
        Draft::Draft6 => since_7 || NEWER.contains(&word),
        Draft::Draft7 => NEWER.contains(&word),
        Draft::Draft201909 => content || ["format", "prefixItems", "$dynamicRef"].contains(&word),
        _ => content || ["format", "additionalItems", "$recursiveRef"].contains(&word),
    }
}

/// Leaves out the words that mean something in other drafts only, so that the same words say the
/// same.
fn drop_unjudged(schema: &mut Value, draft: Draft) {
    if let Some(map) = schema.as_object_mut() {
        map.retain(|word, _| !is_unjudged(word, draft));
        each_inside(map, &mut |inner| drop_unjudged(inner, draft));
    }
}

const fn address(draft: Draft) -> &'static str {
    match draft {
        Draft::Draft4 => "http://json-schema.org/draft-04/schema#",
        Draft::Draft6 => "http://json-schema.org/draft-06/schema#",
        Draft::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
        Draft::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        _ => "http://json-schema.org/draft-07/schema#",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(schema: Value) -> SchemaSource {
        SchemaSource::of(&Schema::compile(schema).unwrap())
    }

    #[test]
    fn a_part_is_a_document_with_the_meaning_that_it_had() {
        let source = source(json!({
            "definitions": {"node": {"properties": {"next": {"$ref": "#/definitions/node"}, "size": {"type": "integer"}}}},
            "properties": {"tree": {"$ref": "#/definitions/node"}, "all": {"$ref": "#"}},
        }));
        for pointer in ["/properties/tree", "/definitions/node"] {
            let part = source.schema.pointer(pointer).unwrap();
            let bundle = Schema::compile(source.bundle(part)).unwrap();
            assert!(bundle.validate(&json!({"next": {"size": 1}})).is_ok());
            assert!(
                bundle
                    .validate(&json!({"next": {"next": {"size": "x"}}}))
                    .is_err()
            );
        }
        let all = source.schema.pointer("/properties/all").unwrap();
        let bundle = Schema::compile(source.bundle(all)).unwrap();
        assert!(
            bundle
                .validate(&json!({"all": {"tree": {"size": "x"}}}))
                .is_err()
        );
    }

    #[test]
    fn a_sketch_of_draft_4_has_no_booleans_where_it_has_none() {
        let mut source = source(json!({"$schema": "http://json-schema.org/draft-04/schema#"}));
        source.draft = Draft::Draft4;
        let node = json!({"properties": {"a": false, "b": true}, "additionalProperties": false});
        let bundle = Schema::compile(source.bundle(&node)).unwrap();
        assert!(bundle.validate(&json!({"b": 1})).is_ok());
        assert!(bundle.validate(&json!({"a": 1})).is_err());
        assert!(bundle.validate(&json!({"c": 1})).is_err());
    }
}
