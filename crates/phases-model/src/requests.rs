//! What servers do: requests of callers, repairs, and the run in the background.

use crate::action::Request;
use crate::fault::Fault;
use crate::model::count;
use crate::protocol::Protocol;
use crate::state::{Job, Pending, State};
use coeval_core::phases::{
    At, Failing, Fit, Home, Plan, Standing, Step, Truth, Work, Write, backfill, clean_up,
    copy_back, discard, plan_read,
};

const WRITES: [Write; 7] = [
    Write::Create(At::Old),
    Write::Update(At::Old),
    Write::Delete,
    Write::KeepAlive,
    Write::Create(At::New),
    Write::Move,
    Write::Update(At::New),
];

impl Protocol {
    pub(crate) fn writes(&self, state: &State, requests: &mut Vec<Request>) {
        let faulty = self.has(Fault::ReaderWrites) || self.has(Fault::ReaderKeepsAlive);
        let readers = (0..state.servers.len())
            .filter(|at| faulty && self.reads_on(state, *at).is_some())
            .flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)));
        for (server, object) in self.free(state).chain(readers) {
            let writes = match (self.simple, self.knows_new_major(server)) {
                (true, _) => &WRITES[..3],
                (false, false) if self.has(Fault::ReaderKeepsAlive) => &WRITES[3..4],
                (false, false) => &WRITES[..4],
                (false, true) => &WRITES[..],
            };
            for write in writes {
                let content = matches!(write, Write::Create(At::Old) | Write::Update(_));
                let fits: &[Fit] = match (content && !self.simple, write) {
                    (true, _) => &[Fit::Both, Fit::OnlyTruth],
                    (false, Write::KeepAlive) => &[state.objects[object].fit],
                    (false, _) => &[Fit::Both],
                };
                for fit in fits {
                    requests.push(Request::Write(server, object, *write, *fit));
                }
            }
        }
    }

    /// Servers that can take a request, with every resource. Where requests are at once, a batch
    /// that is under way is in nobody's way.
    fn free<'a>(&'a self, state: &'a State) -> impl Iterator<Item = (usize, usize)> + 'a {
        let servers = (0..state.servers.len()).filter(|at| {
            let server = &state.servers[*at];
            (self.at_once || server.pending.is_none()) && self.serves(state, server)
        });
        servers.flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)))
    }

    pub(crate) fn background(&self, state: &State, requests: &mut Vec<Request>) {
        for (server, object) in self.free(state) {
            let phase = state.servers[server].phase;
            let found = state.objects[object].found();
            let due = match self.due(state, phase) {
                None => false,
                // They are never said to be done, but repeated until nothing is left.
                Some(Work::CleanUp) => clean_up(&found).is_some(),
                Some(Work::Discard) => discard(&found).is_some(),
                Some(_) if self.bounds.parts > 0 => self.is_next(state, server, object),
                Some(_) => !state.is_visited(object),
            };
            if due {
                requests.push(Request::Work(server, object));
            }
            if plan_read(self.rules(state).row(phase), &found).repair {
                requests.push(Request::Repair(server, object));
            }
        }
    }

    /// What a server would do, from a snapshot.
    pub(crate) fn plan(&self, state: &State, request: Request) -> Option<(usize, Pending)> {
        let mut batch = None;
        let mut unreadable = false;
        let (object, job, plan, fit) = match request {
            Request::Write(server, object, write, fit) => {
                let phase = state.servers[server].phase;
                let found = state.objects[object].found();
                let plan = self.plan_write(state, phase, &found, write, fit).ok()?;
                // What is put onto the source of truth is the same, whichever major it was given at.
                let job = match write {
                    Write::Update(_) => Write::Update(At::Old),
                    other => other,
                };
                let onto_old = self.rules(state).row(phase).truth == Truth::Old
                    && found.standing() != Standing::Alone;
                unreadable = write == Write::Update(At::New) && fit == Fit::OnlyTruth && onto_old;
                (object, Job::Write(job), plan, fit)
            }
            Request::Work(server, object) => {
                let work = self.due(state, state.servers[server].phase)?;
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                let plan = match work {
                    Work::Backfill => backfill(&found, fit),
                    Work::CopyBack => copy_back(&found, fit),
                    Work::CleanUp => clean_up(&found),
                    Work::Discard => discard(&found),
                };
                let plan = plan.unwrap_or(NOTHING);
                if matches!(work, Work::Backfill | Work::CopyBack) {
                    batch = self.batch(state, server);
                }
                (object, Job::Work(work), plan, fit)
            }
            Request::Repair(_, object) => {
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                (object, Job::Repair, backfill(&found, fit)?, fit)
            }
        };
        let server = request.server();
        let stamp = match job {
            Job::Write(_) => state.clock + 1,
            Job::Work(_) | Job::Repair => 0,
        };
        let truth = self.table.row(state.servers[server].phase).truth;
        let thing = &state.objects[object];
        let pending = Pending {
            job,
            object,
            found: (thing.old, thing.new),
            plan,
            stamp,
            fit,
            current: true,
            unreadable,
            truth: self.belongings.map(|_| truth),
            batch,
            answered: false,
        };
        Some((server, pending))
    }

    /// It is sent, and no answer comes. The engine reads back what it wrote; if it is not there, the
    /// caller is told that the outcome is not known, and a worker claims its part anew. Nobody
    /// writes it a second time while it may still arrive.
    pub(crate) fn lose(&self, state: &State, request: Request) -> Option<State> {
        let (server, mut pending) = self.plan(state, request)?;
        let mut after = state.clone();
        count(&mut after, pending.job);
        if pending.batch.is_some() {
            after.servers[server].held = None;
        }
        if self.has(Fault::TooSoon) && matches!(pending.job, Job::Write(_)) {
            self.commit(&mut after, pending);
            pending.answered = true;
        }
        after.loose = Some(pending);
        Some(after)
    }
}

/// A visit that finds nothing to do.
const NOTHING: Plan = Plan {
    old: Step::Leave,
    new: Step::Leave,
    home: Home::Paired,
    failing: Failing::Unchanged,
};
