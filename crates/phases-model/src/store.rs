//! What becomes of a plan: the store's conditions, both keys, the list of failed, and the answer.

use crate::fault::SeededFault;
use crate::object::{ModelBelongings, ModelObject, RecordCell};
use crate::protocol::Protocol;
use crate::state::{GatedMove, ModelState, NOW, PASSED, PendingCommit, ServerJob};
use coeval_core::phases::{
    BackgroundWork, FailedListChange, KeyStep, Phase, PhaseWrite, RecordHome, is_due,
};

type FoundCells = (Option<RecordCell>, Option<(RecordCell, RecordHome)>);

impl Protocol {
    /// Commits what was planned, or refuses it.
    pub(crate) fn commit(&self, state: &mut ModelState, pending: PendingCommit) {
        // All conditions of the atomic write are looked at before anything changes.
        let epoch = if pending.current { NOW } else { PASSED };
        let fenced = state.record().fence(epoch).is_err();
        let before = state.objects[pending.object];
        let found = self.is_as_found(pending.found, (before.old, before.new));
        let claimed = self.is_claimed(&pending);
        // Refused: the server has to plan anew.
        if (fenced && !self.has(SeededFault::NoFence)) || !found || !claimed {
            return;
        }
        // A write of a passed epoch that commits is what the fence is there to prevent.
        state.ghosts.late_write |= !pending.current;
        let due = due(state);
        let ended = state.ended.is_some();
        self.apply(&mut state.objects[pending.object], &pending);
        if ended {
            // Nobody looks at the list.
            state.objects[pending.object].failed = before.failed;
        }
        // The operator's move was decided on a list that has changed, so it is refused.
        if pending.plan.failing == FailedListChange::Listed
            && !before.failed
            && !self.has(SeededFault::NoListCondition)
        {
            state.operator = None;
        }
        let run = matches!(
            pending.job,
            ServerJob::Work(BackgroundWork::Backfill | BackgroundWork::CopyBack)
        );
        if run && pending.current {
            // Without parts, the run remembers by itself whom it has visited.
            if pending.batch.is_none() {
                state.visited |= 1 << pending.object;
            }
            self.check_point(state, &pending);
            if self.has(SeededFault::ClaimAnew)
                && matches!(state.operator, Some(GatedMove::Claim(_)))
            {
                state.operator = None;
            }
        }
        let was_due = is_due(&before.found()) && !before.failed;
        // A repair fixes what the backfill would, so both may only ever make it less.
        let fixes = run || pending.job == ServerJob::Repair;
        let now = self::due(state);
        // From mirror to soak every live phase writes both.
        if state.live.low >= Phase::Mirror && state.live.high <= Phase::Soak {
            state.ghosts.endless |= now > due || (fixes && was_due && now >= due);
        }
    }

    fn is_as_found(&self, found: FoundCells, now: FoundCells) -> bool {
        let without_expiry = |(old, new): FoundCells| {
            let new = new.map(|(cell, home)| (cell.revision, home));
            (old.map(|cell| cell.revision), new)
        };
        let without_flag = |(old, new): FoundCells| (old, new.map(|(cell, _)| cell));
        match self.fault {
            // The simple protocol writes without conditions.
            _ if self.simple => true,
            Some(SeededFault::NoConditions) => true,
            Some(SeededFault::NoExpiryCondition) => without_expiry(found) == without_expiry(now),
            Some(SeededFault::NoFlagCondition) => without_flag(found) == without_flag(now),
            _ => found == now,
        }
    }

    /// Does what a plan says.
    fn apply(&self, object: &mut ModelObject, pending: &PendingCommit) {
        let mut plan = pending.plan;
        let before = *object;
        if self.has(SeededFault::IdleBackfill) && !matches!(pending.job, ServerJob::Write(_)) {
            return;
        }
        // Half of a delete: a fault that atomic writes rule out.
        if self.has(SeededFault::HalfDelete)
            && plan.new == KeyStep::Delete
            && plan.old == KeyStep::Delete
        {
            plan.old = KeyStep::Leave;
        }
        // A copy and a mark are put as they were found; the other steps meet what stands.
        let found = (pending.found.0, pending.found.1.map(|(cell, _)| cell));
        let stamp = pending.stamp;
        let old = match plan.old {
            KeyStep::Copy => stepped(plan.new, found.1, stamp),
            KeyStep::Mark => found.0,
            step => stepped(step, object.old, stamp),
        };
        let new = match plan.new {
            KeyStep::Copy => stepped(plan.old, found.0, stamp),
            KeyStep::Mark => found.1,
            step => stepped(step, object.new.map(|(cell, _)| cell), stamp),
        };
        // A record that stays keeps its home.
        let put = matches!(plan.new, KeyStep::Write | KeyStep::Copy | KeyStep::Mark);
        let home = match object.new {
            Some((_, home)) if !put => home,
            _ => plan.home,
        };
        object.old = old;
        object.new = new.map(|cell| (cell, home));
        object.failed = match plan.failing {
            FailedListChange::Unchanged => object.failed,
            FailedListChange::Listed => true,
            FailedListChange::Cleared => false,
        };
        // Before the answer: the caller must not be told of something that is half there.
        self.belong(&before, object, pending);
        if !pending.answered {
            acknowledge(object, pending);
        }
    }

    /// What expires first is gone, in both ranges and from the list.
    pub(crate) fn lapse(&self, state: &ModelState, object: usize) -> Option<ModelState> {
        let before = state.objects[object];
        let cells = [before.old, before.new.map(|(cell, _)| cell)];
        let cells = cells.into_iter().flatten().map(|cell| cell.expires);
        let own = before.own.as_ref().and_then(ModelBelongings::first);
        let first = cells.filter(|expires| *expires > 0).chain(own).min()?;
        let mut after = state.clone();
        let object = &mut after.objects[object];
        object.old = object.old.filter(|cell| cell.expires != first);
        object.new = object.new.filter(|(cell, _)| cell.expires != first);
        // To the caller an expired resource is one that was deleted.
        let gone = object.acknowledged.filter(|cell| cell.expires == first);
        if gone.is_some() {
            object.acknowledged = None;
            object.failed = false;
        }
        let truth = self.rules(state).row(state.live.low).truth;
        self.sweep(truth, &before, object, first);
        Some(after)
    }
}

fn fresh(stamp: u8) -> RecordCell {
    RecordCell {
        revision: stamp,
        expires: 0,
    }
}

/// One key after its step.
fn stepped(step: KeyStep, cell: Option<RecordCell>, stamp: u8) -> Option<RecordCell> {
    match step {
        KeyStep::Leave | KeyStep::Mark | KeyStep::Copy => cell,
        KeyStep::Write => Some(fresh(stamp)),
        KeyStep::Touch => cell.map(|cell| RecordCell {
            expires: stamp,
            ..cell
        }),
        KeyStep::Delete => None,
    }
}

/// What a caller is told.
fn acknowledge(object: &mut ModelObject, pending: &PendingCommit) {
    let ServerJob::Write(write) = pending.job else {
        return;
    };
    object.acknowledged = match write {
        PhaseWrite::Create(_) | PhaseWrite::Update(_) | PhaseWrite::Move => {
            Some(fresh(pending.stamp))
        }
        PhaseWrite::Delete => None,
        PhaseWrite::KeepAlive => stepped(KeyStep::Touch, object.acknowledged, pending.stamp),
    };
    // A heartbeat leaves the content, and so whether it converts.
    if write != PhaseWrite::KeepAlive {
        object.fit = pending.fit;
        object.unreadable = pending.unreadable;
    }
}

/// Mirrors that a run in the background has still to visit.
fn due(state: &ModelState) -> usize {
    let due = |object: &&ModelObject| is_due(&object.found()) && !object.failed;
    state.objects.iter().filter(due).count()
}
