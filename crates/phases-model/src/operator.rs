//! What the operator does: moves of the phase record, claims of runs, the end of the migration.
//!
//! A move that looks at the record alone is one step: it is written on condition that the record is
//! as read. One that looks at more is a snapshot and a commit, and something may come between.

use crate::action::Action;
use crate::protocol::{Fault, Protocol};
use crate::state::{Gated, NOW, State};
use coeval_core::phases::{
    Acknowledged, Entry, Facts, PhaseRecord, Who, Work, back, claim, finish, forward, work,
};

impl Protocol {
    pub(crate) fn moves(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend([Action::Forward, Action::Back]);
        if !self.simple {
            actions.push(Action::Finish);
        }
        if state.operator.is_some() {
            actions.push(Action::Decide);
        }
        for server in &state.servers {
            let due = work(&self.table, &state.record(), server.phase);
            let claim = due.filter(|due| self.is_visited(state, *due));
            if let Some(claim) = claim.map(Action::Claim)
                && self.serves(state, server)
                && !actions.contains(&claim)
            {
                actions.push(claim);
            }
        }
    }

    /// Whether a run thinks that it was everywhere.
    fn is_visited(&self, state: &State, work: Work) -> bool {
        let forgets = match work {
            Work::Backfill => self.has(Fault::EmptyBackfill),
            Work::CopyBack => self.has(Fault::EmptyCopyBack),
            Work::CleanUp | Work::Discard => return false,
        };
        forgets || (0..state.objects.len()).all(|object| state.is_visited(object))
    }

    pub(crate) fn forward(&self, state: &State) -> Option<State> {
        let next = self.table.row(state.live.high).next;
        let enters = next.filter(|_| state.live.low == state.live.high);
        let entry = enters.map(|next| self.table.row(next).entry);
        if entry == Some(Entry::ForwardDone) {
            return self.gated(state, Gated::Forward);
        }
        self.decided(state, Gated::Forward, state.failed(), 0)
    }

    pub(crate) fn back(&self, state: &State) -> Option<State> {
        let servers = acknowledged(state);
        let facts = self.facts(&servers, state.failed(), 0);
        let record = state.record();
        let next = back(&self.table, &record, &facts).ok()?;
        // Turning servers round is no move: they go wherever they may.
        (next.epoch != record.epoch).then(|| self.moved(state, &next, true))
    }

    /// A move that looks at more than the record. Only one that would succeed is worth a commit.
    pub(crate) fn gated(&self, state: &State, gated: Gated) -> Option<State> {
        let decided = self.decided(state, gated, state.failed(), state.left())?;
        if self.at_once {
            return Some(decided);
        }
        let operator = Some(gated);
        state.operator.is_none().then(|| State {
            operator,
            ..state.clone()
        })
    }

    /// The commit: none was failed and none left in the snapshot.
    pub(crate) fn decide(&self, state: &State) -> Option<State> {
        self.decided(state, state.operator?, 0, 0)
    }

    fn decided(&self, state: &State, gated: Gated, failed: u64, left: u64) -> Option<State> {
        let servers = acknowledged(state);
        let facts = self.facts(&servers, failed, left);
        let record = state.record();
        match gated {
            Gated::Forward => {
                let next = forward(&self.table, &record, &facts).ok()?;
                Some(self.moved(state, &next, false))
            }
            Gated::Finish => {
                let next = finish(&self.table, &record, &facts).ok()?;
                Some(self.moved(state, &next, false))
            }
            Gated::Claim(work) => {
                let next = claim(&record, work, NOW, failed).ok()?;
                let visited = 0;
                Some(State {
                    visited,
                    ..state.with_record(&next)
                })
            }
        }
    }

    /// Another epoch: what is in flight belongs to a passed one.
    fn moved(&self, state: &State, next: &PhaseRecord, backwards: bool) -> State {
        let mut after = state.with_record(next);
        if state.live.low == state.live.high {
            after.ghosts.backwards = backwards;
        }
        if !self.has(Fault::OldCheckpoint) {
            after.visited = 0;
        }
        for server in &mut after.servers {
            if let Some(pending) = &mut server.pending {
                pending.current = false;
            }
        }
        after
    }

    pub(crate) fn facts<'a>(
        &self,
        servers: &'a [Acknowledged],
        failed: u64,
        left: u64,
    ) -> Facts<'a> {
        Facts {
            who: Who::Operator,
            servers,
            fence_rest: !self.simple,
            failed,
            left,
            meaning_changed: false,
        }
    }
}

fn acknowledged(state: &State) -> Vec<Acknowledged> {
    let servers = state.servers.iter().map(|server| Acknowledged {
        server: String::new(),
        phase: server.phase,
    });
    servers.collect()
}
