//! Documents that fit a schema, made from it, and edits that keep them fitting. Conversions are
//! tried on them before anybody depends on them.
//!
//! First come the telling ones: the smallest and the fullest, and all that differ from these in one
//! decision: an optional property, an alternative, a listed value, the number of items, a number or
//! a text at its edge. Then come random ones, without an end.
//!
//! The same schema and the same seed give the same documents. Every document has been seen by the
//! schema's own validator, so what is guessed here (`not`, conditions, hard patterns) is never
//! wrong, only sometimes not found. Time and memory are bounded for any schema that compiles.

mod demand;
mod draw;
mod edits;
mod fingerprint;
mod formats;
mod heights;
mod kinds;
mod list_demand;
mod lists;
mod make;
mod numbers;
mod object_demand;
mod objects;
mod patterns;
mod place;
mod plausible;
mod reach;
mod resolve;
mod rules;
mod shrink;
mod telling;
#[cfg(test)]
mod tests;
mod texts;
mod weights;

pub(crate) use reach::{DocumentEdit, DocumentStep, WAYS};
pub(crate) use shrink::shrink;

use crate::types::{Schema, same};
use draw::DrawMode;
use fingerprint::fingerprint;
use make::DocumentMaker;
use place::ExamplePlace;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashSet;
use telling::{DocumentPlan, TellingQueue};

/// Documents that may fail before one call gives up, of each sort.
const TRIES: usize = 100;
/// How often a telling document that does not fit is tried with a few other decisions.
const NEARLY: usize = 3;
/// Nodes that are made in vain before one call gives up.
const WASTE: usize = 60_000;
/// Edits that are tried before one call gives up.
const EDITS: usize = 60;

/// An endless supply of documents that fit a schema.
///
/// ```
/// use coeval_core::examples::Examples;
/// use coeval_core::types::Schema;
///
/// let source = serde_json::json!({"type": "object", "properties": {"size": {"enum": [1, 2]}}});
/// let schema = Schema::compile(source).unwrap();
/// for document in Examples::of(&schema, 7).take(20) {
///     assert!(schema.validate(&document).is_ok());
/// }
/// ```
#[derive(Debug)]
pub struct Examples<'s> {
    schema: &'s Schema,
    maker: DocumentMaker<'s>,
    telling: TellingQueue,
    /// Telling documents that were given out.
    given: HashSet<u64>,
}

impl<'s> Examples<'s> {
    /// Of a schema. Another seed gives other documents.
    #[must_use]
    pub fn of(schema: &'s Schema, seed: u64) -> Self {
        Self {
            schema,
            maker: DocumentMaker::of(schema, seed),
            telling: TellingQueue::new(),
            given: HashSet::new(),
        }
    }

    /// The document with one random change, which still fits and is not the same; `None` if it
    /// does not fit itself, or no such change was found. Nulls that count as absent are left out.
    ///
    /// ```
    /// use coeval_core::examples::Examples;
    /// use coeval_core::types::Schema;
    ///
    /// let source = serde_json::json!({"type": "object", "properties": {"size": {"type": "integer"}}});
    /// let schema = Schema::compile(source).unwrap();
    /// let before = serde_json::json!({"size": 1});
    /// let after = Examples::of(&schema, 7).edit(&before).unwrap();
    /// assert!(after != before && schema.validate(&after).is_ok());
    /// ```
    pub fn edit(&mut self, document: &Value) -> Option<Value> {
        self.schema.validate(document).ok()?;
        let before = self.schema.without_absent(document);
        for _ in 0..EDITS {
            let mut after = Value::clone(&before);
            self.maker.start(DrawMode::Random, &[]);
            let changed = self.maker.change(&mut after, &[0], ExamplePlace::ROOT);
            if changed.is_some() && !same(&before, &after) && self.fits(&after) {
                return Some(after);
            }
        }
        None
    }

    /// Makes one document, whether it fits or not.
    fn make(&mut self, mode: DrawMode, plan: &DocumentPlan) -> Option<Value> {
        self.maker.start(mode, &plan.forced);
        self.maker.value(&[0], ExamplePlace::ROOT)
    }

    /// The document of a plan, if it fits and is new.
    fn told(&mut self, plan: &DocumentPlan, waste: &mut WastedWork) -> Option<Value> {
        let exact = self.make(DrawMode::Exact(plan.base), plan);
        self.telling.explore(plan, &self.maker.draw.asked);
        if let Some(document) = exact
            && self.fits(&document)
        {
            return self.new_one(document);
        }
        waste.add(self.maker.made());
        for _ in 0..NEARLY {
            if let Some(document) = self.make(DrawMode::Nearly(plan.base), plan)
                && self.fits(&document)
            {
                return self.new_one(document);
            }
            waste.add(self.maker.made());
        }
        None
    }

    fn new_one(&mut self, document: Value) -> Option<Value> {
        let new = self.given.insert(fingerprint(&document));
        new.then_some(document)
    }

    /// Whether the validator takes the document, as it stands: with no null that counts as absent.
    fn fits(&self, document: &Value) -> bool {
        let taken = if self.schema.shape.explosive {
            self.schema.validate(document).is_ok()
        } else {
            self.schema.validator.is_valid(document)
        };
        let stands = || matches!(self.schema.without_absent(document), Cow::Borrowed(_));
        taken && stands()
    }
}

impl Iterator for Examples<'_> {
    type Item = Value;

    /// The next document; `None` if so many attempts found none that there may be none. Another
    /// call tries again.
    fn next(&mut self) -> Option<Value> {
        if !self.maker.can_end() {
            return None;
        }
        let mut waste = WastedWork::default();
        while !waste.enough()
            && let Some(plan) = self.telling.next()
        {
            let document = self.told(&plan, &mut waste);
            if document.is_some() {
                return document;
            }
        }
        let mut waste = WastedWork::default();
        while !waste.enough() {
            self.maker.start(DrawMode::Random, &[]);
            if let Some(document) = self.maker.value(&[0], ExamplePlace::ROOT)
                && self.fits(&document)
            {
                return Some(document);
            }
            waste.add(self.maker.made());
        }
        None
    }
}

/// What was made in vain.
#[derive(Default)]
struct WastedWork {
    documents: usize,
    nodes: usize,
}

impl WastedWork {
    const fn add(&mut self, nodes: usize) {
        self.documents += 1;
        self.nodes += nodes;
    }

    const fn enough(&self) -> bool {
        self.documents >= TRIES || self.nodes >= WASTE
    }
}
