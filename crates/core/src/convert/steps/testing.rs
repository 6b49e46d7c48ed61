//! How the steps' own tests speak: what a document means in the other version, what is kept, and
//! that the way back is exact, always.

use crate::convert::kept::KeptValues;
use crate::convert::path::{Trail, pattern};
use crate::convert::program::StepProgram;
use crate::convert::program_builder::ProgramBuilder;
use crate::convert::refusal::Carried;
use crate::convert::refusal::ConversionObstacle;
use crate::convert::step::{
    Budget, ConversionClass, DirectedStep, StepLoss, StepWay, apply_all, images_all, list_keys,
    mirrors, trace_all,
};
use crate::convert::tree::NotedValue;
use crate::types::{PathPattern, Schema, same};
use crate::version::Version;
use serde_json::{Value, json};

const OLD: Version = Version::new(1, 0, 0);
const NEW: Version = Version::new(2, 0, 0);

/// Two versions and the steps between them.
pub(crate) struct Pair(Vec<DirectedStep>);

fn made(steps: &Value, schema: Option<&Schema>) -> Result<Vec<DirectedStep>, String> {
    let list = steps.as_array().expect("a list of steps");
    ProgramBuilder::steps(NEW, OLD, schema, list).map_err(|flaw| flaw.reason)
}

/// Why a step can't be made.
pub(crate) fn flaw(step: Value) -> String {
    made(&Value::Array(vec![step]), None).expect_err("a wrong step")
}

/// The step works on `/b`, so a field that becomes `/b` before it and `/c` after it takes every step
/// of the way.
pub(crate) fn is_in_the_way(step: Value) {
    let pair = Pair::of(Value::Array(vec![
        json!({"rename": {"path": "/a", "to": "b"}}),
        step.clone(),
        json!({"rename": {"path": "/b", "to": "c"}}),
    ]));
    assert_eq!(pair.fused(), 3, "{step}");
}

impl Pair {
    pub(crate) fn of(steps: Value) -> Self {
        Self(made(&steps, None).expect("steps"))
    }

    pub(crate) fn with(steps: Value, schema: Value) -> Self {
        let schema = Schema::compile(schema).expect("a schema");
        Self(made(&steps, Some(&schema)).expect("steps"))
    }

    pub(crate) fn flaw_with(steps: Value, schema: Value) -> String {
        let schema = Schema::compile(schema).expect("a schema");
        made(&steps, Some(&schema)).expect_err("wrong steps")
    }

    /// The number of steps that are left when all are fused.
    pub(crate) fn fused(&self) -> usize {
        StepProgram::new(self.0.clone()).steps().len()
    }

    fn go(&self, way: StepWay, mut tree: NotedValue) -> NotedValue {
        let mut fused = tree.clone();
        let mut path = self.0.clone();
        if way == StepWay::Backward {
            path.reverse();
            path.iter_mut()
                .for_each(|step| step.way = step.way.turned());
        }
        apply_all(&self.0, way, &mut tree, &mut Budget::new()).expect("a conversion");
        StepProgram::new(path)
            .apply(&mut fused, &mut Budget::new())
            .expect("the fused conversion");
        tree.margin.tidy();
        fused.margin.tidy();
        assert_eq!(tree, fused, "fused steps do the same");
        tree
    }

    /// To the newer version; the paths that are kept.
    pub(crate) fn there(&self, document: Value) -> (NotedValue, Vec<String>) {
        let tree = self.go(StepWay::Forward, NotedValue::from(document));
        let kept = paths(&tree);
        (tree, kept)
    }

    /// To the newer version, with what is kept.
    pub(crate) fn onward(&self, tree: NotedValue) -> NotedValue {
        self.go(StepWay::Forward, tree)
    }

    /// To the older version.
    pub(crate) fn back(&self, tree: NotedValue) -> NotedValue {
        self.go(StepWay::Backward, tree)
    }

    fn check(&self, way: StepWay, from: Value, to: &Value, kept: &[&str]) {
        let there = self.go(way, NotedValue::from(from.clone()));
        assert!(
            same(&there.value, to),
            "{from} became {} instead of {to}",
            there.value
        );
        assert_eq!(paths(&there), kept, "kept of {from}");
        self.round(way, from);
    }

    fn round(&self, way: StepWay, from: Value) {
        let there = self.go(way, NotedValue::from(from.clone()));
        let json = KeptValues(there.margin.clone()).to_json();
        assert_eq!(
            KeptValues::from_json(&json).map(|kept| kept.0).as_ref(),
            Some(&there.margin)
        );
        let back = self.go(way.turned(), there.clone());
        assert!(
            same(&back.value, &from),
            "{from} came back as {}",
            back.value
        );
        assert!(back.margin.is_bare(), "{from}: {:?} is left", back.margin);
        let again = self.go(way, back);
        assert_eq!(again, there, "{from}, a second time");
    }

    /// An older document becomes a newer one.
    pub(crate) fn forward(&self, old: Value, new: Value, kept: &[&str]) {
        self.check(StepWay::Forward, old, &new, kept);
    }

    /// A newer document becomes an older one.
    pub(crate) fn backward(&self, new: Value, old: Value, kept: &[&str]) {
        self.check(StepWay::Backward, new, &old, kept);
    }

    /// The two are the same document in both versions, and nothing is kept.
    pub(crate) fn means(&self, old: Value, new: Value) {
        self.forward(old.clone(), new.clone(), &[]);
        self.backward(new, old, &[]);
    }

    /// Whatever the document becomes, in whichever direction, it comes back.
    pub(crate) fn exact(&self, document: Value) {
        self.round(StepWay::Forward, document.clone());
        self.round(StepWay::Backward, document);
    }

    /// Where an older place is in the newer version, if anywhere.
    pub(crate) fn leads<'p>(&self, old: &str, new: impl Into<Option<&'p str>>) {
        let new = new.into();
        let there = trace_all(&self.0, StepWay::Forward, trail(old));
        let program = StepProgram::new(self.0.clone());
        let fused = trace_all(program.steps(), StepWay::Forward, trail(old));
        assert_eq!(there, fused, "fused steps lead to the same");
        assert_eq!(there.as_ref().map(text).as_deref(), new, "{old} leads to");
    }

    /// Where a newer place was in the older version, if anywhere.
    pub(crate) fn comes_from<'p>(&self, new: &str, old: impl Into<Option<&'p str>>) {
        let back = trace_all(&self.0, StepWay::Backward, trail(new));
        assert_eq!(
            back.as_ref().map(text).as_deref(),
            old.into(),
            "{new} comes from"
        );
    }

    /// All places of the newer version that what is at an older one can come to.
    pub(crate) fn spreads(&self, old: &str, new: &[&str]) {
        assert_eq!(self.images(StepWay::Forward, old), new, "{old} spreads to");
    }

    /// The same, back.
    pub(crate) fn spreads_back(&self, new: &str, old: &[&str]) {
        assert_eq!(self.images(StepWay::Backward, new), old, "{new} spreads to");
    }

    fn images(&self, way: StepWay, from: &str) -> Vec<String> {
        let images = images_all(&self.0, way, trail(from));
        images.iter().map(text).collect()
    }

    /// What has no place in the newer version, as class, path and reason.
    pub(crate) fn loses(&self, expected: &[(ConversionClass, &str, &str)]) {
        self.losses(StepWay::Forward, expected);
    }

    /// What has no place in the older one.
    pub(crate) fn loses_back(&self, expected: &[(ConversionClass, &str, &str)]) {
        self.losses(StepWay::Backward, expected);
    }

    fn losses(&self, way: StepWay, expected: &[(ConversionClass, &str, &str)]) {
        let losses: Vec<StepLoss> = self.0.iter().flat_map(|step| step.losses(way)).collect();
        if way == StepWay::Forward {
            let program = StepProgram::new(self.0.clone());
            let steps = program.steps().iter();
            let fused: Vec<_> = steps.flat_map(|step| step.losses(way)).collect();
            assert_eq!(losses, fused, "fused steps lose the same");
        }
        assert_eq!(losses.len(), expected.len(), "{losses:?}");
        for (loss, (class, path, what)) in losses.iter().zip(expected) {
            assert_eq!((loss.class, loss.path.as_str()), (*class, *path));
            assert!(loss.what.contains(what), "{loss:?}");
        }
    }

    /// The lists whose items are told apart by a key: before the steps, and after them.
    pub(crate) fn keys(&self, old: &[(&str, &str)], new: &[(&str, &str)]) {
        for (side, expected) in [(StepWay::Backward, old), (StepWay::Forward, new)] {
            let keys = list_keys(&self.0, side).into_iter();
            let keys: Vec<_> = keys.map(|key| (text(&key.list), key.key)).collect();
            let keys: Vec<_> = keys
                .iter()
                .map(|(list, key)| (list.as_str(), key.as_str()))
                .collect();
            assert_eq!(keys, expected, "{side:?}");
        }
    }

    /// The fields that mirror each other in the newer version.
    pub(crate) fn mirrors(&self, expected: &[(&str, &str)]) {
        let found = mirrors(&self.0);
        let found: Vec<_> = found
            .iter()
            .map(|one| (text(&one.from), text(&one.to)))
            .collect();
        let found: Vec<_> = found
            .iter()
            .map(|(from, to)| (from.as_str(), to.as_str()))
            .collect();
        assert_eq!(found, expected);
    }

    /// Whether it has to be tried if what it leads to leads back.
    pub(crate) fn fickle(&self) -> bool {
        StepProgram::new(self.0.clone()).fickle
    }

    fn programmed(&self, way: StepWay, document: Value, run: &mut Budget) -> Carried<NotedValue> {
        let mut path = self.0.clone();
        if way == StepWay::Backward {
            path.reverse();
            path.iter_mut()
                .for_each(|step| step.way = step.way.turned());
        }
        let mut tree = NotedValue::from(document);
        StepProgram::new(path).apply(&mut tree, run).map(|()| tree)
    }

    /// The result would have more levels than content may have.
    pub(crate) fn too_deep(&self, old: Value) {
        let refusal = self.programmed(StepWay::Forward, old, &mut Budget::new());
        let refusal = refusal.expect_err("too many levels");
        assert_eq!(refusal.reason, ConversionObstacle::TooDeep);
    }

    /// The same, back.
    pub(crate) fn too_deep_back(&self, new: Value) {
        let refusal = self.programmed(StepWay::Backward, new, &mut Budget::new());
        let refusal = refusal.expect_err("too many levels");
        assert_eq!(refusal.reason, ConversionObstacle::TooDeep);
    }

    /// Content that has too many levels already is not looked at: the steps don't add any.
    pub(crate) fn never_deeper(&self, document: Value) {
        for way in [StepWay::Forward, StepWay::Backward] {
            let done = self.programmed(way, document.clone(), &mut Budget::new());
            done.expect("a conversion that adds no levels");
        }
    }

    fn refuses(&self, way: StepWay, document: Value, pointer: &str) {
        let mut tree = NotedValue::from(document.clone());
        let refusal = apply_all(&self.0, way, &mut tree, &mut Budget::new());
        let refusal = refusal.expect_err(&format!("a refusal of {document}"));
        assert_eq!(refusal.pointer, pointer, "{refusal}");
    }

    /// Why an older document has no counterpart.
    pub(crate) fn why(&self, old: Value) -> String {
        let mut tree = NotedValue::from(old);
        let refusal = apply_all(&self.0, StepWay::Forward, &mut tree, &mut Budget::new());
        refusal.expect_err("a refusal").to_string()
    }

    pub(crate) fn refuses_forward(&self, old: Value, pointer: &str) {
        self.refuses(StepWay::Forward, old, pointer);
    }

    pub(crate) fn refuses_backward(&self, new: Value, pointer: &str) {
        self.refuses(StepWay::Backward, new, pointer);
    }
}

fn trail(text: &str) -> Trail {
    let pattern = PathPattern::parse(text).expect("a pattern");
    pattern.steps().to_vec()
}

fn text(trail: &Trail) -> String {
    pattern(trail).to_string()
}

/// Objects inside of objects, under the key `a`.
pub(crate) fn in_objects(levels: usize) -> Value {
    (1..levels).fold(json!({}), |inner, _| json!({"a": inner}))
}

/// A value in so many lists.
pub(crate) fn in_lists(levels: usize) -> Value {
    (0..levels).fold(Value::from(1), |inner, _| Value::Array(vec![inner]))
}

fn paths(tree: &NotedValue) -> Vec<String> {
    let kept = KeptValues(tree.margin.clone());
    kept.entries().into_iter().map(|entry| entry.path).collect()
}
