//! Whether every document of a sketch fits a schema, part by part.
//!
//! Both schemas are walked side by side: what is the same on both sides cancels, and only what
//! differs is asked of the set algebra, so that a difference in one place does not make the whole
//! undecided. A gap is a place where it could not be proven. It comes with values to try there, and
//! is no finding: the sketch may let through more than ever comes.

mod algebra;
mod bounds;
mod conjunction;
mod counterexample;
mod disjoint;
mod lists;
mod names;
mod objects;
mod patterns;
mod rules;
mod same;
mod why;

pub(crate) use same::has_moving_references;
pub(crate) use why::{GapReason, rejects_everything};

use super::sketch::{JsonKinds, SchemaSketch, SchemaSource};
use super::weight::weight;
use crate::examples::{DocumentEdit, DocumentStep};
use crate::types::limits::CONTENT_DEPTH;
use crate::types::{PathPattern, PathToken, Schema};
use conjunction::Conjunction;
use same::SameReferences;
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// Pairs of schemas that are compared.
const WORK: usize = 50_000;
/// Bytes, roughly, of schemas that are compiled to be asked.
const ASKED: usize = 2 * 1024 * 1024;
/// Questions that are asked of the algebra.
const QUESTIONS: usize = 2_000;
/// Gaps for which values are searched, those included that turn out to be none.
const GUESSES: usize = 64;
/// Bytes, roughly, of schemas for which values are searched.
const SEARCHED: usize = 128 * 1024;

/// What is asked, beside the two schemas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InclusionQuestion {
    /// Whether a null that a property does not take counts as absent, as it does in a view.
    pub(crate) nulls_vanish: bool,
    /// Whether names that only the target declares are taken as not used so far.
    pub(crate) new_names_unused: bool,
    /// Gaps that are told.
    pub(crate) gaps: usize,
}

/// What a conversion asks.
const OF_A_VIEW: InclusionQuestion = InclusionQuestion {
    nulls_vanish: true,
    new_names_unused: false,
    gaps: 24,
};

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct InclusionAnswer {
    /// Where documents may not fit.
    pub(crate) gaps: Vec<InclusionGap>,
    /// Names that were taken as not used.
    pub(crate) unused: Vec<Vec<DocumentStep>>,
}

/// A place where documents may not fit.
#[derive(Clone, Debug)]
pub(crate) struct InclusionGap {
    pub(crate) at: Vec<DocumentStep>,
    pub(crate) why: GapReason,
    pub(crate) edits: Vec<DocumentEdit>,
}

impl InclusionGap {
    /// The place as a path.
    pub(crate) fn place(&self) -> PathPattern {
        place(&self.at)
    }
}

/// A place as a path.
pub(crate) fn place(at: &[DocumentStep]) -> PathPattern {
    let tokens = at.iter().map(|at| match at {
        DocumentStep::Key(key) => PathToken::Key(key.clone()),
        DocumentStep::Item(_) | DocumentStep::Other | DocumentStep::Matching(_) => PathToken::Every,
    });
    PathPattern::of(tokens.collect())
}

/// Where a sketch may not fit a schema; nowhere if it is proven to.
pub(crate) fn gaps(sketch: &SchemaSketch, target: &Schema) -> Vec<InclusionGap> {
    let to = SchemaSource::of(target);
    let mut comparison = SchemaComparison::new(&sketch.source, &to, OF_A_VIEW);
    for node in &sketch.alternatives {
        let whole = Conjunction::of(&sketch.source, [node]);
        comparison.compare(&whole, &to.schema);
    }
    comparison.answer.gaps
}

/// Where documents of one schema may not fit another; nowhere if all are proven to, apart from
/// names that are taken as not used.
pub(crate) fn compare(
    from: &SchemaSource,
    to: &SchemaSource,
    question: InclusionQuestion,
) -> InclusionAnswer {
    let mut comparison = SchemaComparison::new(from, to, question);
    let whole = Conjunction::of(from, [&from.schema]);
    comparison.compare(&whole, &to.schema);
    comparison.answer
}

/// How much is done for an answer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum ProofEffort {
    /// Only what can be seen.
    Glance,
    /// The algebra is asked.
    Ask,
    /// And where it does not say yes, values are searched.
    Search,
}

type ComparedPair = (Vec<usize>, Vec<usize>, bool, usize);

struct SchemaComparison<'a> {
    from: &'a SchemaSource,
    to: &'a SchemaSource,
    /// Pairs that are compared already or further out: a schema that refers to itself is compared
    /// once, because what is inside is smaller.
    seen: HashSet<ComparedPair>,
    /// The same in order, so that a guess can be taken back.
    order: Vec<ComparedPair>,
    work: usize,
    at: Vec<DocumentStep>,
    answer: InclusionAnswer,
    question: InclusionQuestion,
    /// What is the same on both sides, if that is enough.
    same: Option<SameReferences>,
    /// Whether a null that a property does not take counts as absent: not in alternatives, of
    /// which another one may take it.
    strips_null: bool,
    effort: ProofEffort,
    /// The number of gaps before what is tried.
    start: usize,
    asked: usize,
    guesses: usize,
    searched: usize,
    /// What the algebra said, by question: many places ask the same.
    answers: HashMap<(String, String), algebra::CoverAnswer>,
    patterns: patterns::PatternAnswers,
}

impl<'a> SchemaComparison<'a> {
    fn new(from: &'a SchemaSource, to: &'a SchemaSource, question: InclusionQuestion) -> Self {
        // In a view, what is the same for itself may differ for what stands beside it.
        let comparable = !question.nulls_vanish;
        Self {
            from,
            to,
            seen: HashSet::new(),
            order: Vec::new(),
            work: 0,
            at: Vec::new(),
            answer: InclusionAnswer::default(),
            question,
            same: comparable.then(|| SameReferences::of(from, to)).flatten(),
            strips_null: question.nulls_vanish,
            effort: ProofEffort::Search,
            start: 0,
            asked: 0,
            guesses: 0,
            searched: 0,
            answers: HashMap::new(),
            patterns: patterns::PatternAnswers::default(),
        }
    }

    fn compare(&mut self, c: &Conjunction<'a>, t: &'a Value) {
        if self.failed() {
            return;
        }
        self.work += 1 + c.width / 8;
        if self.at.len() > CONTENT_DEPTH {
            // No content is as deep as that.
            return;
        }
        // The bound is on the number of comparisons, so that the same schemas give the same answer
        // on any machine.
        if self.work > WORK || self.answer.gaps.len() >= self.question.gaps {
            let told = self.answer.gaps.last().map(|gap| gap.why) == Some(GapReason::TooMuch);
            // What is tried must not seem to fit.
            if self.effort < ProofEffort::Search || !told {
                self.gap(GapReason::TooMuch, Vec::new());
            }
            return;
        }
        if c.is_never() || is_unconstrained(t) {
            return;
        }
        // By addresses and not by content: parts of both schemas live as long as the proof, and
        // their texts can be large.
        let pair = (c.addresses(), c.open_choices(), c.no_null, address(t));
        // Asked before, further out or in another alternative: if there was a gap, it has been
        // told there.
        if !self.seen.insert(pair.clone()) {
            return;
        }
        self.order.push(pair);
        // Finite values are tried one by one, which is exact.
        if let Some(values) = c.finite() {
            self.listed(&values, t);
            return;
        }
        let Some(alternatives) = c.alternatives(self.from) else {
            self.target(c, t);
            return;
        };
        // What is the same on both sides cancels. Otherwise, a document fits one of the
        // alternatives, so each of them must fit.
        if self.guess(ProofEffort::Glance, |this| this.target(c, t)) {
            return;
        }
        // Alternatives are opened only where the whole has failed: they multiply.
        for one in alternatives {
            self.compare(&one, t);
        }
    }

    /// Whether an attempt leaves no gap. If it does nothing remains of it.
    fn guess(&mut self, effort: ProofEffort, attempt: impl FnOnce(&mut Self)) -> bool {
        let (gaps, order) = (self.answer.gaps.len(), self.order.len());
        let unused = self.answer.unused.len();
        let before = (self.effort, self.start);
        self.effort = self.effort.min(effort);
        self.start = gaps;
        attempt(self);
        (self.effort, self.start) = before;
        let fits = self.answer.gaps.len() == gaps;
        if !fits {
            self.answer.gaps.truncate(gaps);
            self.answer.unused.truncate(unused);
            // The pairs are unknown again, because they were only compared at that effort.
            for pair in self.order.split_off(order.min(self.order.len())) {
                self.seen.remove(&pair);
            }
        }
        fits
    }

    /// Whether what is tried has failed already, so that the rest does not matter.
    const fn failed(&self) -> bool {
        !matches!(self.effort, ProofEffort::Search) && self.answer.gaps.len() > self.start
    }

    fn target(&mut self, c: &Conjunction<'a>, t: &'a Value) {
        let Some(mut parts) = conjunction::parts(self.to, t) else {
            self.gap(GapReason::Reference, Vec::new());
            return;
        };
        // A reference that means the same in both is kept by every document.
        if let Some(same) = &self.same {
            parts.retain(|t| !c.parts.iter().any(|known| same.is(known, t)));
        }
        let around: Vec<&Map<String, Value>> = parts.iter().filter_map(|t| t.as_object()).collect();
        if c.kinds().has(JsonKinds::OBJECT) {
            // Once for all parts together, because one may require what another one declares.
            self.presence(c, &around);
        }
        for part in parts {
            match part {
                Value::Object(map) => self.rules(c, part, map),
                Value::Bool(true) => {}
                _ => self.leaf(c, None, part),
            }
        }
    }

    fn listed(&mut self, values: &[Value], t: &Value) {
        let bundle = self.to.bundle(t);
        let affordable = self.effort > ProofEffort::Glance && self.affords(&bundle);
        let schema = affordable.then(|| Schema::compile(bundle).ok()).flatten();
        let Some(schema) = schema else {
            self.gap(GapReason::TooMuch, Vec::new());
            return;
        };
        let wrong = values
            .iter()
            .filter(|value| schema.validate(value).is_err());
        let edits: Vec<_> = wrong.cloned().map(DocumentEdit::Set).collect();
        if !edits.is_empty() {
            self.gap(GapReason::Values, edits);
        }
    }

    fn affords(&mut self, schema: &Value) -> bool {
        self.asked = self.asked.saturating_add(weight(schema));
        self.asked <= ASKED
    }

    fn gap(&mut self, why: GapReason, edits: Vec<DocumentEdit>) {
        let at = self.at.clone();
        self.answer.gaps.push(InclusionGap { at, why, edits });
    }

    fn inside(&mut self, at: DocumentStep, work: impl FnOnce(&mut Self)) {
        self.at.push(at);
        work(self);
        self.at.pop();
    }
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}

/// Whether anything fits, at a glance.
fn is_unconstrained(t: &Value) -> bool {
    match t {
        Value::Bool(yes) => *yes,
        Value::Object(map) => map.keys().all(|word| rules::is_annotation(word)),
        _ => false,
    }
}

/// Whether null is a value of a property with this schema. "Perhaps" counts as yes.
fn takes_null(source: &SchemaSource, t: &Value) -> bool {
    let parts = conjunction::parts(source, t).unwrap_or_default();
    parts
        .iter()
        .all(|part| JsonKinds::of(part).has(JsonKinds::NULL))
}
