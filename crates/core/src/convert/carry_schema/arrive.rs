//! What leaving a version and arriving at one does to a schema.

use crate::convert::place_graph::{FieldRoute, PlaceGraph, PlaceState};
use crate::convert::sketch::{
    JsonKinds, SchemaSketch, SchemaSource, SketchEffort, is_required, item_schemas, keep_choices,
    listed, one_of, property, set_property, set_required, write_out,
};
use crate::convert::weight::weight;
use serde_json::{Map, Value, json};

/// Levels that are written out; a schema that refers to itself would have no end.
const LEVELS: usize = 12;

/// A version has only what it expresses. (A document may have more, under a name that only another
/// version declares; that this is no reason to refuse an addition is what users expect.)
pub(crate) fn leave(graph: &PlaceGraph, sketch: &mut SchemaSketch) {
    walk(graph, sketch, SchemaWalkPurpose::Leave);
}

/// What is not expressed is hidden, and what is required filled in.
pub(crate) fn arrive(graph: &PlaceGraph, sketch: &mut SchemaSketch) {
    walk(graph, sketch, SchemaWalkPurpose::Arrive);
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SchemaWalkPurpose {
    /// Documents stay as they are; some are left out.
    Leave,
    /// Documents are changed.
    Arrive,
}

fn walk(graph: &PlaceGraph, sketch: &mut SchemaSketch, purpose: SchemaWalkPurpose) {
    let FieldRoute::Into(start) = graph.start else {
        return;
    };
    let mut walk = SchemaWalk {
        graph,
        source: &sketch.source,
        effort: &mut sketch.effort,
        purpose,
    };
    for node in &mut sketch.alternatives {
        walk.place(node, start, 0);
    }
}

struct SchemaWalk<'w> {
    graph: &'w PlaceGraph,
    source: &'w SchemaSource,
    effort: &'w mut SketchEffort,
    purpose: SchemaWalkPurpose,
}

impl SchemaWalk<'_> {
    fn place(&mut self, node: &mut Value, at: usize, depth: usize) {
        let Some(state) = self.graph.state(at) else {
            return;
        };
        if depth >= LEVELS || !self.effort.spend(weight(node)) {
            if self.purpose == SchemaWalkPurpose::Arrive {
                *node = Value::Bool(true);
            }
            return;
        }
        write_out(node, self.source);
        if *node == Value::Bool(true) {
            *node = json!({});
        }
        let kinds = JsonKinds::of(node);
        if kinds.is_none() {
            *node = Value::Bool(false);
        }
        let Value::Object(map) = node else {
            return;
        };
        if self.purpose == SchemaWalkPurpose::Arrive {
            let filled = |name: &str| state.defaults.iter().any(|default| default.key == name);
            let quiet = |name: &str| state.next(name) == FieldRoute::Quiet && !filled(name);
            if keep_choices(map, &quiet) && kinds != JsonKinds::ALL {
                map.insert("type".to_owned(), kinds.to_json());
            }
        }
        if kinds.has(JsonKinds::OBJECT) {
            self.object(map, state, depth);
        }
        if kinds.has(JsonKinds::ARRAY) {
            self.list(map, state, depth);
        }
    }

    fn object(&mut self, map: &mut Map<String, Value>, state: &PlaceState, depth: usize) {
        let own = map.get("properties").and_then(Value::as_object);
        let own = own.into_iter().flat_map(Map::keys);
        let mut names: Vec<String> = own.chain(state.names()).cloned().collect();
        names.sort();
        names.dedup();
        let closes = state.unnamed(None) == Some(FieldRoute::Hide);
        for name in &names {
            let mut schema = property(map, name);
            match state.next(name) {
                // What it requires it has, whether it declares it or not.
                FieldRoute::Hide
                    if self.purpose == SchemaWalkPurpose::Leave && is_required(map, name) => {}
                FieldRoute::Hide => {
                    set_property(map, name, Value::Bool(false));
                    set_required(map, name, false);
                }
                FieldRoute::Into(inner) => {
                    self.place(&mut schema, inner, depth + 1);
                    set_property(map, name, schema);
                }
                FieldRoute::Quiet if closes => set_property(map, name, schema),
                FieldRoute::Quiet => {}
            }
        }
        self.unnamed(map, state, depth);
        if self.purpose == SchemaWalkPurpose::Arrive {
            for default in &state.defaults {
                let given = listed([default.value.clone()]);
                let schema = property(map, &default.key);
                if !is_required(map, &default.key) {
                    set_property(map, &default.key, one_of(vec![schema, given]));
                    set_required(map, &default.key, true);
                }
            }
        }
    }

    /// Properties that no version names, by patterns or as additional ones.
    fn unnamed(&mut self, map: &mut Map<String, Value>, state: &PlaceState, depth: usize) {
        let mut all_known = true;
        if let Some(Value::Object(patterns)) = map.get_mut("patternProperties") {
            for (pattern, schema) in patterns.iter_mut() {
                match state.unnamed(Some(pattern)) {
                    Some(FieldRoute::Into(inner)) => self.place(schema, inner, depth + 1),
                    // Where they are hidden, their absence is allowed already.
                    Some(_) => {}
                    None => all_known = false,
                }
            }
        }
        match state.unnamed(None) {
            Some(FieldRoute::Hide) if !map.contains_key("patternProperties") => {
                map.insert("additionalProperties".to_owned(), Value::Bool(false));
            }
            Some(FieldRoute::Hide | FieldRoute::Quiet) => {}
            Some(FieldRoute::Into(inner)) => {
                if let Some(rest) = map.get_mut("additionalProperties") {
                    self.place(rest, inner, depth + 1);
                }
            }
            None => all_known = false,
        }
        if !all_known {
            map.shift_remove("patternProperties");
            map.shift_remove("additionalProperties");
        }
    }

    /// Items are never hidden.
    fn list(&mut self, map: &mut Map<String, Value>, state: &PlaceState, depth: usize) {
        let loud = |next: &FieldRoute| matches!(next, FieldRoute::Into(_));
        if !state.prefix.iter().chain([&state.items]).any(loud) {
            return;
        }
        if self.purpose == SchemaWalkPurpose::Leave {
            if let (Some(item), [], FieldRoute::Into(inner)) =
                (map.get_mut("items"), state.prefix.as_slice(), state.items)
            {
                self.place(item, inner, depth + 1);
            }
            return;
        }
        for word in [
            "uniqueItems",
            "contains",
            "minContains",
            "maxContains",
            "unevaluatedItems",
        ] {
            map.shift_remove(word);
        }
        let schemas = item_schemas(&Value::Object(map.clone()));
        for word in ["prefixItems", "additionalItems", "items"] {
            map.shift_remove(word);
        }
        let nexts: Vec<FieldRoute> = state.prefix.iter().copied().chain([state.items]).collect();
        let mut changed = Vec::new();
        for number in 0..schemas.len().max(nexts.len()) {
            let schema = schemas.get(number).or(schemas.last());
            let mut schema = schema.cloned().unwrap_or(Value::Bool(true));
            if let Some(FieldRoute::Into(inner)) = nexts.get(number).or(nexts.last()) {
                self.place(&mut schema, *inner, depth + 1);
            }
            changed.push(schema);
        }
        // Which item is which is not told apart any more.
        map.insert("items".to_owned(), one_of(changed));
    }
}
