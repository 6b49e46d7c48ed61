//! What protobuf can say of a schema: kinds of fields, before they have numbers.
//!
//! A schema that says more than protobuf can is drawn more coarsely. That loses nothing: what a
//! field can't hold is left out of messages, and stays where it is when one is written.

use crate::kind::{FieldForm, ItemKind};
use crate::limits::{FIELDS, MESSAGE_DEPTH};
use coeval_core::types::Schema;
use serde_json::{Map, Value};

/// A place in the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SketchNode {
    pub(crate) kind: FieldForm,
    pub(crate) description: Option<String>,
    /// The properties of the message: of the value, of each item, or of each value of the map.
    pub(crate) inside: Vec<(String, SketchNode)>,
}

/// The content as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ContentSketch {
    pub(crate) description: Option<String>,
    pub(crate) inside: Vec<(String, SketchNode)>,
    /// Nothing is declared: any field is content.
    pub(crate) free: bool,
    /// Something is drawn more coarsely only because there is too much.
    pub(crate) cut: bool,
}

/// Words that say nothing of what fits.
const ANNOTATIONS: [&str; 16] = [
    "$ref",
    "$schema",
    "$id",
    "id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
    "deprecated",
    "$anchor",
    "x-vcloud-restricted",
];
/// References that lead to each other.
const HOPS: usize = 32;

pub(crate) fn sketch(schema: &Schema) -> ContentSketch {
    let root = schema.source();
    let mut walk = SketchWalk {
        root,
        alone: is_old(schema),
        under: vec![String::new()],
        left: FIELDS,
        cut: false,
    };
    let found = walk.resolve(root);
    let (inside, description) = match found {
        Some(ResolvedSchema { schema, refs }) => {
            walk.under.extend(refs);
            let inside = walk.properties(schema, 1);
            (inside, text(schema, "description"))
        }
        None => (Vec::new(), None),
    };
    ContentSketch {
        description: text(as_map(root).unwrap_or(&Map::new()), "description").or(description),
        free: inside.is_empty(),
        inside,
        cut: walk.cut,
    }
}

/// Up to draft 7 nothing beside `$ref` counts.
fn is_old(schema: &Schema) -> bool {
    let named = schema.source().get("$schema").and_then(Value::as_str);
    !named.is_some_and(|named| named.contains("/draft/20"))
}

fn as_map(value: &Value) -> Option<&Map<String, Value>> {
    value.as_object()
}

fn text(schema: &Map<String, Value>, key: &str) -> Option<String> {
    schema.get(key).and_then(Value::as_str).map(str::to_owned)
}

struct SketchWalk<'s> {
    root: &'s Value,
    alone: bool,
    /// The references that are being followed: one of them again is recursion.
    under: Vec<String>,
    /// Fields that may still come.
    left: usize,
    cut: bool,
}

struct ResolvedSchema<'s> {
    schema: &'s Map<String, Value>,
    refs: Vec<String>,
}

impl<'s> SketchWalk<'s> {
    /// Follows local references; nothing for what is no object, leads elsewhere or back.
    fn resolve(&self, schema: &'s Value) -> Option<ResolvedSchema<'s>> {
        let mut at = as_map(schema)?;
        let mut refs: Vec<String> = Vec::new();
        for _ in 0..HOPS {
            let Some(reference) = at.get("$ref").and_then(Value::as_str) else {
                return Some(ResolvedSchema { schema: at, refs });
            };
            let plain = |key: &String| ANNOTATIONS.contains(&key.as_str());
            // From draft 2019-09 on, words beside `$ref` count. Following it would forget them, so nothing is
            // followed.
            if !self.alone && !at.keys().all(plain) {
                return None;
            }
            let pointer = decoded(reference.strip_prefix('#')?)?;
            if self.under.contains(&pointer) || refs.contains(&pointer) {
                return None;
            }
            at = as_map(self.root.pointer(&pointer)?)?;
            refs.push(pointer);
        }
        None
    }

    fn node(&mut self, schema: &'s Value, depth: usize) -> SketchNode {
        let outer = as_map(schema).and_then(|map| text(map, "description"));
        let any = |description| SketchNode {
            kind: FieldForm::One(ItemKind::Value),
            description,
            inside: Vec::new(),
        };
        let Some(ResolvedSchema { schema, refs }) = self.resolve(schema) else {
            return any(outer);
        };
        // Put back afterwards: the same reference beside this one is no recursion.
        let following = self.under.len();
        self.under.extend(refs);
        let mut node = self.plain(schema, depth).unwrap_or_else(|| any(None));
        self.under.truncate(following);
        node.description = outer.or_else(|| text(schema, "description"));
        node
    }

    /// By the table of the page on typed services; nothing where only a value will do.
    fn plain(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Option<SketchNode> {
        let one = |item| SketchNode {
            kind: FieldForm::One(item),
            description: None,
            inside: Vec::new(),
        };
        let word = match schema.get("type") {
            Some(Value::String(word)) => Some(word.as_str()),
            Some(Value::Array(words)) => match words.as_slice() {
                // A list of several types fits no one kind of field.
                [Value::String(word)] => Some(word.as_str()),
                _ => return None,
            },
            Some(_) => return None,
            None => None,
        };
        match word {
            Some("string") => Some(one(ItemKind::String)),
            Some("integer") => Some(one(ItemKind::Int64)),
            Some("number") => Some(one(ItemKind::Double)),
            Some("boolean") => Some(one(ItemKind::Bool)),
            Some("array") => self.list(schema, depth),
            Some("object") => self.object(schema, depth),
            Some(_) => None,
            None if has_properties(schema) => self.object(schema, depth),
            None => {
                // Without a type, an enumeration of texts says as much as one.
                let values = schema.get("enum").and_then(Value::as_array)?;
                let texts = values.iter().all(Value::is_string) && !values.is_empty();
                (texts && !has_alternatives(schema)).then(|| one(ItemKind::String))
            }
        }
    }

    fn list(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Option<SketchNode> {
        let items = schema.get("items").filter(|items| items.is_object())?;
        // Items that differ by their place have no one kind.
        if schema.contains_key("prefixItems") {
            return None;
        }
        let item = self.node(items, depth);
        let kind = repeatable(item.kind).map(FieldForm::Repeated)?;
        Some(SketchNode { kind, ..item })
    }

    fn object(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Option<SketchNode> {
        if has_properties(schema) {
            // Fields that only some alternatives have would need a message for each: a plain value holds all.
            if alternatives_declare(schema) {
                return None;
            }
            // Noted, so that the author is told: nothing is wrong with the type, it is only large.
            if depth >= MESSAGE_DEPTH || self.left == 0 {
                self.cut = true;
                return None;
            }
            let inside = self.properties(schema, depth + 1);
            let kind = FieldForm::One(ItemKind::Message);
            let description = None;
            return Some(SketchNode {
                kind,
                description,
                inside,
            });
        }
        if has_alternatives(schema) || schema.contains_key("patternProperties") {
            return None;
        }
        let each = schema.get("additionalProperties");
        let each = each.filter(|each| each.as_object().is_some_and(|map| !map.is_empty()));
        let Some(each) = each else {
            let kind = FieldForm::One(ItemKind::Struct);
            let (description, inside) = (None, Vec::new());
            return Some(SketchNode {
                kind,
                description,
                inside,
            });
        };
        let value = self.node(each, depth);
        let kind = repeatable(value.kind).map(FieldForm::Map)?;
        Some(SketchNode { kind, ..value })
    }

    fn properties(
        &mut self,
        schema: &'s Map<String, Value>,
        depth: usize,
    ) -> Vec<(String, SketchNode)> {
        let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
            return Vec::new();
        };
        let mut inside = Vec::new();
        // Those of this object first: what is too much is what is further down.
        self.left = self.left.saturating_sub(properties.len());
        for (name, schema) in properties {
            // Declared as never there: a field of it could hold nothing.
            if schema == &Value::Bool(false) {
                continue;
            }
            inside.push((name.clone(), self.node(schema, depth)));
        }
        inside
    }
}

/// What can be in a list or a map: no list or map again, and no value, of which the whole field is
/// one then.
const fn repeatable(kind: FieldForm) -> Option<ItemKind> {
    match kind {
        FieldForm::One(ItemKind::Value) | FieldForm::Repeated(_) | FieldForm::Map(_) => None,
        FieldForm::One(item) => Some(item),
    }
}

fn has_properties(schema: &Map<String, Value>) -> bool {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.is_some_and(|properties| !properties.is_empty())
}

const ALTERNATIVES: [&str; 7] = ["oneOf", "anyOf", "allOf", "not", "if", "then", "else"];

fn has_alternatives(schema: &Map<String, Value>) -> bool {
    ALTERNATIVES.iter().any(|word| schema.contains_key(*word))
}

/// Whether fields are declared only by alternatives: a message would not show them.
fn alternatives_declare(schema: &Map<String, Value>) -> bool {
    let words = ["oneOf", "anyOf", "allOf", "then", "else"];
    let declares = |value: &Value| {
        let inner = value.as_object();
        inner.is_some_and(|map| {
            let says = ["properties", "$ref", "patternProperties"];
            has_alternatives(map) || says.iter().any(|word| map.contains_key(*word))
        })
    };
    words
        .iter()
        .filter_map(|word| schema.get(*word))
        .any(|value| match value {
            Value::Array(all) => all.iter().any(declares),
            one => declares(one),
        })
}

/// A fragment of an address as a JSON pointer; nothing if it names an anchor.
fn decoded(fragment: &str) -> Option<String> {
    if !fragment.is_empty() && !fragment.starts_with('/') {
        return None;
    }
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let (digits, after) = after.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?);
        rest = after;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests;
