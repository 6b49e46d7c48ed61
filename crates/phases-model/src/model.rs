//! How a state follows from another, as `stateright` asks for it.

use crate::action::{Action, Request};
use crate::invariants;
use crate::object::{Belongings, Cell, Object};
use crate::parts::let_go;
use crate::protocol::Protocol;
use crate::state::{End, Gated, Ghosts, Job, Server, State};
use coeval_core::phases::{Fit, Heading, Home, Live, Phase};
use stateright::{Model, Property};

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let cell = Cell {
            revision: 1,
            expires: 0,
        };
        let later = self.start > Phase::Old;
        // What cleanup meets first was created at cutover.
        let has_old = self.start < Phase::Cleanup;
        let mut began_old = Object {
            old: has_old.then_some(cell),
            new: later.then_some((cell, Home::Paired)),
            fit: Fit::Both,
            failed: false,
            acknowledged: Some(cell),
            unreadable: false,
            own: None,
        };
        let mut alone = Object {
            old: None,
            new: Some((cell, Home::Alone)),
            ..began_old
        };
        for object in [&mut began_old, &mut alone] {
            object.own = self.belongings.map(|values| Belongings::of(values, object));
        }
        let server = Server {
            phase: self.start,
            pending: None,
            held: None,
        };
        let mut objects = vec![began_old; self.bounds.old];
        objects.extend(vec![alone; self.bounds.alone]);
        vec![State {
            live: Live::one(self.start),
            heading: Heading::Forward,
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
            ghosts: Ghosts::default(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.ended == Some(End::Finished) {
            return;
        }
        let mut requests = Vec::new();
        if state.writes_left > 0 {
            self.writes(state, &mut requests);
        }
        self.background(state, &mut requests);
        actions.extend(requests.iter().copied().map(Action::Start));
        if self.unanswered && state.loose.is_none() {
            actions.extend(requests.into_iter().map(Action::Lose));
        }
        if state.loose.is_some() {
            actions.push(Action::Arrive);
        }
        self.takes(state, actions);
        self.moves(state, actions);
        for (at, server) in state.servers.iter().enumerate() {
            if server.pending.is_some() {
                actions.push(Action::Commit(at));
            }
            if server.pending.is_some() || server.held.is_some() {
                actions.push(Action::Crash(at));
            }
            self.goes(state, at, actions);
        }
        actions.extend((0..state.objects.len()).map(Action::Lapse));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut after = match action {
            Action::Start(request) => self.start(state, request)?,
            Action::Lose(request) => self.lose(state, request)?,
            Action::Arrive => self.arrive(state)?,
            Action::Commit(server) => self.commit_of(state, server)?,
            Action::Crash(server) => crash(state, server),
            Action::Go(server, phase) => go(state, server, phase),
            Action::Take(server, part) => self.take(state, server, part)?,
            Action::Forward => self.forward(state)?,
            Action::Back => self.asked(state, Heading::Back, !self.simple)?,
            Action::Turn(heading) => self.asked(state, heading, false)?,
            Action::Claim(work) => self.gated(state, Gated::Claim(work))?,
            Action::Finish => self.gated(state, Gated::Finish)?,
            Action::Abandon => self.gated(state, Gated::Abandon)?,
            Action::LoseMove(gated) => self.planned(state, gated)?,
            Action::Begin => self.begin(state)?,
            Action::Decide => self.decide(state)?,
            Action::Lapse(object) => self.lapse(state, object)?,
        };
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
    fn goes(&self, state: &State, at: usize, actions: &mut Vec<Action>) {
        let Some(migration) = state.record().migration else {
            return;
        };
        let knows = self.knows_new_major(at);
        let Live { low, high } = state.live;
        let phases = match (knows, low == high) {
            (true, false) => [Some(low), Some(high)],
            _ => [self.place(&migration, knows), None],
        };
        let other = phases.into_iter().flatten();
        let other = other.filter(|phase| *phase != state.servers[at].phase);
        actions.extend(other.map(|phase| Action::Go(at, phase)));
    }

    /// Plans, and commits where nothing comes between.
    fn start(&self, state: &State, request: Request) -> Option<State> {
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

    fn arrive(&self, state: &State) -> Option<State> {
        let mut after = state.clone();
        let pending = after.loose.take()?;
        self.commit(&mut after, pending);
        Some(after)
    }

    fn commit_of(&self, state: &State, server: usize) -> Option<State> {
        let mut after = state.clone();
        let pending = after.servers[server].pending.take()?;
        self.commit(&mut after, pending);
        let_go(&mut after, server, &pending);
        Some(after)
    }
}

fn crash(state: &State, server: usize) -> State {
    let mut after = state.clone();
    after.servers[server].pending = None;
    after.servers[server].held = None;
    after
}

fn go(state: &State, server: usize, phase: Phase) -> State {
    let mut after = state.clone();
    after.servers[server].phase = phase;
    after
}

/// Every write has a stamp of its own, and there are so many.
pub(crate) fn count(state: &mut State, job: Job) {
    if matches!(job, Job::Write(_)) {
        state.clock += 1;
        state.writes_left -= 1;
    }
}
