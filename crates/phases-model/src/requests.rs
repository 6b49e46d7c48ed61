//! What servers do: requests of callers, repairs, and the run in the background.

use crate::action::ModelRequest;
use crate::fault::SeededFault;
use crate::model::count;
use crate::protocol::Protocol;
use crate::state::{ModelState, PendingCommit, ServerJob};
use coeval_core::phases::{
    BackgroundWork, FailedListChange, KeyStep, MirrorFit, PairStanding, PhasePlan, PhaseWrite,
    RecordHome, SourceOfTruth, WriteMajor, backfill, clean_up, copy_back, discard, plan_read,
};

const WRITES: [PhaseWrite; 7] = [
    PhaseWrite::Create(WriteMajor::Old),
    PhaseWrite::Update(WriteMajor::Old),
    PhaseWrite::Delete,
    PhaseWrite::KeepAlive,
    PhaseWrite::Create(WriteMajor::New),
    PhaseWrite::Move,
    PhaseWrite::Update(WriteMajor::New),
];

impl Protocol {
    pub(crate) fn writes(&self, state: &ModelState, requests: &mut Vec<ModelRequest>) {
        // Only with a fault: a server that reads on never writes.
        let faulty = self.has(SeededFault::ReaderWrites) || self.has(SeededFault::ReaderKeepsAlive);
        let readers = (0..state.servers.len())
            .filter(|at| faulty && self.reads_on(state, *at).is_some())
            .flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)));
        for (server, object) in self.free(state).chain(readers) {
            let writes = match (self.simple, self.knows_new_major(server)) {
                (true, _) => &WRITES[..3],
                (false, false) if self.has(SeededFault::ReaderKeepsAlive) => &WRITES[3..4],
                (false, false) => &WRITES[..4],
                (false, true) => &WRITES[..],
            };
            // Content is what can fail to convert; other writes have none.
            for write in writes {
                let content = matches!(
                    write,
                    PhaseWrite::Create(WriteMajor::Old) | PhaseWrite::Update(_)
                );
                let fits: &[MirrorFit] = match (content && !self.simple, write) {
                    (true, _) => &[MirrorFit::Both, MirrorFit::OnlyTruth],
                    // A heartbeat does not change whether the content converts.
                    (false, PhaseWrite::KeepAlive) => &[state.objects[object].fit],
                    (false, _) => &[MirrorFit::Both],
                };
                for fit in fits {
                    requests.push(ModelRequest::Write(server, object, *write, *fit));
                }
            }
        }
    }

    /// Servers that can take a request, with every resource. Where requests are at once, a batch
    /// that is under way is in nobody's way.
    fn free<'a>(&'a self, state: &'a ModelState) -> impl Iterator<Item = (usize, usize)> + 'a {
        let servers = (0..state.servers.len()).filter(|at| {
            let server = &state.servers[*at];
            (self.at_once || server.pending.is_none()) && self.serves(state, server)
        });
        servers.flat_map(|server| (0..state.objects.len()).map(move |object| (server, object)))
    }

    pub(crate) fn background(&self, state: &ModelState, requests: &mut Vec<ModelRequest>) {
        for (server, object) in self.free(state) {
            let phase = state.servers[server].phase;
            let found = state.objects[object].found();
            // A run visits each resource once, except for work that ends by itself.
            let due = match self.due(state, phase) {
                None => false,
                // They are never said to be done, but repeated until nothing is left.
                Some(BackgroundWork::CleanUp) => clean_up(&found).is_some(),
                Some(BackgroundWork::Discard) => discard(&found).is_some(),
                Some(_) if self.bounds.parts > 0 => self.is_next(state, server, object),
                Some(_) => !state.is_visited(object),
            };
            if due {
                requests.push(ModelRequest::Work(server, object));
            }
            // Reads repair, so every server may at any time.
            if plan_read(self.rules(state).row(phase), &found).repair {
                requests.push(ModelRequest::Repair(server, object));
            }
        }
    }

    /// What a server would do, from a snapshot.
    pub(crate) fn plan(
        &self,
        state: &ModelState,
        request: ModelRequest,
    ) -> Option<(usize, PendingCommit)> {
        let mut batch = None;
        let mut unreadable = false;
        let (object, job, plan, fit) = match request {
            ModelRequest::Write(server, object, write, fit) => {
                let phase = state.servers[server].phase;
                let found = state.objects[object].found();
                let plan = self.plan_write(state, phase, &found, write, fit).ok()?;
                // What is put onto the source of truth is the same, whichever major it was given at.
                let job = match write {
                    PhaseWrite::Update(_) => PhaseWrite::Update(WriteMajor::Old),
                    other => other,
                };
                let onto_old = self.rules(state).row(phase).truth == SourceOfTruth::Old
                    && found.standing() != PairStanding::Alone;
                unreadable = write == PhaseWrite::Update(WriteMajor::New)
                    && fit == MirrorFit::OnlyTruth
                    && onto_old;
                (object, ServerJob::Write(job), plan, fit)
            }
            ModelRequest::Work(server, object) => {
                let work = self.due(state, state.servers[server].phase)?;
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                let plan = match work {
                    BackgroundWork::Backfill => backfill(&found, fit),
                    BackgroundWork::CopyBack => copy_back(&found, fit),
                    BackgroundWork::CleanUp => clean_up(&found),
                    BackgroundWork::Discard => discard(&found),
                };
                // The visit itself counts, even if there was nothing to do.
                let plan = plan.unwrap_or(NOTHING);
                if matches!(work, BackgroundWork::Backfill | BackgroundWork::CopyBack) {
                    batch = self.batch(state, server);
                }
                (object, ServerJob::Work(work), plan, fit)
            }
            ModelRequest::Repair(_, object) => {
                let (found, fit) = (state.objects[object].found(), state.objects[object].fit);
                (object, ServerJob::Repair, backfill(&found, fit)?, fit)
            }
        };
        let server = request.server();
        // Writes of callers have a revision of their own; a copy keeps the one that it copies.
        let stamp = match job {
            ServerJob::Write(_) => state.clock + 1,
            ServerJob::Work(_) | ServerJob::Repair => 0,
        };
        let truth = self.table.row(state.servers[server].phase).truth;
        let thing = &state.objects[object];
        let pending = PendingCommit {
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
    pub(crate) fn lose(&self, state: &ModelState, request: ModelRequest) -> Option<ModelState> {
        let (server, mut pending) = self.plan(state, request)?;
        let mut after = state.clone();
        // Counted although no answer comes, since the store may have committed it.
        count(&mut after, pending.job);
        if pending.batch.is_some() {
            // A worker without an answer gives its part up.
            after.servers[server].held = None;
        }
        if self.has(SeededFault::TooSoon) && matches!(pending.job, ServerJob::Write(_)) {
            self.commit(&mut after, pending);
            pending.answered = true;
        }
        after.loose = Some(pending);
        Some(after)
    }
}

/// A visit that finds nothing to do.
const NOTHING: PhasePlan = PhasePlan {
    old: KeyStep::Leave,
    new: KeyStep::Leave,
    home: RecordHome::Paired,
    failing: FailedListChange::Unchanged,
};
