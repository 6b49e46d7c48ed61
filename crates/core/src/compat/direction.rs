//! Whether the documents of one schema fit another: a proof, documents that do not, or neither.

use super::fields::join;
use super::finding::{Counterexample, SchemaContainment, SchemaSide};
use super::language::{as_draft_7, language};
use crate::convert::inclusion::{GapReason, InclusionGap, InclusionQuestion, compare, place};
use crate::convert::sketch::SchemaSource;
use crate::examples::{DocumentEdit, DocumentStep, Examples, WAYS, shrink};
use crate::types::pointer::tokens;
use crate::types::{PathPattern, PathToken, Schema};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::HashSet;

/// Gaps that are looked at.
const GAPS: usize = 100;
/// Documents that both validators see, all together.
const DOCUMENTS: usize = 20_000;
/// The same documents each time.
const SEED: u64 = 1;

/// How much is done.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchDepth {
    /// Documents that are tried even where everything is proven.
    pub(super) examples: usize,
    /// Whether documents are searched that use a name which counts as not used.
    pub(super) names: bool,
}

/// A schema, ready to be compared with others.
#[derive(Debug)]
pub(super) struct PreparedSchema<'s> {
    pub(super) schema: &'s Schema,
    source: SchemaSource,
    /// The same as newer drafts say it, if it is of draft 4.
    newer: Option<SchemaSource>,
}

impl<'s> PreparedSchema<'s> {
    pub(super) fn of(schema: &'s Schema) -> Self {
        let source = language(schema);
        let newer = as_draft_7(&source);
        Self {
            schema,
            source,
            newer,
        }
    }

    /// Whether it judges documents by the very same words.
    fn is_identical(&self, other: &Self) -> bool {
        self.source.draft == other.source.draft && self.source.schema == other.source.schema
    }
}

/// What is found in one direction. Names that only the other schema declares are taken as not used.
#[derive(Debug, Default)]
pub(super) struct DirectionFindings {
    /// Places where it is not proven, each with a document if there is one.
    pub(super) gaps: Vec<(InclusionGap, Option<Counterexample>)>,
    /// Names that were taken as not used, each with a document that uses it and does not fit.
    pub(super) unused: Vec<(PathPattern, Option<Counterexample>)>,
    /// A document that fits no place.
    pub(super) stray: Option<Counterexample>,
}

impl DirectionFindings {
    /// Looks at all documents of `from`, which is the side that is named.
    pub(super) fn of(
        from: &PreparedSchema<'_>,
        to: &PreparedSchema<'_>,
        side: SchemaSide,
        depth: SearchDepth,
    ) -> Self {
        // Most registrations repeat a schema; nothing has to be compared then.
        if from.is_identical(to) {
            return Self::default();
        }
        let question = InclusionQuestion {
            nulls_vanish: false,
            new_names_unused: true,
            gaps: GAPS,
        };
        // Draft 4 is compared in the words of the newer draft, but only if the other schema has
        // them.
        let newer = from.newer.as_ref().filter(|_| to.newer.is_none());
        let answer = compare(newer.unwrap_or(&from.source), &to.source, question);
        let unused: Vec<PathPattern> = answer.unused.iter().map(|at| place(at)).collect();
        // Documents are only searched for once the proof has left something open.
        let mut search = CounterexampleSearch {
            from: from.schema,
            to: to.schema,
            side,
            unused,
            made: None,
            left: DOCUMENTS,
            stray: None,
        };
        let gaps = search.gaps(answer.gaps);
        // In the history many versions are compared, so documents that use new names are searched
        // for only if asked.
        let named = distinct(answer.unused).into_iter();
        let unused = named
            .map(|at| {
                let witness = depth.names.then(|| search.using(&at));
                (place(&at), witness.flatten())
            })
            .collect();
        // With a document that breaks at a gap, a stray one adds nothing.
        let shown = gaps.iter().any(|(_, witness)| witness.is_some());
        let stray = match search.stray.take() {
            _ if shown => None,
            // The proof may have no gap and documents may break all the same, where the generator
            // or the validator knows more than the proof.
            None => search.by_chance(depth.examples),
            found => found.map(|witness| search.smallest(witness, &|_| true)),
        };
        Self {
            gaps,
            unused,
            stray,
        }
    }

    /// The answer without any policy.
    pub(super) fn contained(&self) -> SchemaContainment {
        let of_gaps = self.gaps.iter().filter_map(|(_, witness)| witness.as_ref());
        let of_names = self.unused.iter().filter_map(|(_, found)| found.as_ref());
        // One document that breaks answers the question, whichever it is.
        if let Some(witness) = of_gaps.chain(&self.stray).chain(of_names).next() {
            return SchemaContainment::No(witness.clone());
        }
        let of_gaps = self.gaps.iter().map(|(gap, _)| gap.place());
        let of_names = self.unused.iter().map(|(place, _)| place.clone());
        let mut places: Vec<String> = of_gaps.chain(of_names).map(|p| p.to_string()).collect();
        // No gap and no name: the proof is complete.
        if places.is_empty() {
            return SchemaContainment::Yes;
        }
        places.sort();
        places.dedup();
        SchemaContainment::Unknown(places)
    }
}

fn distinct(places: Vec<Vec<DocumentStep>>) -> Vec<Vec<DocumentStep>> {
    let mut seen = HashSet::new();
    let new = places.into_iter().filter(|at| seen.insert(place(at)));
    new.collect()
}

/// Whether a document breaks for the reason that is looked for.
type CounterexampleTest<'m> = dyn Fn(&Counterexample) -> bool + 'm;

struct CounterexampleSearch<'s> {
    from: &'s Schema,
    to: &'s Schema,
    side: SchemaSide,
    unused: Vec<PathPattern>,
    /// Made when they are needed: mostly a proof is enough.
    made: Option<Examples<'s>>,
    left: usize,
    /// A document that does not fit, for another reason than the one it was made for.
    stray: Option<Counterexample>,
}

impl<'s> CounterexampleSearch<'s> {
    fn examples(&mut self) -> &mut Examples<'s> {
        let from = self.from;
        self.made.get_or_insert_with(|| Examples::of(from, SEED))
    }

    fn gaps(&mut self, gaps: Vec<InclusionGap>) -> Vec<(InclusionGap, Option<Counterexample>)> {
        let mut found: Vec<(InclusionGap, Option<Counterexample>)> = Vec::new();
        for gap in gaps {
            // One keyword in one place is one finding, however many gaps the proof has left there.
            let same = |(other, _): &&mut (InclusionGap, Option<Counterexample>)| {
                other.why == gap.why && other.about() == gap.about()
            };
            match found.iter_mut().find(same) {
                // Shown already, so another document is not worth the time.
                Some((_, Some(_))) => {}
                Some((_, witness)) => *witness = self.shows(&gap),
                None => {
                    let witness = self.shows(&gap);
                    found.push((gap, witness));
                }
            }
        }
        found
    }

    /// A document that does not fit because of a gap.
    fn shows(&mut self, gap: &InclusionGap) -> Option<Counterexample> {
        let about = gap.place();
        // The edits of the proof first, which are likely to break; then the place as it is.
        let edits = gap.edits.iter().map(Some).chain([None]);
        for edit in edits {
            let meant = |witness: &Counterexample| is_about(witness, &about);
            if let Some(witness) = self.first(&gap.at, edit, &meant) {
                return Some(self.smallest(witness, &meant));
            }
            // A required field is missing in any document without it: another edit would show the
            // same.
            if self.left == 0 || gap.why == GapReason::Required {
                break;
            }
        }
        None
    }

    /// The first document with the edit in its place that breaks, and is meant.
    fn first(
        &mut self,
        at: &[DocumentStep],
        edit: Option<&DocumentEdit>,
        is_meant: &CounterexampleTest<'_>,
    ) -> Option<Counterexample> {
        for way in 0..WAYS {
            let document = self.examples().reaching(at, edit, way);
            match document.and_then(|document| self.breaks(&document)) {
                Some(witness) if is_meant(&witness) => return Some(witness),
                // It breaks, for another reason: kept, in case that no other shows that.
                Some(witness) => {
                    self.stray.get_or_insert(witness);
                }
                None => {}
            }
        }
        None
    }

    /// A document that uses a name which only the other schema declares.
    fn using(&mut self, at: &[DocumentStep]) -> Option<Counterexample> {
        // A value of each type, since it is not known which of them the schema refuses.
        let values = [
            json!(0),
            json!(""),
            json!(true),
            json!([]),
            json!({}),
            Value::Null,
            json!("another value"),
            json!(-1.5),
            json!([0, ""]),
        ];
        let about = place(at);
        // Put aside: names that count as unused would be skipped, and this one is looked for.
        let unused = std::mem::take(&mut self.unused);
        let stray = self.stray.take();
        let mut found = None;
        let uses = |witness: &Counterexample| {
            is_about(witness, &about) && !about.find(&witness.document).is_empty()
        };
        for edit in values.map(DocumentEdit::Set) {
            if let Some(witness) = self.first(at, Some(&edit), &uses) {
                found = Some(self.smallest(witness, &uses));
                break;
            }
        }
        // What breaks because of a name that counts as not used is no surprise.
        self.stray = stray;
        self.unused = unused;
        found
    }

    fn by_chance(&mut self, examples: usize) -> Option<Counterexample> {
        for _ in 0..examples {
            let document = self.examples().next()?;
            if let Some(witness) = self.breaks(&document) {
                return Some(self.smallest(witness, &|_| true));
            }
        }
        None
    }

    /// Whether a document fits the one and not the other, without a name that counts as not used.
    fn breaks(&mut self, document: &Value) -> Option<Counterexample> {
        // A budget of documents for the whole search: compiled schemas are fast, and still there
        // can be thousands of gaps.
        self.left = self.left.checked_sub(1)?;
        // A null that vanishes makes it another document.
        let stands = || matches!(self.from.without_absent(document), Cow::Borrowed(_));
        let accepted = self.from.takes(document)? && stands();
        if !accepted || self.to.takes(document)? {
            return None;
        }
        // By policy nobody uses these names, so such a document is no counterexample.
        if self
            .unused
            .iter()
            .any(|name| !name.find(document).is_empty())
        {
            return None;
        }
        Some(Counterexample {
            accepted_by: self.side,
            document: document.clone(),
            violations: self.to.violations(document),
        })
    }

    fn smallest(
        &mut self,
        witness: Counterexample,
        is_meant: &CounterexampleTest<'_>,
    ) -> Counterexample {
        let still = |document: Value| self.breaks(&document).filter(|found| is_meant(found));
        shrink(witness, |witness| &witness.document, still)
    }
}

impl InclusionGap {
    /// The property that it is about, if it is about whether one is there.
    fn name(&self) -> Option<&str> {
        match self.edits.first() {
            Some(DocumentEdit::Remove(name)) if self.why == GapReason::Required => Some(name),
            _ => None,
        }
    }

    /// The place that it is about, that of the property where it is about one.
    pub(super) fn about(&self) -> PathPattern {
        match self.name() {
            Some(name) => join(&self.place(), name),
            None => self.place(),
        }
    }
}

/// Whether a violation is where the place is, around it or inside of it.
fn is_about(witness: &Counterexample, about: &PathPattern) -> bool {
    witness.violations.iter().any(|violation| {
        let tokens = tokens(&violation.pointer).unwrap_or_default();
        let mut both = about.steps().iter().zip(&tokens);
        both.all(|(step, token)| match step {
            PathToken::Key(key) => key == token,
            PathToken::Every => true,
        })
    })
}
