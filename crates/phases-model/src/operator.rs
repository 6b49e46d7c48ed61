//! What the operator does: moves of the phase record, claims of runs, the ends of the migration.
//!
//! A move that looks at the record alone is one step: it is written on condition that the record is
//! as read. One that looks at more is a snapshot and a commit, and something may come between. A
//! move that got no answer is the same: it arrives while the record is as read, or is refused.

use crate::action::Action;
use crate::fault::Fault;
use crate::protocol::Protocol;
use crate::state::{End, FROM, Gated, NOW, PASSED, State, TO};
use coeval_core::phases::{
    Acknowledged, Entry, Facts, Heading, Live, Phase, PhaseRecord, Refusal, Who, Work, abandon,
    back, begin, claim, finish, forward, work,
};

impl Protocol {
    pub(crate) fn moves(&self, state: &State, actions: &mut Vec<Action>) {
        if state.ended == Some(End::Abandoned) {
            actions.push(Action::Begin);
            return;
        }
        actions.extend([Action::Forward, Action::Back]);
        if state.operator.is_some() {
            actions.push(Action::Decide);
        }
        if self.simple {
            return self.claims(state, actions);
        }
        if state.live.low == state.live.high {
            actions.extend([Action::Finish, Action::Abandon]);
        } else {
            actions.extend([Heading::Forward, Heading::Back].map(Action::Turn));
        }
        let first = actions.len();
        self.claims(state, actions);
        if self.unanswered && self.at_once {
            let claims = actions[first..].iter().filter_map(|action| match action {
                Action::Claim(work) => Some(Gated::Claim(*work)),
                _ => None,
            });
            let lost = claims.chain([Gated::Forward, Gated::Finish, Gated::Abandon]);
            let lost: Vec<_> = lost.map(Action::LoseMove).collect();
            actions.extend(lost);
        }
    }

    fn claims(&self, state: &State, actions: &mut Vec<Action>) {
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
        if self.bounds.parts > 0 {
            return forgets || self.all_parts_done(state, work);
        }
        forgets || (0..state.objects.len()).all(|object| state.is_visited(object))
    }

    /// What a server should do in the background. At the first phase that is up to the operator:
    /// mirrors are removed if the migration is to end there.
    pub(crate) fn due(&self, state: &State, phase: Phase) -> Option<Work> {
        let record = state.record();
        let ends = || {
            let facts = self.facts(&[], 0, state.mirrors());
            let held = abandon(&self.table, &record, &facts);
            matches!(held, Err(Refusal::MirrorsLeft { .. })).then_some(Work::Discard)
        };
        work(&self.table, &record, phase).or_else(ends)
    }

    pub(crate) fn forward(&self, state: &State) -> Option<State> {
        let next = self.table.row(state.live.high).next;
        let enters = next.filter(|_| state.live.low == state.live.high);
        let entry = enters.map(|next| self.table.row(next).entry);
        if entry == Some(Entry::ForwardDone) {
            return self.gated(state, Gated::Forward);
        }
        self.asked(state, Heading::Forward, !self.simple)
    }

    /// A half step in a direction, or servers are turned round.
    pub(crate) fn asked(&self, state: &State, heading: Heading, fence: bool) -> Option<State> {
        let record = state.record();
        let servers = self.acknowledged(state);
        let facts = Facts {
            fence_rest: fence,
            ..self.facts(&servers, state.failed(), 0)
        };
        let next = self.half_step(&record, heading, &facts).ok()?;
        if next.epoch == record.epoch {
            return Some(state.with_record(&next));
        }
        let mut after = self.moved(state, &next, heading == Heading::Back);
        let closes_old = state.live.low == Phase::Old && after.live.low != Phase::Old;
        after.ghosts.silenced |= closes_old && !fence && self.bounds.behind > 0;
        Some(after)
    }

    /// What the rules say to it.
    pub(crate) fn half_step(
        &self,
        record: &PhaseRecord,
        heading: Heading,
        facts: &Facts<'_>,
    ) -> Result<PhaseRecord, Refusal> {
        let next = match heading {
            Heading::Forward => forward(&self.table, record, facts)?,
            Heading::Back => back(&self.table, record, facts)?,
        };
        let turned = next.epoch == record.epoch;
        if turned && heading == Heading::Back && self.has(Fault::NoTurn) {
            return Ok(record.clone());
        }
        Ok(next)
    }

    /// Another migration, after one that ended where it began.
    pub(crate) fn begin(&self, state: &State) -> Option<State> {
        let next = begin(&state.record(), FROM, TO).ok()?;
        Some(self.moved(state, &next, false))
    }

    /// A move that looks at more than the record. Only one that would succeed is worth a commit.
    pub(crate) fn gated(&self, state: &State, gated: Gated) -> Option<State> {
        let decided = self.judged(state, gated)?;
        if self.at_once {
            return Some(decided);
        }
        self.planned(state, gated)
    }

    /// It is sent, and may be committed at any time from now.
    pub(crate) fn planned(&self, state: &State, gated: Gated) -> Option<State> {
        self.judged(state, gated)?;
        let operator = Some(gated);
        state.operator.is_none().then(|| State {
            operator,
            ..state.clone()
        })
    }

    fn judged(&self, state: &State, gated: Gated) -> Option<State> {
        let left = match gated {
            Gated::Abandon if self.has(Fault::UncountedMirrors) => 0,
            Gated::Abandon => state.mirrors(),
            _ => state.left(),
        };
        self.decided(state, gated, state.failed(), left)
    }

    /// The commit: none was failed and none left in the snapshot.
    pub(crate) fn decide(&self, state: &State) -> Option<State> {
        self.decided(state, state.operator?, 0, 0)
    }

    fn decided(&self, state: &State, gated: Gated, failed: u64, left: u64) -> Option<State> {
        let servers = self.acknowledged(state);
        let facts = self.facts(&servers, failed, left);
        let (table, record) = (&self.table, state.record());
        let next = match gated {
            Gated::Forward => forward(table, &record, &facts),
            Gated::Finish => finish(table, &record, &facts),
            Gated::Abandon => abandon(table, &record, &facts),
            Gated::Claim(work) => {
                let next = claim(&record, work, NOW, failed).ok()?;
                let mut after = state.with_record(&next);
                after.visited = 0;
                after.parts.fill(None);
                return Some(after);
            }
        };
        Some(self.moved(state, &next.ok()?, false))
    }

    /// Another epoch: what is in flight belongs to a passed one, and so does the run.
    fn moved(&self, state: &State, next: &PhaseRecord, backwards: bool) -> State {
        let mut after = state.with_record(next);
        if state.live.low == state.live.high {
            after.ghosts.backwards = backwards;
        }
        if !self.has(Fault::OldCheckpoint) {
            after.visited = 0;
        }
        if !self.has(Fault::OldParts) {
            after.parts.fill(None);
        }
        if self.has(Fault::ClaimAnew) && matches!(state.operator, Some(Gated::Claim(_))) {
            after.operator = state.operator;
        }
        for server in &mut after.servers {
            server.held = None;
        }
        // What is refused for its epoch now is refused for ever: it need not stay in flight.
        let refused = after.record().fence(PASSED).is_err() && !self.has(Fault::NoFence);
        for slot in after.in_flight() {
            *slot = slot.filter(|_| !refused);
            if let Some(pending) = slot {
                pending.current = false;
            }
        }
        if after.ended.is_some() {
            self.end(&mut after);
        }
        after
    }

    /// Without a migration there are no phases, and no list of what failed in it.
    fn end(&self, state: &mut State) {
        state.live = Live::one(Phase::Old);
        state.heading = Heading::Forward;
        (state.forward_done, state.back_done) = (false, true);
        for server in &mut state.servers {
            server.phase = Phase::Old;
        }
        for object in &mut state.objects {
            object.failed &= self.has(Fault::OutlivingList);
        }
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

    /// Where servers are. Those that can't load the new major are nowhere.
    pub(crate) fn acknowledged(&self, state: &State) -> Vec<Acknowledged> {
        let servers = state.servers.iter().enumerate();
        let servers = servers.map(|(at, server)| Acknowledged {
            server: String::new(),
            phase: if self.knows_new_major(at) {
                Some(server.phase)
            } else if self.has(Fault::ReaderAcknowledges) {
                Some(state.live.high)
            } else {
                None
            },
        });
        servers.collect()
    }
}
