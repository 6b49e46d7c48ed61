//! What becomes of a plan: the store's conditions, both keys, the list of failed, and the answer.

use crate::fault::Fault;
use crate::object::{Belongings, Cell, Object};
use crate::protocol::Protocol;
use crate::state::{Gated, Job, NOW, PASSED, Pending, State};
use coeval_core::phases::{Failing, Home, Phase, Step, Work, Write, is_due};

type Keys = (Option<Cell>, Option<(Cell, Home)>);

impl Protocol {
    /// Commits what was planned, or refuses it.
    pub(crate) fn commit(&self, state: &mut State, pending: Pending) {
        let epoch = if pending.current { NOW } else { PASSED };
        let fenced = state.record().fence(epoch).is_err();
        let before = state.objects[pending.object];
        let found = self.is_as_found(pending.found, (before.old, before.new));
        let claimed = self.is_claimed(&pending);
        if (fenced && !self.has(Fault::NoFence)) || !found || !claimed {
            return;
        }
        state.ghosts.late_write |= !pending.current;
        let due = due(state);
        let ended = state.ended.is_some();
        self.apply(&mut state.objects[pending.object], &pending);
        if ended {
            // Nobody looks at the list.
            state.objects[pending.object].failed = before.failed;
        }
        if pending.plan.failing == Failing::Listed
            && !before.failed
            && !self.has(Fault::NoListCondition)
        {
            state.operator = None;
        }
        let run = matches!(pending.job, Job::Work(Work::Backfill | Work::CopyBack));
        if run && pending.current {
            if pending.batch.is_none() {
                state.visited |= 1 << pending.object;
            }
            self.check_point(state, &pending);
            if self.has(Fault::ClaimAnew) && matches!(state.operator, Some(Gated::Claim(_))) {
                state.operator = None;
            }
        }
        let was_due = is_due(&before.found()) && !before.failed;
        let fixes = run || pending.job == Job::Repair;
        let now = self::due(state);
        // From mirror to soak every live phase writes both.
        if state.live.low >= Phase::Mirror && state.live.high <= Phase::Soak {
            state.ghosts.endless |= now > due || (fixes && was_due && now >= due);
        }
    }

    fn is_as_found(&self, found: Keys, now: Keys) -> bool {
        let without_expiry = |(old, new): Keys| {
            let new = new.map(|(cell, home)| (cell.revision, home));
            (old.map(|cell| cell.revision), new)
        };
        let without_flag = |(old, new): Keys| (old, new.map(|(cell, _)| cell));
        match self.fault {
            _ if self.simple => true,
            Some(Fault::NoConditions) => true,
            Some(Fault::NoExpiryCondition) => without_expiry(found) == without_expiry(now),
            Some(Fault::NoFlagCondition) => without_flag(found) == without_flag(now),
            _ => found == now,
        }
    }

    /// Does what a plan says.
    fn apply(&self, object: &mut Object, pending: &Pending) {
        let mut plan = pending.plan;
        let before = *object;
        if self.has(Fault::IdleBackfill) && !matches!(pending.job, Job::Write(_)) {
            return;
        }
        if self.has(Fault::HalfDelete) && plan.new == Step::Delete && plan.old == Step::Delete {
            plan.old = Step::Leave;
        }
        // A copy and a mark are put as they were found; the other steps meet what stands.
        let found = (pending.found.0, pending.found.1.map(|(cell, _)| cell));
        let stamp = pending.stamp;
        let old = match plan.old {
            Step::Copy => stepped(plan.new, found.1, stamp),
            Step::Mark => found.0,
            step => stepped(step, object.old, stamp),
        };
        let new = match plan.new {
            Step::Copy => stepped(plan.old, found.0, stamp),
            Step::Mark => found.1,
            step => stepped(step, object.new.map(|(cell, _)| cell), stamp),
        };
        let put = matches!(plan.new, Step::Write | Step::Copy | Step::Mark);
        let home = match object.new {
            Some((_, home)) if !put => home,
            _ => plan.home,
        };
        object.old = old;
        object.new = new.map(|cell| (cell, home));
        object.failed = match plan.failing {
            Failing::Unchanged => object.failed,
            Failing::Listed => true,
            Failing::Cleared => false,
        };
        self.belong(&before, object, pending);
        if !pending.answered {
            acknowledge(object, pending);
        }
    }

    /// What expires first is gone, in both ranges and from the list.
    pub(crate) fn lapse(&self, state: &State, object: usize) -> Option<State> {
        let before = state.objects[object];
        let cells = [before.old, before.new.map(|(cell, _)| cell)];
        let cells = cells.into_iter().flatten().map(|cell| cell.expires);
        let own = before.own.as_ref().and_then(Belongings::first);
        let first = cells.filter(|expires| *expires > 0).chain(own).min()?;
        let mut after = state.clone();
        let object = &mut after.objects[object];
        object.old = object.old.filter(|cell| cell.expires != first);
        object.new = object.new.filter(|(cell, _)| cell.expires != first);
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

fn fresh(stamp: u8) -> Cell {
    Cell {
        revision: stamp,
        expires: 0,
    }
}

/// One key after its step.
fn stepped(step: Step, cell: Option<Cell>, stamp: u8) -> Option<Cell> {
    match step {
        Step::Leave | Step::Mark | Step::Copy => cell,
        Step::Write => Some(fresh(stamp)),
        Step::Touch => cell.map(|cell| Cell {
            expires: stamp,
            ..cell
        }),
        Step::Delete => None,
    }
}

/// What a caller is told.
fn acknowledge(object: &mut Object, pending: &Pending) {
    let Job::Write(write) = pending.job else {
        return;
    };
    object.acknowledged = match write {
        Write::Create(_) | Write::Update(_) | Write::Move => Some(fresh(pending.stamp)),
        Write::Delete => None,
        Write::KeepAlive => stepped(Step::Touch, object.acknowledged, pending.stamp),
    };
    if write != Write::KeepAlive {
        object.fit = pending.fit;
        object.unreadable = pending.unreadable;
    }
}

/// Mirrors that a run in the background has still to visit.
fn due(state: &State) -> usize {
    let due = |object: &&Object| is_due(&object.found()) && !object.failed;
    state.objects.iter().filter(due).count()
}
