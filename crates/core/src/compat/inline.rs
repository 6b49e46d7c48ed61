//! References written out, so that the same is seen to be the same however it is said.

use crate::convert::inclusion::has_moving_references;
use crate::convert::sketch::{SchemaSource, each_inside, has_reference};
use crate::types::limits::SCHEMA_DEPTH;
use serde_json::{Map, Value, json};

/// Values that a schema may have when its references are written out.
const VALUES: usize = 50_000;
const DEFINITIONS: [&str; 2] = ["definitions", "$defs"];

/// The schema with its references written out, apart from those that lead back to where they
/// stand; as it is if that would be too much.
pub(super) fn inlined(source: SchemaSource) -> SchemaSource {
    // A moving reference depends on where it is met, and would mean something else written out
    // elsewhere.
    if !has_reference(&source.schema) || has_moving_references(&source.schema) {
        return source;
    }
    let mut writing = InlineWriter {
        source: &source,
        // The whole schema stands above everything, so a reference to it is always one that leads
        // back.
        above: vec!["#".to_owned()],
        left: VALUES,
    };
    let mut schema = source.schema.clone();
    // Exponentially many copies are possible: then the schema stays as it was.
    if writing.write_out(&mut schema, 0).is_none() {
        return source;
    }
    // Definitions nobody refers to any more are no difference between two schemas.
    let definitions = taken(&mut schema);
    if has_reference(&schema)
        && let Some(map) = schema.as_object_mut()
    {
        map.extend(definitions);
    }
    SchemaSource {
        schema,
        draft: source.draft,
    }
}

struct InlineWriter<'s> {
    source: &'s SchemaSource,
    /// References that lead here.
    above: Vec<String>,
    left: usize,
}

impl InlineWriter<'_> {
    /// `None` if it would be too much.
    fn write_out(&mut self, node: &mut Value, depth: usize) -> Option<()> {
        // One budget for the whole schema, however it is nested.
        self.left = self.left.checked_sub(1)?;
        if depth > 2 * SCHEMA_DEPTH {
            return None;
        }
        let reference = node.get("$ref").and_then(Value::as_str);
        // A reference that leads back to where it stands is recursive, and stays.
        let reference = reference.filter(|reference| !self.above.iter().any(|up| up == reference));
        let reference = reference.map(str::to_owned);
        let target = reference
            .as_ref()
            .and_then(|text| self.source.resolve(text));
        let mut target = target.cloned();
        if let (Some(reference), Some(target)) = (reference, &mut target) {
            // Only while its target is written out: beside it, the same reference may be written
            // out again.
            self.above.push(reference);
            let written = self.write_out(target, depth + 1);
            self.above.pop();
            written?;
        }
        let Some(map) = node.as_object_mut() else {
            return Some(());
        };
        if let Some(target) = target {
            // Up to draft 7 the other words beside a reference do not count.
            if self.source.ref_stands_alone() || map.len() == 1 {
                *node = target;
                return Some(());
            }
            map.shift_remove("$ref");
            self.inside(map, depth)?;
            // It is written out already.
            // In `allOf` both hold, which is what a reference beside other words means from
            // 2019-09 on.
            if let Value::Array(all) = map.entry("allOf").or_insert_with(|| json!([])) {
                all.push(target);
            }
            return Some(());
        }
        self.inside(map, depth)
    }

    fn inside(&mut self, map: &mut Map<String, Value>, depth: usize) -> Option<()> {
        let definitions = taken_from(map);
        let mut enough = Some(());
        each_inside(map, &mut |inner| {
            if enough.is_some() {
                enough = self.write_out(inner, depth + 1);
            }
        });
        map.extend(definitions);
        enough
    }
}

fn taken(schema: &mut Value) -> Map<String, Value> {
    schema.as_object_mut().map(taken_from).unwrap_or_default()
}

/// What is only there to be referred to.
fn taken_from(map: &mut Map<String, Value>) -> Map<String, Value> {
    let taken = DEFINITIONS.iter().filter_map(|word| {
        let found = map.shift_remove(*word)?;
        Some(((*word).to_owned(), found))
    });
    taken.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Schema;

    fn written(schema: Value) -> Value {
        inlined(SchemaSource::of(&Schema::compile(schema).unwrap())).schema
    }

    #[test]
    fn references_are_written_out_with_what_stands_beside_them() {
        let size = json!({"type": "integer"});
        let old = json!({
            "definitions": {"size": size, "list": {"items": {"$ref": "#/definitions/size"}}},
            "properties": {"a": {"$ref": "#/definitions/list", "minItems": 1}},
        });
        let list = json!({"items": size});
        assert_eq!(written(old.clone()), json!({"properties": {"a": list}}));
        let mut new = old;
        new["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
        let beside = json!({"minItems": 1, "allOf": [list]});
        assert_eq!(written(new)["properties"]["a"], beside);
    }

    #[test]
    fn a_schema_that_leads_back_to_itself_ends() {
        let tree =
            json!({"properties": {"next": {"$ref": "#/definitions/tree"}, "all": {"$ref": "#"}}});
        let schema = json!({"definitions": {"tree": tree}, "properties": {"tree": {"$ref": "#/definitions/tree"}}});
        let written = written(schema.clone());
        assert_eq!(written["properties"]["tree"], tree);
        assert_eq!(written["definitions"], schema["definitions"]);
    }

    #[test]
    fn what_grows_without_end_stays_as_it_is() {
        let mut definitions = Map::new();
        for level in 0..20 {
            let next = json!({"$ref": format!("#/definitions/d{}", level + 1)});
            let twice = json!({"properties": {"a": next, "b": next}});
            definitions.insert(format!("d{level}"), twice);
        }
        definitions.insert("d20".to_owned(), json!({"type": "string"}));
        let schema =
            json!({"definitions": definitions, "properties": {"a": {"$ref": "#/definitions/d0"}}});
        assert_eq!(written(schema.clone()), schema);
    }
}
