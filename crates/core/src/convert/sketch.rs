//! A schema on its way through the steps of a conversion.
//!
//! A sketch always lets through at least what comes: each step turns it into a schema that accepts
//! every document that the step makes of accepted ones. Where that can't be said exactly the sketch
//! says less. So what is proven of a sketch holds for every document, and what is not proven may
//! still hold.

mod field;
mod kinds;
mod plain;
mod source;
mod values;

pub(crate) use crate::types::subschemas::{each_inside, has_reference, objects_in};
pub(crate) use field::{SketchField, SketchScope};
pub(crate) use kinds::JsonKinds;
pub(crate) use plain::{
    is_required, keep_choices, property, property_parts, set_property, set_required, write_out,
};
pub(crate) use source::SchemaSource;
pub(crate) use values::{finite, item_parts, item_schemas, listed, one_of, whole_number};

use super::path::FieldPath;
use super::weight::weight;
use serde_json::Value;
use std::sync::Arc;

/// Schemas of which one applies; more are not told apart.
const ALTERNATIVES: usize = 8;
/// Bytes, roughly, of one alternative.
const BYTES: usize = 512 * 1024;
/// Bytes, roughly, that all steps together may look at.
const WORK: usize = 64 * 1024 * 1024;
/// What was spent.
#[derive(Debug, Default)]
pub(crate) struct SketchEffort(usize);

impl SketchEffort {
    /// Whether so many bytes more are affordable.
    pub(crate) const fn spend(&mut self, bytes: usize) -> bool {
        self.0 = self.0.saturating_add(bytes);
        self.0 <= WORK
    }
}

/// A document fits if it fits one of the alternatives.
#[derive(Debug)]
pub(crate) struct SchemaSketch {
    pub(crate) alternatives: Vec<Value>,
    pub(crate) source: Arc<SchemaSource>,
    pub(crate) effort: SketchEffort,
}

impl SchemaSketch {
    pub(crate) fn new(schema: Value, source: Arc<SchemaSource>) -> Self {
        Self {
            alternatives: vec![schema],
            source,
            effort: SketchEffort::default(),
        }
    }

    /// Works on the object at the end of the keys, wherever it can be one.
    pub(crate) fn within(&mut self, keys: &[String], mut work: impl FnMut(&mut SketchScope<'_>)) {
        let Self {
            alternatives,
            source,
            effort,
        } = self;
        // Every alternative by itself: a step works on each document, whichever alternative that
        // fits.
        for node in alternatives {
            let mut scope = SketchScope::new(node, source, effort);
            if let Some(mut scope) = scope.enter(keys) {
                work(&mut scope);
            }
        }
    }

    /// Works on the innermost object that has all of the paths in it. What is true of a field there
    /// is relative to that object, so a field that is required in an optional object is required.
    pub(crate) fn around(&mut self, paths: &[&FieldPath], work: impl FnMut(&mut SketchScope<'_>)) {
        self.within(&shared(paths), work);
    }

    /// A part of a schema as a sketch of its own.
    pub(crate) fn inside(
        scope: &mut SketchScope<'_>,
        schema: Value,
        work: impl FnOnce(&mut Self),
    ) -> Value {
        let mut inner = Self::new(schema, Arc::clone(scope.source));
        std::mem::swap(scope.effort, &mut inner.effort);
        work(&mut inner);
        std::mem::swap(scope.effort, &mut inner.effort);
        one_of(inner.alternatives)
    }

    /// Two ways to go on, where something holds and where it does not: documents take one of them.
    pub(crate) fn branch(&mut self, way: impl Fn(bool, &mut Self)) {
        let before = std::mem::take(&mut self.alternatives);
        let mut after = Vec::new();
        for holds in [true, false] {
            self.alternatives.clone_from(&before);
            way(holds, self);
            after.append(&mut self.alternatives);
        }
        after.retain(|schema| *schema != Value::Bool(false));
        self.alternatives = after;
    }

    /// Keeps the sketch small: what is too large says nothing.
    pub(crate) fn bound(&mut self) {
        if self.alternatives.len() > ALTERNATIVES {
            self.alternatives = vec![Value::Bool(true)];
        }
        for node in &mut self.alternatives {
            let bytes = weight(node);
            if bytes > BYTES || !self.effort.spend(bytes) {
                *node = Value::Bool(true);
            }
        }
    }
}

/// The keys of the innermost object around all of the fields.
pub(crate) fn shared(paths: &[&FieldPath]) -> Vec<String> {
    let mut parents = paths.iter().map(|path| path.split().0);
    let first = parents.next().unwrap_or_default();
    let alike = |one: &[String], other: &[String]| {
        one.iter().zip(other).take_while(|(a, b)| a == b).count()
    };
    let length = parents.map(|other| alike(first, other)).min();
    let keys = first.get(..length.unwrap_or(first.len()));
    keys.unwrap_or_default().to_vec()
}
