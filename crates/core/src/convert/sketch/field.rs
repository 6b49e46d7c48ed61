//! Fields of an object in a sketch: taken out, put elsewhere, changed.

use super::SketchEffort;
use super::kinds::JsonKinds;
use super::plain::{
    drop_choices, is_required, keep_choices, property, set_property, set_required, write_out,
};
use super::source::SchemaSource;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is known of a field.
#[derive(Clone, Debug)]
pub(crate) struct SketchField {
    /// `false` where it can't be there.
    pub(crate) schema: Value,
    /// Whether it is there in every document.
    pub(crate) always: bool,
}

impl SketchField {
    pub(crate) const NEVER: Self = Self {
        schema: Value::Bool(false),
        always: false,
    };

    pub(crate) fn is_never(&self) -> bool {
        self.schema == Value::Bool(false)
    }
}

/// An object in a sketch. What is said of its fields holds where it is an object.
pub(crate) struct SketchScope<'s> {
    node: &'s mut Value,
    pub(crate) source: &'s Arc<SchemaSource>,
    pub(crate) effort: &'s mut SketchEffort,
}

impl<'s> SketchScope<'s> {
    pub(crate) const fn new(
        node: &'s mut Value,
        source: &'s Arc<SchemaSource>,
        effort: &'s mut SketchEffort,
    ) -> Self {
        Self {
            node,
            source,
            effort,
        }
    }

    /// The object inside, if there can be one.
    pub(crate) fn enter(&mut self, keys: &[String]) -> Option<SketchScope<'_>> {
        let mut node = &mut *self.node;
        for key in keys {
            let map = opened(node, key, self.source)?;
            node = inside(map, key)?;
        }
        Some(SketchScope {
            node,
            source: self.source,
            effort: self.effort,
        })
    }

    /// Takes a field out: it is not there afterwards.
    pub(crate) fn take(&mut self, keys: &[String]) -> SketchField {
        let Some((last, parents)) = keys.split_last() else {
            return SketchField::NEVER;
        };
        // Whether the field is there in every document: only if all objects around it are.
        let mut always = true;
        let mut node = &mut *self.node;
        for key in parents {
            let Some(map) = opened(node, key, self.source) else {
                return SketchField::NEVER;
            };
            always &= is_required(map, key);
            let Some(inner) = inside(map, key) else {
                return SketchField::NEVER;
            };
            write_out(inner, self.source);
            // What may be no object may have no field in it.
            always &= JsonKinds::of(inner).within(JsonKinds::OBJECT);
            node = inner;
        }
        let Some(map) = opened(node, last, self.source) else {
            return SketchField::NEVER;
        };
        let schema = property(map, last);
        always &= is_required(map, last);
        // `false` and not removed: a pattern or `additionalProperties` would speak of the name
        // otherwise.
        set_property(map, last, Value::Bool(false));
        set_required(map, last, false);
        SketchField { schema, always }
    }

    /// Puts a field where nothing is now, and makes the objects around it where they are not.
    pub(crate) fn put(&mut self, keys: &[String], field: SketchField) {
        let Some((last, parents)) = keys.split_last() else {
            return;
        };
        // A field that never is there puts nothing anywhere, and creates no object.
        if field.is_never() {
            return;
        }
        let SketchField { schema, mut always } = field;
        let mut node = &mut *self.node;
        for key in parents {
            let Some(map) = opened(node, key, self.source) else {
                return;
            };
            let fresh = make_object(map, key, always, self.source);
            // In an object that is there for its sake a field is always there.
            always |= fresh;
            let Some(inner) = inside(map, key) else {
                return;
            };
            node = inner;
        }
        if let Some(map) = opened(node, last, self.source) {
            set_property(map, last, schema);
            set_required(map, last, always);
        }
    }

    /// Changes what a field is, where it is there.
    pub(crate) fn change(
        &mut self,
        key: &str,
        change: impl FnOnce(SketchField, &mut SketchScope<'_>) -> SketchField,
    ) {
        let keys = [key.to_owned()];
        // Taken out and put back, so that nothing else in the schema speaks of it in between.
        let mut field = self.take(&keys);
        if field.is_never() {
            return;
        }
        // References are relative to the whole document, and the change may look inside.
        field.schema = self.written_out(field.schema);
        let mut nothing = Value::Null;
        let mut scope = SketchScope {
            node: &mut nothing,
            source: self.source,
            effort: self.effort,
        };
        let changed = change(field, &mut scope);
        self.put(&keys, changed);
    }

    /// Only documents in which the field is there.
    pub(crate) fn require(&mut self, keys: &[String]) {
        let Some((last, parents)) = keys.split_last() else {
            return;
        };
        let mut node = &mut *self.node;
        for key in parents {
            let Some(map) = opened(node, key, self.source) else {
                return;
            };
            // A document that has the field has objects on the way to it.
            map.insert("type".to_owned(), Value::from("object"));
            set_required(map, key, true);
            let Some(inner) = inside(map, key) else {
                return;
            };
            node = inner;
        }
        if let Some(map) = opened(node, last, self.source) {
            map.insert("type".to_owned(), Value::from("object"));
            set_required(map, last, true);
        }
    }

    /// No document at all.
    pub(crate) fn exclude(&mut self) {
        *self.node = Value::Bool(false);
    }

    /// What is known of a field, which stays where it is.
    pub(crate) fn look(&mut self, keys: &[String]) -> SketchField {
        let mut copy = self.node.clone();
        let mut scope = SketchScope {
            node: &mut copy,
            source: self.source,
            effort: self.effort,
        };
        let mut field = scope.take(keys);
        field.schema = self.written_out(field.schema);
        field
    }

    /// A schema with its reference written out.
    pub(crate) fn written_out(&self, mut schema: Value) -> Value {
        write_out(&mut schema, self.source);
        schema
    }

    /// Whether there is nothing but objects here.
    pub(crate) fn is_object(&self) -> bool {
        JsonKinds::of(self.node).within(JsonKinds::OBJECT)
    }
}

/// The schema as one whose property can be changed; `None` if no object fits it.
fn opened<'v>(
    node: &'v mut Value,
    key: &str,
    source: &SchemaSource,
) -> Option<&'v mut Map<String, Value>> {
    write_out(node, source);
    // `true` has no keywords that could be changed.
    if *node == Value::Bool(true) {
        *node = json!({});
    }
    let kinds = JsonKinds::of(node);
    let map = node.as_object_mut()?;
    if !kinds.has(JsonKinds::OBJECT) {
        return None;
    }
    // A choice that speaks of this field may be untrue once it changes; without it the sketch lets
    // more through, which is safe.
    if keep_choices(map, &|name| name != key) {
        // What was listed is gone, its types are not.
        if kinds != JsonKinds::ALL {
            map.insert("type".to_owned(), kinds.to_json());
        }
    }
    Some(map)
}

/// The schema of a property, made explicit; `None` if it can't be there.
fn inside<'v>(map: &'v mut Map<String, Value>, key: &str) -> Option<&'v mut Value> {
    let schema = property(map, key);
    if schema == Value::Bool(false) {
        return None;
    }
    set_property(map, key, schema);
    map.get_mut("properties")?.get_mut(key)
}

/// Where a field is going to be put into an object that may not be there, or be no object. Whether
/// it is there only for that field.
fn make_object(
    map: &mut Map<String, Value>,
    key: &str,
    always: bool,
    source: &SchemaSource,
) -> bool {
    let mut schema = property(map, key);
    write_out(&mut schema, source);
    let fresh = schema == Value::Bool(false);
    let there = is_required(map, key);
    let kinds = JsonKinds::of(&schema);
    if fresh {
        schema = json!({"type": "object", "properties": {}, "additionalProperties": false});
    } else if !(there && kinds.within(JsonKinds::OBJECT)) {
        // It may be made by the step: then it has nothing of what the schema requires.
        let mut object = match schema {
            Value::Object(object) => object,
            _ => Map::new(),
        };
        // A choice could require what the created object does not have.
        drop_choices(&mut object);
        object.shift_remove("required");
        // If the field is always there, so is an object around it, whatever the schema has
        // allowed.
        let kinds = if always {
            JsonKinds::OBJECT
        } else {
            kinds.or(JsonKinds::OBJECT)
        };
        if kinds != JsonKinds::ALL {
            object.insert("type".to_owned(), kinds.to_json());
        }
        schema = Value::Object(object);
    }
    set_property(map, key, schema);
    if always {
        set_required(map, key, true);
    }
    fresh
}
