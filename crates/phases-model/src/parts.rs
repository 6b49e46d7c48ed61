//! A run in parts: each has a record with its claim and its checkpoint, and a batch is written
//! together with the checkpoint that follows it, on condition that the claim is as its worker wrote
//! it last.
//!
//! Claims are not counted, as epochs are not: a batch in flight is either of the last claim of its
//! part or of a passed one. Any server may take a part over at any time: a worker that is only slow
//! looks like one that is gone.

use crate::action::ModelAction;
use crate::fault::SeededFault;
use crate::protocol::Protocol;
use crate::state::{CheckpointBatch, ModelState, PendingCommit, ServerJob, WorkPart};
use coeval_core::phases::BackgroundWork;

impl Protocol {
    /// The resources of a part, in the order of their ids.
    fn resources(&self, part: usize) -> impl Iterator<Item = usize> {
        let all = self.bounds.old + self.bounds.alone;
        (part..all).step_by(self.bounds.parts.max(1))
    }

    /// The run that a server should work on, if it has parts.
    fn run(&self, state: &ModelState, server: usize) -> Option<BackgroundWork> {
        let due = self.due(state, state.servers[server].phase);
        due.filter(|due| matches!(due, BackgroundWork::Backfill | BackgroundWork::CopyBack))
    }

    /// A part as far as this run has come.
    fn kept(state: &ModelState, work: BackgroundWork, part: usize) -> WorkPart {
        let begins = WorkPart {
            work,
            after: 0,
            done: false,
        };
        let kept = state.parts[part].filter(|kept| kept.work == work);
        kept.unwrap_or(begins)
    }

    pub(crate) fn all_parts_done(&self, state: &ModelState, work: BackgroundWork) -> bool {
        let mut done = (0..state.parts.len()).map(|part| Self::kept(state, work, part).done);
        if self.has(SeededFault::OnePart) {
            return done.any(|done| done);
        }
        done.all(|done| done)
    }

    pub(crate) fn takes(&self, state: &ModelState, actions: &mut Vec<ModelAction>) {
        if state.parts.is_empty() {
            return;
        }
        for (at, server) in state.servers.iter().enumerate() {
            let Some(work) = self.run(state, at) else {
                continue;
            };
            // One part and one write at a time for each server, as workers have it.
            let idle = server.held.is_none() && server.pending.is_none();
            if idle && self.serves(state, server) {
                let open =
                    // A part that is done is not claimed again.
                    (0..state.parts.len()).filter(|part| !Self::kept(state, work, *part).done);
                actions.extend(open.map(|part| ModelAction::Take(at, part)));
            }
        }
    }

    /// A claim looks at the epoch and at the part alone, so nothing can come between.
    pub(crate) fn take(
        &self,
        state: &ModelState,
        server: usize,
        part: usize,
    ) -> Option<ModelState> {
        let work = self.run(state, server)?;
        let mut after = state.clone();
        after.parts[part] = Some(Self::kept(state, work, part));
        // Another server may have held it and not know yet that it has lost the part.
        for other in &mut after.servers {
            other.held = other.held.filter(|held| *held != part);
        }
        let in_flight = after.in_flight().flatten();
        for batch in in_flight.filter_map(|one| one.batch.as_mut()) {
            // Batches of the passed claim are refused when they arrive.
            batch.passed |= batch.part == part;
        }
        after.servers[server].held = Some(part);
        Some(after)
    }

    /// Whether a resource is the next that a server visits.
    pub(crate) fn is_next(&self, state: &ModelState, server: usize, object: usize) -> bool {
        let idle = state.servers[server].pending.is_none();
        let next = self.batch(state, server);
        let next = next.and_then(|batch| self.resources(batch.part).nth(batch.after));
        idle && next == Some(object)
    }

    /// The checkpoint that follows the next batch of a server.
    pub(crate) fn batch(&self, state: &ModelState, server: usize) -> Option<CheckpointBatch> {
        let part = state.servers[server].held?;
        let after = state.parts[part]?.after;
        Some(CheckpointBatch {
            part,
            after,
            passed: false,
        })
    }

    /// Whether the store takes a batch.
    pub(crate) fn is_claimed(&self, pending: &PendingCommit) -> bool {
        let passed = pending.batch.is_some_and(|batch| batch.passed);
        !passed || self.has(SeededFault::NoClaimCondition)
    }

    /// Writes the checkpoint of a batch.
    pub(crate) fn check_point(&self, state: &mut ModelState, pending: &PendingCommit) {
        let (Some(batch), ServerJob::Work(work)) = (pending.batch, pending.job) else {
            return;
        };
        let after = batch.after + 1;
        let before = Self::kept(state, work, batch.part);
        // A checkpoint that does not move on would be a run that never ends.
        state.ghosts.endless |= after <= before.after;
        state.parts[batch.part] = Some(WorkPart {
            work,
            after,
            done: after == self.resources(batch.part).count(),
        });
    }
}

/// A worker that is done with its part, or has lost it, looks for another one.
pub(crate) fn let_go(state: &mut ModelState, server: usize, pending: &PendingCommit) {
    let Some(batch) = pending.batch else {
        return;
    };
    let done = state.parts[batch.part].is_none_or(|part| part.done);
    if (batch.passed || done) && state.servers[server].held == Some(batch.part) {
        state.servers[server].held = None;
    }
}
