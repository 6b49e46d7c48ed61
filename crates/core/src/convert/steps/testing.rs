//! How the steps' own tests speak: what a document means in the other version, what is kept, and
//! that the way back is exact, always.

use crate::convert::kept::Kept;
use crate::convert::making::Making;
use crate::convert::program::Program;
use crate::convert::step::{Directed, Run, Way, apply_all};
use crate::convert::tree::Tree;
use crate::types::{Schema, same};
use crate::version::Version;
use serde_json::Value;

const OLD: Version = Version::new(1, 0, 0);
const NEW: Version = Version::new(2, 0, 0);

/// Two versions and the steps between them.
pub(crate) struct Pair(Vec<Directed>);

fn made(steps: &Value, schema: Option<&Schema>) -> Result<Vec<Directed>, String> {
    let list = steps.as_array().expect("a list of steps");
    Making::steps(NEW, OLD, schema, list).map_err(|flaw| flaw.reason)
}

/// Why a step can't be made.
pub(crate) fn flaw(step: Value) -> String {
    made(&Value::Array(vec![step]), None).expect_err("a wrong step")
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
        Program::new(self.0.clone()).len()
    }

    fn go(&self, way: Way, mut tree: Tree) -> Tree {
        let mut fused = tree.clone();
        let mut path = self.0.clone();
        if way == Way::Backward {
            path.reverse();
            path.iter_mut()
                .for_each(|step| step.way = step.way.turned());
        }
        apply_all(&self.0, way, &mut tree, &mut Run::new()).expect("a conversion");
        Program::new(path)
            .apply(&mut fused, &mut Run::new())
            .expect("the fused conversion");
        tree.margin.tidy();
        fused.margin.tidy();
        assert_eq!(tree, fused, "fused steps do the same");
        tree
    }

    /// To the newer version; the paths that are kept.
    pub(crate) fn there(&self, document: Value) -> (Tree, Vec<String>) {
        let tree = self.go(Way::Forward, Tree::from(document));
        let kept = paths(&tree);
        (tree, kept)
    }

    /// To the older version.
    pub(crate) fn back(&self, tree: Tree) -> Tree {
        self.go(Way::Backward, tree)
    }

    fn check(&self, way: Way, from: Value, to: &Value, kept: &[&str]) {
        let there = self.go(way, Tree::from(from.clone()));
        assert!(
            same(&there.value, to),
            "{from} became {} instead of {to}",
            there.value
        );
        assert_eq!(paths(&there), kept, "kept of {from}");
        self.round(way, from);
    }

    fn round(&self, way: Way, from: Value) {
        let there = self.go(way, Tree::from(from.clone()));
        let json = Kept(there.margin.clone()).to_json();
        assert_eq!(
            Kept::from_json(&json).map(|kept| kept.0).as_ref(),
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
        self.check(Way::Forward, old, &new, kept);
    }

    /// A newer document becomes an older one.
    pub(crate) fn backward(&self, new: Value, old: Value, kept: &[&str]) {
        self.check(Way::Backward, new, &old, kept);
    }

    /// The two are the same document in both versions, and nothing is kept.
    pub(crate) fn means(&self, old: Value, new: Value) {
        self.forward(old.clone(), new.clone(), &[]);
        self.backward(new, old, &[]);
    }

    /// Whatever the document becomes, in whichever direction, it comes back.
    pub(crate) fn exact(&self, document: Value) {
        self.round(Way::Forward, document.clone());
        self.round(Way::Backward, document);
    }

    fn refuses(&self, way: Way, document: Value, pointer: &str) {
        let mut tree = Tree::from(document.clone());
        let refusal = apply_all(&self.0, way, &mut tree, &mut Run::new());
        let refusal = refusal.expect_err(&format!("a refusal of {document}"));
        assert_eq!(refusal.pointer, pointer, "{refusal}");
    }

    pub(crate) fn refuses_forward(&self, old: Value, pointer: &str) {
        self.refuses(Way::Forward, old, pointer);
    }

    pub(crate) fn refuses_backward(&self, new: Value, pointer: &str) {
        self.refuses(Way::Backward, new, pointer);
    }
}

fn paths(tree: &Tree) -> Vec<String> {
    let kept = Kept(tree.margin.clone());
    kept.entries().into_iter().map(|entry| entry.path).collect()
}
