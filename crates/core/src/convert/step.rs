//! What a step is: it reads in both directions, and knows what it loses in which.

use super::note::{KeptNote, Margin, NoteCondition, NoteOrigin, NotePurpose};
use super::path::{FieldPath, Trail};
use super::refusal::{ConversionObstacle, ConversionRefusal};
use super::sketch::SchemaSketch;
use super::tree::NotedValue;
use super::weight::weight;
use crate::convert::refusal::Carried;
use crate::types::PathToken;
use crate::version::Version;
use serde_json::Value;
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// The direction in which a step is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepWay {
    Forward,
    Backward,
}

impl StepWay {
    pub(crate) const fn turned(self) -> Self {
        match self {
            Self::Forward => Self::Backward,
            Self::Backward => Self::Forward,
        }
    }

    /// The way that a step takes when what it is part of is taken this way.
    pub(crate) const fn through(self, outer: Self) -> Self {
        match outer {
            Self::Forward => self,
            Self::Backward => self.turned(),
        }
    }

    /// What belongs to this direction, of the two.
    pub(crate) fn choose<T>(self, forward: T, backward: T) -> T {
        match self {
            Self::Forward => forward,
            Self::Backward => backward,
        }
    }
}

/// Which step this is, and the versions before and after it. A step that is the inverse of another
/// is that other one with the two exchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StepId {
    pub(crate) conversion: Version,
    pub(crate) number: u16,
    pub(crate) before: Version,
    pub(crate) after: Version,
    /// Whether it is in a branch of `when`. What a step of the one branch noted on a field, a step
    /// of the other can use: an edit that leads to the other branch must not lose it.
    pub(crate) in_when: bool,
}

impl StepId {
    /// The sign of notes written when the step is taken this way: they hold what the version that
    /// is left could say.
    pub(crate) const fn makes(&self, way: StepWay, what: NotePurpose) -> NoteOrigin {
        NoteOrigin::Step {
            conversion: self.conversion,
            number: self.number,
            version: match way {
                StepWay::Forward => self.before,
                StepWay::Backward => self.after,
            },
            what,
        }
    }

    /// A note that the step writes when it is taken this way.
    pub(crate) fn note(&self, way: StepWay, what: NotePurpose, holds: NoteCondition) -> KeptNote {
        KeptNote::new(self.makes(way, what), holds)
    }

    /// Takes out a note on a key that is used up when the step is taken this way.
    pub(crate) fn take_note_on(
        &self,
        margin: &mut Margin,
        way: StepWay,
        what: NotePurpose,
        key: &str,
    ) -> Option<KeptNote> {
        let sign = self.uses(way, what);
        let distance = |note: &KeptNote| match (note.by, sign) {
            // Another field's note, whatever step it is of.
            _ if note.key.as_deref() != Some(key) => None,
            (by, sign) if by == sign => Some(0),
            // In a `when` the same step may be written in both branches, with different numbers:
            // the note of the one is good for the other, the nearest first.
            (
                NoteOrigin::Step {
                    conversion: of,
                    number: other,
                    version: by,
                    what: for_what,
                },
                NoteOrigin::Step {
                    conversion,
                    number,
                    version,
                    what,
                },
            ) if self.in_when => {
                let alike = (of, by, for_what) == (conversion, version, what);
                alike.then(|| other.abs_diff(number))
            }
            _ => None,
        };
        let notes = margin.notes.iter().enumerate();
        let found = notes
            .filter_map(|(at, note)| Some((distance(note)?, at)))
            .min();
        found.map(|(_, at)| margin.notes.remove(at))
    }

    /// The sign of notes that are used up when the step is taken this way.
    pub(crate) const fn uses(&self, way: StepWay, what: NotePurpose) -> NoteOrigin {
        self.makes(way.turned(), what)
    }
}

/// What a step can't simply carry over.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepLoss {
    /// Whether it is kept, or such a document is refused.
    pub class: ConversionClass,
    /// Where, in the terms of the step.
    pub path: String,
    /// What, as a clause.
    pub what: String,
}

/// What a conversion does to documents, in plain words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConversionClass {
    /// Every document has its counterpart.
    #[default]
    Exact,
    /// Something has no place in the other version, and is kept beside the document.
    Keeps,
    /// Some documents have no counterpart.
    MayRefuse,
}

impl ConversionClass {
    /// As people read it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Keeps => "keeps something",
            Self::MayRefuse => "may refuse",
        }
    }
}

/// The key by which the items of a list are told apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ListKey {
    pub(crate) list: Trail,
    pub(crate) key: String,
}

/// Two fields of the newer version that always say the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct MirroredFields {
    pub(crate) from: Trail,
    pub(crate) to: Trail,
}

/// Bytes, roughly, that one conversion may copy into a document: defaults and mirrored fields.
pub(crate) const COPIES: usize = 4 * 1024 * 1024;

/// What is left of the bounds of one conversion.
#[derive(Debug)]
pub(crate) struct Budget {
    /// Bytes, roughly, that may still be copied into the document.
    pub(crate) copies: usize,
    /// Whether values that come back are to be marked.
    pub(crate) marking: bool,
    /// Whether a body is going to replace the document: then all that it could change by the way
    /// must be noted.
    pub(crate) there: bool,
}

impl Budget {
    /// With a bound on what may be copied into the document.
    pub(crate) const fn new() -> Self {
        Self {
            copies: COPIES,
            marking: false,
            there: false,
        }
    }

    /// Counts a copy.
    pub(crate) fn charge(&mut self, value: &Value) -> Carried<()> {
        self.spend(weight(value))
    }

    pub(crate) fn spend(&mut self, bytes: usize) -> Carried<()> {
        let left = self.copies.checked_sub(bytes);
        self.copies = left.ok_or_else(|| ConversionRefusal::whole(ConversionObstacle::TooLarge))?;
        Ok(())
    }

    /// A value that comes back, marked where that is asked for.
    pub(crate) fn restored(&self, mut tree: NotedValue) -> NotedValue {
        tree.margin.restored = self.marking;
        tree
    }
}

/// One step of a conversion.
pub(crate) trait ConversionStep: Any + Debug + Send + Sync {
    /// Changes the content from the version on one side of the step to that on the other.
    fn apply(&self, way: StepWay, tree: &mut NotedValue, run: &mut Budget) -> Carried<()>;

    /// Where a place on the one side is on the other; nowhere if it has no place there.
    fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail>;

    /// All places on the other side that what is at a place can come to.
    fn images(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        self.trace(way, trail).into_iter().collect()
    }

    /// The fields that the step reads or writes, on both sides.
    fn paths(&self) -> Vec<&FieldPath>;

    /// What comes out of a schema's documents: at least all that the step makes of them.
    fn sketch(&self, way: StepWay, sketch: &mut SchemaSketch);

    /// All places on the other side at which something of a place can be seen, in whatever form.
    /// What is kept is not seen.
    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        self.images(way, trail)
    }

    /// The places that the step tells apart from those around them.
    fn places(&self) -> Vec<Trail> {
        self.paths().into_iter().map(FieldPath::trail).collect()
    }

    /// Whether a value at or around the path can be another on the other side.
    fn touches(&self, path: &FieldPath) -> bool {
        self.paths().iter().any(|own| own.overlaps(path))
    }

    /// What has no place on the other side.
    fn losses(&self, _way: StepWay) -> Vec<StepLoss> {
        Vec::new()
    }

    /// The keys of lists that this step names: after it (forward) or before it (backward).
    fn list_keys(&self, _side: StepWay) -> Vec<ListKey> {
        Vec::new()
    }

    /// The fields that mirror each other after the step.
    fn mirrors(&self) -> Vec<MirroredFields> {
        Vec::new()
    }

    /// Whether content can become deeper.
    fn deepens(&self) -> bool {
        false
    }

    /// Whether a document that it leads to may not lead back, so that a write has to try.
    fn is_fickle(&self) -> bool {
        false
    }

    /// One step for this and the one that follows, where that is faster.
    fn fuse(
        &self,
        _way: StepWay,
        _next: &dyn ConversionStep,
        _next_way: StepWay,
    ) -> Option<Arc<dyn ConversionStep>> {
        None
    }
}

/// A step and the direction in which it leads to the newer version.
#[derive(Clone, Debug)]
pub(crate) struct DirectedStep {
    pub(crate) step: Arc<dyn ConversionStep>,
    pub(crate) way: StepWay,
}

impl DirectedStep {
    pub(crate) fn forward(step: impl ConversionStep) -> Self {
        Self {
            step: Arc::new(step),
            way: StepWay::Forward,
        }
    }

    pub(crate) fn backward(step: impl ConversionStep) -> Self {
        Self {
            step: Arc::new(step),
            way: StepWay::Backward,
        }
    }

    pub(crate) fn apply(
        &self,
        way: StepWay,
        tree: &mut NotedValue,
        run: &mut Budget,
    ) -> Carried<()> {
        self.step.apply(self.way.through(way), tree, run)
    }

    pub(crate) fn trace(&self, way: StepWay, trail: Trail) -> Option<Trail> {
        self.step.trace(self.way.through(way), trail)
    }

    pub(crate) fn losses(&self, way: StepWay) -> Vec<StepLoss> {
        self.step.losses(self.way.through(way))
    }

    fn spread(&self, way: StepWay, trail: Trail) -> Vec<Trail> {
        self.step.spread(self.way.through(way), trail)
    }
}

fn in_order(steps: &[DirectedStep], way: StepWay) -> Vec<&DirectedStep> {
    match way {
        StepWay::Forward => steps.iter().collect(),
        StepWay::Backward => steps.iter().rev().collect(),
    }
}

/// What comes out of a schema's documents after all steps.
pub(crate) fn sketch_all(steps: &[DirectedStep], way: StepWay, sketch: &mut SchemaSketch) {
    for step in in_order(steps, way) {
        step.step.sketch(step.way.through(way), sketch);
        sketch.bound();
    }
}

/// Places that one place may become; what is more is not followed.
const PLACES: usize = 1_000;

/// Every place at which something of a place can be seen after all steps.
pub(crate) fn spread_all(steps: &[DirectedStep], way: StepWay, trail: Trail) -> Vec<Trail> {
    // Several places after a step that copies or picks.
    let mut places = vec![trail];
    for step in in_order(steps, way) {
        let spread = places.into_iter().flat_map(|at| step.spread(way, at));
        let mut next: Vec<Trail> = Vec::new();
        // Bounded, because every step could double the places.
        for place in spread.take(PLACES) {
            // Only once, as every step works on each of them.
            if !next.contains(&place) {
                next.push(place);
            }
        }
        places = next;
    }
    places
}

/// Takes steps in order, or backwards in the other.
pub(crate) fn apply_all(
    steps: &[DirectedStep],
    way: StepWay,
    tree: &mut NotedValue,
    run: &mut Budget,
) -> Carried<()> {
    match way {
        // `way` is relative to the steps as they are written; `DirectedStep` knows how each of
        // them was written.
        StepWay::Forward => steps.iter().try_for_each(|step| step.apply(way, tree, run)),
        StepWay::Backward => {
            let mut backwards = steps.iter().rev();
            backwards.try_for_each(|step| step.apply(way, tree, run))
        }
    }
}

/// Where a place is after all steps.
pub(crate) fn trace_all(steps: &[DirectedStep], way: StepWay, trail: Trail) -> Option<Trail> {
    match way {
        StepWay::Forward => steps.iter().try_fold(trail, |at, step| step.trace(way, at)),
        StepWay::Backward => {
            let mut backwards = steps.iter().rev();
            backwards.try_fold(trail, |at, step| step.trace(way, at))
        }
    }
}

/// The most places that one place is followed to.
const IMAGES: usize = 64;

/// All places that what is at a place can come to.
pub(crate) fn images_all(steps: &[DirectedStep], way: StepWay, trail: Trail) -> Vec<Trail> {
    let mut trails = vec![trail];
    let mut follow = |step: &DirectedStep| {
        let all = std::mem::take(&mut trails).into_iter();
        let through = step.way.through(way);
        trails = all
            .flat_map(|trail| step.step.images(through, trail))
            .collect();
        // Sorted, so that equal ones are side by side.
        trails.sort();
        trails.dedup();
        // A step may double the images, so they are bounded like the places of `spread_all`.
        trails.truncate(IMAGES);
    };
    match way {
        StepWay::Forward => steps.iter().for_each(&mut follow),
        StepWay::Backward => steps.iter().rev().for_each(&mut follow),
    }
    trails
}

/// Every key of a list that steps name, seen from before all of them (backward) or after (forward).
pub(crate) fn list_keys(steps: &[DirectedStep], side: StepWay) -> Vec<ListKey> {
    let mut found: Vec<ListKey> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let outside = |near: StepWay, steps: &[DirectedStep]| {
            // Of a step in the middle the key has to be carried over the steps between it and that
            // side.
            let keys = step.step.list_keys(step.way.through(near)).into_iter();
            keys.filter_map(|key| carried(steps, side, key))
                .collect::<Vec<_>>()
        };
        let keys = match side {
            StepWay::Backward => outside(StepWay::Backward, steps.get(..at).unwrap_or_default()),
            StepWay::Forward => outside(StepWay::Forward, steps.get(at + 1..).unwrap_or_default()),
        };
        found.extend(
            keys.into_iter()
                .filter(|key| !found.contains(key))
                .collect::<Vec<_>>(),
        );
    }
    found
}

/// A list and its key, after steps.
pub(crate) fn carried(steps: &[DirectedStep], way: StepWay, key: ListKey) -> Option<ListKey> {
    let mut trail = key.list;
    trail.push(PathToken::Every);
    trail.push(PathToken::Key(key.key));
    let mut trail = trace_all(steps, way, trail)?;
    match (trail.pop(), trail.pop()) {
        (Some(PathToken::Key(key)), Some(PathToken::Every)) => Some(ListKey { list: trail, key }),
        _ => None,
    }
}

/// The fields that mirror each other after all steps.
pub(crate) fn mirrors(steps: &[DirectedStep]) -> Vec<MirroredFields> {
    let mut found = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let after = steps.get(at + 1..).unwrap_or_default();
        let of_step = step.step.mirrors().into_iter();
        found.extend(of_step.filter_map(|mirror| mirror.carried(after, StepWay::Forward)));
    }
    found
}

impl MirroredFields {
    /// The same after further steps, if both fields are there.
    pub(crate) fn carried(self, steps: &[DirectedStep], way: StepWay) -> Option<Self> {
        let from = trace_all(steps, way, self.from)?;
        let to = trace_all(steps, way, self.to)?;
        (from != to).then_some(Self { from, to })
    }
}
