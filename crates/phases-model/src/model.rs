//! How a state follows from another, as `stateright` asks for it.

use crate::action::Action;
use crate::invariants;
use crate::protocol::Protocol;
use crate::state::{Cell, Gated, Ghosts, Job, Object, Server, State};
use crate::store::lapse;
use coeval_core::phases::{Fit, Home, Live, Phase};
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
        let began_old = Object {
            old: has_old.then_some(cell),
            new: later.then_some((cell, Home::Paired)),
            fit: Fit::Both,
            failed: false,
            acknowledged: Some(cell),
        };
        let alone = Object {
            old: None,
            new: Some((cell, Home::Alone)),
            ..began_old
        };
        let server = Server {
            phase: self.start,
            pending: None,
        };
        let mut objects = vec![began_old; self.bounds.old];
        objects.extend(vec![alone; self.bounds.alone]);
        vec![State {
            live: Live::one(self.start),
            forward_done: later,
            back_done: true,
            finished: false,
            operator: None,
            servers: vec![server; self.bounds.servers],
            objects,
            clock: 1,
            writes_left: self.bounds.writes,
            visited: 0,
            ghosts: Ghosts::default(),
        }]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        if state.finished {
            return;
        }
        if state.writes_left > 0 {
            self.writes(state, actions);
        }
        self.background(state, actions);
        self.moves(state, actions);
        for (at, server) in state.servers.iter().enumerate() {
            if server.pending.is_some() {
                actions.extend([Action::Commit(at), Action::Crash(at)]);
            }
            let phases = if self.knows_new_major(at) {
                [Some(state.live.low), Some(state.live.high)]
            } else {
                [state.live.best(false), None]
            };
            for phase in phases.into_iter().flatten() {
                let go = Action::Go(at, phase);
                if phase != server.phase && !actions.contains(&go) {
                    actions.push(go);
                }
            }
        }
        actions.extend((0..state.objects.len()).map(Action::Lapse));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let mut after = state.clone();
        match action {
            Action::Start(..) | Action::Work(..) | Action::Repair(..) => {
                let (server, pending) = self.plan(state, action)?;
                if matches!(pending.job, Job::Write(_)) {
                    after.clock += 1;
                    after.writes_left -= 1;
                }
                if self.at_once {
                    self.commit(&mut after, pending);
                } else {
                    after.servers[server].pending = Some(pending);
                }
            }
            Action::Commit(server) => {
                let pending = after.servers[server].pending.take()?;
                self.commit(&mut after, pending);
            }
            Action::Crash(server) => after.servers[server].pending = None,
            Action::Go(server, phase) => after.servers[server].phase = phase,
            Action::Forward => after = self.forward(state)?,
            Action::Back => after = self.back(state)?,
            Action::Claim(work) => after = self.gated(state, Gated::Claim(work))?,
            Action::Finish => after = self.gated(state, Gated::Finish)?,
            Action::Decide => after = self.decide(state)?,
            Action::Lapse(object) => lapse(&mut after.objects[object])?,
        }
        if self.nameless {
            after.forget_names();
        }
        Some(after)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        invariants::properties()
    }
}
