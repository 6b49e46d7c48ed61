//! How a state follows from another, as `stateright` asks for it.

use crate::action::{ModelAction, ModelRequest};
use crate::invariants;
use crate::object::{ModelBelongings, ModelObject, RecordCell};
use crate::parts::let_go;
use crate::protocol::Protocol;
use crate::state::{GatedMove, GhostState, MigrationEnd, ModelServer, ModelState, ServerJob};
use coeval_core::phases::{LivePhases, MirrorFit, Phase, PhaseDirection, RecordHome};
use stateright::{Model, Property};

impl Model for Protocol {
    type State = ModelState;
    type Action = ModelAction;

    fn init_states(&self) -> Vec<ModelState> {
        let cell = RecordCell {
            revision: 1,
            expires: 0,
        };
        // A later start begins with mirrors, as the earlier phases have left them.
        let later = self.start > Phase::Old;
        // What cleanup meets first was created at cutover.
        let has_old = self.start < Phase::Cleanup;
        let mut began_old = ModelObject {
            old: has_old.then_some(cell),
            new: later.then_some((cell, RecordHome::Paired)),
            fit: MirrorFit::Both,
            failed: false,
            acknowledged: Some(cell),
            unreadable: false,
            own: None,
        };
        let mut alone = ModelObject {
            old: None,
            new: Some((cell, RecordHome::Alone)),
            ..began_old
        };
        for object in [&mut began_old, &mut alone] {
            object.own = self
                .belongings
                .map(|values| ModelBelongings::of(values, object));
        }
        let server = ModelServer {
            phase: self.start,
            pending: None,
            held: None,
        };
        let mut objects = vec![began_old; self.bounds.old];
        objects.extend(vec![alone; self.bounds.alone]);
        vec![ModelState {
            live: LivePhases::one(self.start),
            heading: PhaseDirection::Forward,
            // What the phases before would have proven.
            forward_done: later,
            back_done: true,
            ended: None,
            operator: None,
            loose: None,
            servers: vec![server; self.bounds.servers],
            objects,
            clock: 1,
            writes_left: self.bounds.writes,
            visited: 0,
            parts: vec![None; self.bounds.parts],
            // The checker's memory, which no server sees.
            ghosts: GhostState::default(),
        }]
    }

    fn actions(&self, state: &ModelState, actions: &mut Vec<ModelAction>) {
        if state.ended == Some(MigrationEnd::Finished) {
            return;
        }
        let mut requests = Vec::new();
        if state.writes_left > 0 {
            self.writes(state, &mut requests);
        }
        self.background(state, &mut requests);
        actions.extend(requests.iter().copied().map(ModelAction::Start));
        // One request without an answer at a time: two would multiply the states and show nothing
        // more.
        if self.unanswered && state.loose.is_none() {
            actions.extend(requests.into_iter().map(ModelAction::Lose));
        }
        if state.loose.is_some() {
            actions.push(ModelAction::Arrive);
        }
        self.takes(state, actions);
        self.moves(state, actions);
        for (at, server) in state.servers.iter().enumerate() {
            if server.pending.is_some() {
                actions.push(ModelAction::Commit(at));
            }
            // A server that neither writes nor holds a part loses nothing in a crash.
            if server.pending.is_some() || server.held.is_some() {
                actions.push(ModelAction::Crash(at));
            }
            self.phase_changes(state, at, actions);
        }
        actions.extend((0..state.objects.len()).map(ModelAction::Lapse));
    }

    fn next_state(&self, state: &ModelState, action: ModelAction) -> Option<ModelState> {
        let mut after = match action {
            ModelAction::Start(request) => self.start(state, request)?,
            ModelAction::Lose(request) => self.lose(state, request)?,
            ModelAction::Arrive => self.arrive(state)?,
            ModelAction::Commit(server) => self.commit_of(state, server)?,
            ModelAction::Crash(server) => crash(state, server),
            ModelAction::Go(server, phase) => go(state, server, phase),
            ModelAction::Take(server, part) => self.take(state, server, part)?,
            ModelAction::Forward => self.forward(state)?,
            ModelAction::Back => self.half_step_to(state, PhaseDirection::Back, !self.simple)?,
            ModelAction::Turn(heading) => self.half_step_to(state, heading, false)?,
            ModelAction::Claim(work) => self.gated(state, GatedMove::Claim(work))?,
            ModelAction::Finish => self.gated(state, GatedMove::Finish)?,
            ModelAction::Abandon => self.gated(state, GatedMove::Abandon)?,
            ModelAction::LoseMove(gated) => self.planned(state, gated)?,
            ModelAction::Begin => self.begin(state)?,
            ModelAction::Decide => self.decide(state)?,
            ModelAction::Lapse(object) => self.lapse(state, object)?,
        };
        // Servers are alike, so states that differ only in their names are one.
        if self.nameless {
            after.forget_names();
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        invariants::properties()
    }
}

impl Protocol {
    /// Both live phases are safe, so a server may also go where its environment sends it. Without
    /// the new major there is only one that it can go to.
    fn phase_changes(&self, state: &ModelState, at: usize, actions: &mut Vec<ModelAction>) {
        let Some(migration) = state.record().migration else {
            return;
        };
        let knows = self.knows_new_major(at);
        let LivePhases { low, high } = state.live;
        // With two live phases a server may be at either, whatever it is told.
        let phases = match (knows, low == high) {
            (true, false) => [Some(low), Some(high)],
            _ => [self.place(&migration, knows), None],
        };
        let other = phases.into_iter().flatten();
        let other = other.filter(|phase| *phase != state.servers[at].phase);
        actions.extend(other.map(|phase| ModelAction::Go(at, phase)));
    }

    /// Plans, and commits where nothing comes between.
    fn start(&self, state: &ModelState, request: ModelRequest) -> Option<ModelState> {
        let (server, pending) = self.plan(state, request)?;
        let mut after = state.clone();
        count(&mut after, pending.job);
        if self.at_once && pending.batch.is_none() {
            self.commit(&mut after, pending);
        } else {
            after.servers[server].pending = Some(pending);
        }
        Some(after)
    }

    fn arrive(&self, state: &ModelState) -> Option<ModelState> {
        let mut after = state.clone();
        let pending = after.loose.take()?;
        self.commit(&mut after, pending);
        Some(after)
    }

    fn commit_of(&self, state: &ModelState, server: usize) -> Option<ModelState> {
        let mut after = state.clone();
        let pending = after.servers[server].pending.take()?;
        self.commit(&mut after, pending);
        let_go(&mut after, server, &pending);
        Some(after)
    }
}

fn crash(state: &ModelState, server: usize) -> ModelState {
    let mut after = state.clone();
    after.servers[server].pending = None;
    after.servers[server].held = None;
    after
}

fn go(state: &ModelState, server: usize, phase: Phase) -> ModelState {
    let mut after = state.clone();
    after.servers[server].phase = phase;
    after
}

/// Every write has a stamp of its own, and there are so many.
pub(crate) fn count(state: &mut ModelState, job: ServerJob) {
    if matches!(job, ServerJob::Write(_)) {
        state.clock += 1;
        state.writes_left -= 1;
    }
}
