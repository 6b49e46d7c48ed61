//! What the operator does: moves of the phase record, claims of runs, the ends of the migration.
//!
//! A move that looks at the record alone is one step: it is written on condition that the record is
//! as read. One that looks at more is a snapshot and a commit, and something may come between. A
//! move that got no answer is the same: it arrives while the record is as read, or is refused.

use crate::action::ModelAction;
use crate::fault::SeededFault;
use crate::protocol::Protocol;
use crate::state::{FROM, GatedMove, MigrationEnd, ModelState, NOW, PASSED, TO};
use coeval_core::phases::{
    BackgroundWork, EntryGate, LivePhases, MoveFacts, MoveInitiator, Phase, PhaseAcknowledgement,
    PhaseDirection, PhaseRecord, PhaseRefusal, abandon, back, begin, claim, finish, forward, work,
};

impl Protocol {
    pub(crate) fn moves(&self, state: &ModelState, actions: &mut Vec<ModelAction>) {
        // Abandoned, it can be begun again; nothing else happens then.
        if state.ended == Some(MigrationEnd::Abandoned) {
            actions.push(ModelAction::Begin);
            return;
        }
        actions.extend([ModelAction::Forward, ModelAction::Back]);
        if state.operator.is_some() {
            actions.push(ModelAction::Decide);
        }
        if self.simple {
            return self.claims(state, actions);
        }
        // The ends of a migration are only at its ends; between two phases there are half steps.
        if state.live.low == state.live.high {
            actions.extend([ModelAction::Finish, ModelAction::Abandon]);
        } else {
            actions.extend([PhaseDirection::Forward, PhaseDirection::Back].map(ModelAction::Turn));
        }
        let first = actions.len();
        self.claims(state, actions);
        if self.unanswered && self.at_once {
            let claims = actions[first..].iter().filter_map(|action| match action {
                ModelAction::Claim(work) => Some(GatedMove::Claim(*work)),
                _ => None,
            });
            let lost = claims.chain([GatedMove::Forward, GatedMove::Finish, GatedMove::Abandon]);
            let lost: Vec<_> = lost.map(ModelAction::LoseMove).collect();
            actions.extend(lost);
        }
    }

    fn claims(&self, state: &ModelState, actions: &mut Vec<ModelAction>) {
        for server in &state.servers {
            let due = work(&self.table, &state.record(), server.phase);
            let claim = due.filter(|due| self.is_visited(state, *due));
            if let Some(claim) = claim.map(ModelAction::Claim)
                && self.serves(state, server)
                && !actions.contains(&claim)
            {
                actions.push(claim);
            }
        }
    }

    /// Whether a run thinks that it was everywhere.
    fn is_visited(&self, state: &ModelState, work: BackgroundWork) -> bool {
        let forgets = match work {
            BackgroundWork::Backfill => self.has(SeededFault::EmptyBackfill),
            BackgroundWork::CopyBack => self.has(SeededFault::EmptyCopyBack),
            BackgroundWork::CleanUp | BackgroundWork::Discard => return false,
        };
        if self.bounds.parts > 0 {
            return forgets || self.all_parts_done(state, work);
        }
        forgets || (0..state.objects.len()).all(|object| state.is_visited(object))
    }

    /// What a server should do in the background. At the first phase that is up to the operator:
    /// mirrors are removed if the migration is to end there.
    pub(crate) fn due(&self, state: &ModelState, phase: Phase) -> Option<BackgroundWork> {
        let record = state.record();
        let ends = || {
            let facts = self.facts(&[], 0, state.mirrors());
            let held = abandon(&self.table, &record, &facts);
            matches!(held, Err(PhaseRefusal::MirrorsLeft { .. })).then_some(BackgroundWork::Discard)
        };
        work(&self.table, &record, phase).or_else(ends)
    }

    pub(crate) fn forward(&self, state: &ModelState) -> Option<ModelState> {
        let next = self.table.row(state.live.high).next;
        let enters = next.filter(|_| state.live.low == state.live.high);
        let entry = enters.map(|next| self.table.row(next).entry);
        if entry == Some(EntryGate::ForwardDone) {
            return self.gated(state, GatedMove::Forward);
        }
        self.half_step_to(state, PhaseDirection::Forward, !self.simple)
    }

    /// A half step in a direction, or servers are turned round.
    pub(crate) fn half_step_to(
        &self,
        state: &ModelState,
        heading: PhaseDirection,
        fence: bool,
    ) -> Option<ModelState> {
        let record = state.record();
        let servers = self.acknowledged(state);
        let facts = MoveFacts {
            fence_rest: fence,
            ..self.facts(&servers, state.failed(), 0)
        };
        let next = self.half_step(&record, heading, &facts).ok()?;
        // The same epoch: servers were only turned round.
        if next.epoch == record.epoch {
            return Some(state.with_record(&next));
        }
        let mut after = self.moved(state, &next, heading == PhaseDirection::Back);
        let closes_old = state.live.low == Phase::Old && after.live.low != Phase::Old;
        // A server that can't load the new major would be cut off without anybody having fenced
        // it.
        after.ghosts.silenced |= closes_old && !fence && self.bounds.behind > 0;
        Some(after)
    }

    /// What the rules say to it.
    pub(crate) fn half_step(
        &self,
        record: &PhaseRecord,
        heading: PhaseDirection,
        facts: &MoveFacts<'_>,
    ) -> Result<PhaseRecord, PhaseRefusal> {
        let next = match heading {
            PhaseDirection::Forward => forward(&self.table, record, facts)?,
            PhaseDirection::Back => back(&self.table, record, facts)?,
        };
        // Turning round admits nothing, and so needs no new epoch.
        let turned = next.epoch == record.epoch;
        if turned && heading == PhaseDirection::Back && self.has(SeededFault::NoTurn) {
            return Ok(record.clone());
        }
        Ok(next)
    }

    /// Another migration, after one that ended where it began.
    pub(crate) fn begin(&self, state: &ModelState) -> Option<ModelState> {
        let next = begin(&state.record(), FROM, TO).ok()?;
        Some(self.moved(state, &next, false))
    }

    /// A move that looks at more than the record. Only one that would succeed is worth a commit.
    pub(crate) fn gated(&self, state: &ModelState, gated: GatedMove) -> Option<ModelState> {
        let decided = self.judged(state, gated)?;
        if self.at_once {
            return Some(decided);
        }
        self.planned(state, gated)
    }

    /// It is sent, and may be committed at any time from now.
    pub(crate) fn planned(&self, state: &ModelState, gated: GatedMove) -> Option<ModelState> {
        self.judged(state, gated)?;
        let operator = Some(gated);
        state.operator.is_none().then(|| ModelState {
            operator,
            ..state.clone()
        })
    }

    fn judged(&self, state: &ModelState, gated: GatedMove) -> Option<ModelState> {
        let left = match gated {
            GatedMove::Abandon if self.has(SeededFault::UncountedMirrors) => 0,
            GatedMove::Abandon => state.mirrors(),
            _ => state.left(),
        };
        self.decided(state, gated, state.failed(), left)
    }

    /// The commit: none was failed and none left in the snapshot.
    pub(crate) fn decide(&self, state: &ModelState) -> Option<ModelState> {
        self.decided(state, state.operator?, 0, 0)
    }

    fn decided(
        &self,
        state: &ModelState,
        gated: GatedMove,
        failed: u64,
        left: u64,
    ) -> Option<ModelState> {
        let servers = self.acknowledged(state);
        let facts = self.facts(&servers, failed, left);
        let (table, record) = (&self.table, state.record());
        let next = match gated {
            GatedMove::Forward => forward(table, &record, &facts),
            GatedMove::Finish => finish(table, &record, &facts),
            GatedMove::Abandon => abandon(table, &record, &facts),
            // A claim moves no phase.
            GatedMove::Claim(work) => {
                let next = claim(&record, work, NOW, failed).ok()?;
                let mut after = state.with_record(&next);
                // The next run visits all of them again.
                after.visited = 0;
                after.parts.fill(None);
                return Some(after);
            }
        };
        Some(self.moved(state, &next.ok()?, false))
    }

    /// Another epoch: what is in flight belongs to a passed one, and so does the run.
    fn moved(&self, state: &ModelState, next: &PhaseRecord, backwards: bool) -> ModelState {
        let mut after = state.with_record(next);
        // Set when a half step begins: the second half goes the way of the first.
        if state.live.low == state.live.high {
            after.ghosts.backwards = backwards;
        }
        if !self.has(SeededFault::OldCheckpoint) {
            after.visited = 0;
        }
        if !self.has(SeededFault::OldParts) {
            after.parts.fill(None);
        }
        if self.has(SeededFault::ClaimAnew) && matches!(state.operator, Some(GatedMove::Claim(_))) {
            after.operator = state.operator;
        }
        // Claims belong to an epoch.
        for server in &mut after.servers {
            server.held = None;
        }
        // What is refused for its epoch now is refused for ever: it need not stay in flight.
        let refused = after.record().fence(PASSED).is_err() && !self.has(SeededFault::NoFence);
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
    fn end(&self, state: &mut ModelState) {
        state.live = LivePhases::one(Phase::Old);
        state.heading = PhaseDirection::Forward;
        (state.forward_done, state.back_done) = (false, true);
        for server in &mut state.servers {
            server.phase = Phase::Old;
        }
        for object in &mut state.objects {
            object.failed &= self.has(SeededFault::OutlivingList);
        }
    }

    pub(crate) fn facts<'a>(
        &self,
        servers: &'a [PhaseAcknowledgement],
        failed: u64,
        left: u64,
    ) -> MoveFacts<'a> {
        MoveFacts {
            who: MoveInitiator::Operator,
            servers,
            fence_rest: !self.simple,
            failed,
            left,
            meaning_changed: false,
        }
    }

    /// Where servers are. Those that can't load the new major are nowhere.
    pub(crate) fn acknowledged(&self, state: &ModelState) -> Vec<PhaseAcknowledgement> {
        let servers = state.servers.iter().enumerate();
        let servers = servers.map(|(at, server)| PhaseAcknowledgement {
            server: String::new(),
            phase: if self.knows_new_major(at) {
                Some(server.phase)
            } else if self.has(SeededFault::ReaderAcknowledges) {
                Some(state.live.high)
            } else {
                None
            },
        });
        servers.collect()
    }
}
