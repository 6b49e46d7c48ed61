//! The steps between two versions as one program: steps that undo or continue each other are one,
//! and no version on the way is ever made.

use super::refusal::{Reason, Refusal};
use super::step::{Directed, Loss, Run, Way};
use super::tree::Tree;
use crate::types::deeper_than;
use crate::types::limits::CONTENT_DEPTH;

#[derive(Debug)]
pub(crate) struct Program {
    steps: Vec<Directed>,
    /// Whether content can become deeper.
    deepens: bool,
    pub(crate) losses: Vec<Loss>,
    /// Whether a document that it leads to may not lead back.
    pub(crate) fickle: bool,
}

impl Program {
    pub(crate) fn new(path: Vec<Directed>) -> Self {
        let deepens = path.iter().any(|step| step.step.deepens());
        // Of the path as it is written: two steps that undo each other lose nothing together, but the
        // author reads about the steps.
        let losses = path.iter().flat_map(|step| step.losses(Way::Forward));
        let losses = losses.collect();
        let fickle = path.iter().any(|step| step.step.is_fickle());
        Self {
            steps: fused(path),
            deepens,
            losses,
            fickle,
        }
    }

    pub(crate) fn apply(&self, tree: &mut Tree, run: &mut Run) -> Result<(), Refusal> {
        for step in &self.steps {
            step.apply(Way::Forward, tree, run)?;
        }
        // Only if a step can add levels, and once at the end: the check walks the whole document.
        if self.deepens && deeper_than(&tree.value, CONTENT_DEPTH) {
            return Err(Refusal::whole(Reason::TooDeep));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn steps(&self) -> &[Directed] {
        &self.steps
    }
}

/// The same steps, as few as possible.
pub(crate) fn fused(path: Vec<Directed>) -> Vec<Directed> {
    let mut steps: Vec<Directed> = Vec::new();
    for step in path {
        add(&mut steps, step);
    }
    steps
}

/// Adds a step, fused with an earlier one if nothing between the two touches its fields.
fn add(steps: &mut Vec<Directed>, next: Directed) {
    // Backwards past steps that have nothing to do with its fields, as if they were swapped.
    for earlier in steps.iter_mut().rev() {
        let fused = earlier.step.fuse(earlier.way, &*next.step, next.way);
        if let Some(step) = fused {
            let way = Way::Forward;
            *earlier = Directed { step, way };
            return;
        }
        let paths = next.step.paths();
        if paths.iter().any(|path| earlier.step.touches(path)) {
            break;
        }
    }
    steps.push(next);
}
