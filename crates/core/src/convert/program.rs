//! The steps between two versions as one program: steps that undo or continue each other are one,
//! and no version on the way is ever made.

use super::refusal::{ConversionObstacle, ConversionRefusal};
use super::step::{Budget, DirectedStep, StepLoss, StepWay};
use super::tree::NotedValue;
use crate::convert::refusal::Carried;
use crate::types::deeper_than;
use crate::types::limits::CONTENT_DEPTH;

#[derive(Debug)]
pub(crate) struct StepProgram {
    steps: Vec<DirectedStep>,
    /// Whether content can become deeper.
    deepens: bool,
    pub(crate) losses: Vec<StepLoss>,
    /// Whether a document that it leads to may not lead back.
    pub(crate) fickle: bool,
}

impl StepProgram {
    pub(crate) fn new(path: Vec<DirectedStep>) -> Self {
        let deepens = path.iter().any(|step| step.step.deepens());
        // Of the path as it is written: two steps that undo each other lose nothing together, but the
        // author reads about the steps.
        let losses = path.iter().flat_map(|step| step.losses(StepWay::Forward));
        let losses = losses.collect();
        // Kept from before the fusion too: a step that is fused away can no longer be asked.
        let fickle = path.iter().any(|step| step.step.is_fickle());
        Self {
            steps: fused(path),
            deepens,
            losses,
            fickle,
        }
    }

    pub(crate) fn apply(&self, tree: &mut NotedValue, run: &mut Budget) -> Carried<()> {
        // Fused steps have their direction inside, so all are taken forward.
        for step in &self.steps {
            step.apply(StepWay::Forward, tree, run)?;
        }
        // Only if a step can add levels, and once at the end: the check walks the whole document.
        if self.deepens && deeper_than(&tree.value, CONTENT_DEPTH) {
            return Err(ConversionRefusal::whole(ConversionObstacle::TooDeep));
        }
        Ok(())
    }

    #[cfg(test)]
    pub(crate) fn steps(&self) -> &[DirectedStep] {
        &self.steps
    }
}

/// The same steps, as few as possible.
pub(crate) fn fused(path: Vec<DirectedStep>) -> Vec<DirectedStep> {
    let mut steps: Vec<DirectedStep> = Vec::new();
    for step in path {
        add(&mut steps, step);
    }
    steps
}

/// Adds a step, fused with an earlier one if nothing between the two touches its fields.
fn add(steps: &mut Vec<DirectedStep>, next: DirectedStep) {
    // Backwards past steps that have nothing to do with its fields, as if they were swapped.
    for earlier in steps.iter_mut().rev() {
        // Asked of the earlier one, since it knows what it is the inverse of.
        let fused = earlier.step.fuse(earlier.way, &*next.step, next.way);
        if let Some(step) = fused {
            let way = StepWay::Forward;
            *earlier = DirectedStep { step, way };
            return;
        }
        let paths = next.step.paths();
        // To move past a step that touches its fields would change what either of them sees.
        if paths.iter().any(|path| earlier.step.touches(path)) {
            break;
        }
    }
    steps.push(next);
}
