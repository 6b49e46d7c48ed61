//! What servers do: requests of callers, repairs, and the run in the background.

use crate::action::Action;
use crate::protocol::Protocol;
use crate::state::{Job, Pending, State};
use coeval_core::phases::{
    At, Failing, Fit, Home, Plan, Step, Work, Write, backfill, clean_up, copy_back, discard,
    plan_read, plan_write, work,
};

const WRITES: [Write; 6] = [
    Write::Create(At::Old),
    Write::Update,
    Write::Delete,
    Write::KeepAlive,
    Write::Create(At::New),
    Write::Move,
];

impl Protocol {
    pub(crate) fn writes(&self, state: &State, actions: &mut Vec<Action>) {
        for (server, object) in self.free(state) {
            let writes = match (self.simple, self.knows_new_major(server)) {
                (true, _) => &WRITES[..3],
                (false, false) => &WRITES[..4],
                (false, true) => &WRITES[..],
            };
            for write in writes {
                let content = matches!(write, Write::Create(At::Old) | Write::Update);
                let fits: &[Fit] = match (content && !self.simple, write) {
                    (true, _) => &[Fit::Both, Fit::OnlyTruth],
                    (false, Write::KeepAlive) => &[state.objects[object].fit],
                    (false, _) => &[Fit::Both],
                };
                for fit in fits {
                    actions.push(Action::Start(server, object, *write, *fit));
                }
            }
        }
    }

    /// Servers that can take a request, with every resource.
    fn free<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, usize)> + 'a {
        let servers = (0..state.servers.len()).filter(|at| {
            let server = &state.servers[*at];
            server.pending.is_none() && self.serves(state, server)
        });
        servers.flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)))
    }

    pub(crate) fn background(&self, state: &State, actions: &mut Vec<Action>) {
        for (server, object) in self.free(state) {
            let phase = state.servers[server].phase;
            let found = state.objects[object].found();
            let due = match work(&self.table, &state.record(), phase) {
                None => false,
                // It is never said to be done, but repeated until nothing is left.
                Some(Work::CleanUp) => clean_up(&found).is_some(),
                Some(_) => !state.is_visited(object),
            };
            if due {
                actions.push(Action::Work(server, object));
            }
            if plan_read(self.table.row(phase), &found).repair {
                actions.push(Action::Repair(server, object));
            }
        }
    }

    /// What a server would do, from a snapshot.
    pub(crate) fn plan(&self, state: &State, action: Action) -> Option<(usize, Pending)> {
        let (server, object, job, plan, fit) = match action {
            Action::Start(server, object, write, fit) => {
                let phase = state.servers[server].phase;
                let found = state.objects[object].found();
                let plan = plan_write(&self.table, state.live, phase, &found, write, fit).ok()?;
                (server, object, Job::Write(write), plan, fit)
            }
            Action::Work(server, object) => {
                let work = work(&self.table, &state.record(), state.servers[server].phase)?;
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                let plan = match work {
                    Work::Backfill => backfill(&found, fit),
                    Work::CopyBack => copy_back(&found, fit),
                    Work::CleanUp => clean_up(&found),
                    Work::Discard => discard(&found),
                };
                let plan = plan.unwrap_or(NOTHING);
                (server, object, Job::Work(work), plan, fit)
            }
            Action::Repair(server, object) => {
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                (server, object, Job::Repair, backfill(&found, fit)?, fit)
            }
            _ => return None,
        };
        let stamp = match job {
            Job::Write(_) => state.clock + 1,
            Job::Work(_) | Job::Repair => 0,
        };
        let thing = &state.objects[object];
        let pending = Pending {
            job,
            object,
            found: (thing.old, thing.new),
            plan,
            stamp,
            fit,
            current: true,
        };
        Some((server, pending))
    }
}

/// A visit that finds nothing to do.
const NOTHING: Plan = Plan {
    old: Step::Leave,
    new: Step::Leave,
    home: Home::Paired,
    failing: Failing::Unchanged,
};
