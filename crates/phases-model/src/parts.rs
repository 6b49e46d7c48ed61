//! A run in parts: each has a record with its claim and its checkpoint, and a batch is written
//! together with the checkpoint that follows it, on condition that the claim is as its worker wrote
//! it last.
//!
//! Claims are not counted, as epochs are not: a batch in flight is either of the last claim of its
//! part or of a passed one. Any server may take a part over at any time: a worker that is only slow
//! looks like one that is gone.

use crate::action::Action;
use crate::fault::Fault;
use crate::protocol::Protocol;
use crate::state::{Batch, Job, Part, Pending, State};
use coeval_core::phases::Work;

impl Protocol {
    /// The resources of a part, in the order of their ids.
    fn resources(&self, part: usize) -> impl Iterator<Item = usize> {
        let all = self.bounds.old + self.bounds.alone;
        (part..all).step_by(self.bounds.parts.max(1))
    }

    /// The run that a server should work on, if it has parts.
    fn run(&self, state: &State, server: usize) -> Option<Work> {
        let due = self.due(state, state.servers[server].phase);
        due.filter(|due| matches!(due, Work::Backfill | Work::CopyBack))
    }

    /// A part as far as this run has come.
    fn kept(state: &State, work: Work, part: usize) -> Part {
        let begins = Part {
            work,
            after: 0,
            done: false,
        };
        let kept = state.parts[part].filter(|kept| kept.work == work);
        kept.unwrap_or(begins)
    }

    pub(crate) fn all_parts_done(&self, state: &State, work: Work) -> bool {
        let mut done = (0..state.parts.len()).map(|part| Self::kept(state, work, part).done);
        if self.has(Fault::OnePart) {
            return done.any(|done| done);
        }
        done.all(|done| done)
    }

    pub(crate) fn takes(&self, state: &State, actions: &mut Vec<Action>) {
        if state.parts.is_empty() {
            return;
        }
        for (at, server) in state.servers.iter().enumerate() {
            let Some(work) = self.run(state, at) else {
                continue;
            };
            let idle = server.held.is_none() && server.pending.is_none();
            if idle && self.serves(state, server) {
                let open =
                    (0..state.parts.len()).filter(|part| !Self::kept(state, work, *part).done);
                actions.extend(open.map(|part| Action::Take(at, part)));
            }
        }
    }

    /// A claim looks at the epoch and at the part alone, so nothing can come between.
    pub(crate) fn take(&self, state: &State, server: usize, part: usize) -> Option<State> {
        let work = self.run(state, server)?;
        let mut after = state.clone();
        after.parts[part] = Some(Self::kept(state, work, part));
        for other in &mut after.servers {
            other.held = other.held.filter(|held| *held != part);
        }
        let in_flight = after.in_flight().flatten();
        for batch in in_flight.filter_map(|one| one.batch.as_mut()) {
            batch.passed |= batch.part == part;
        }
        after.servers[server].held = Some(part);
        Some(after)
    }

    /// Whether a resource is the next that a server visits.
    pub(crate) fn is_next(&self, state: &State, server: usize, object: usize) -> bool {
        let idle = state.servers[server].pending.is_none();
        let next = self.batch(state, server);
        let next = next.and_then(|batch| self.resources(batch.part).nth(batch.after));
        idle && next == Some(object)
    }

    /// The checkpoint that follows the next batch of a server.
    pub(crate) fn batch(&self, state: &State, server: usize) -> Option<Batch> {
        let part = state.servers[server].held?;
        let after = state.parts[part]?.after;
        Some(Batch {
            part,
            after,
            passed: false,
        })
    }

    /// Whether the store takes a batch.
    pub(crate) fn is_claimed(&self, pending: &Pending) -> bool {
        let passed = pending.batch.is_some_and(|batch| batch.passed);
        !passed || self.has(Fault::NoClaimCondition)
    }

    /// Writes the checkpoint of a batch.
    pub(crate) fn check_point(&self, state: &mut State, pending: &Pending) {
        let (Some(batch), Job::Work(work)) = (pending.batch, pending.job) else {
            return;
        };
        let after = batch.after + 1;
        let before = Self::kept(state, work, batch.part);
        state.ghosts.endless |= after <= before.after;
        state.parts[batch.part] = Some(Part {
            work,
            after,
            done: after == self.resources(batch.part).count(),
        });
    }
}

/// A worker that is done with its part, or has lost it, looks for another one.
pub(crate) fn let_go(state: &mut State, server: usize, pending: &Pending) {
    let Some(batch) = pending.batch else {
        return;
    };
    let done = state.parts[batch.part].is_none_or(|part| part.done);
    if (batch.passed || done) && state.servers[server].held == Some(batch.part) {
        state.servers[server].held = None;
    }
}
