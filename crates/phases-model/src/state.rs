//! A state of the whole: the store, the phase record, the servers, and what was acknowledged.

use crate::object::{ModelObject, RecordCell};
use coeval_core::phases::{
    BackgroundWork, Epoch, LivePhases, Migration, MirrorFit, Phase, PhaseDirection, PhasePlan,
    PhaseRecord, PhaseWrite, RecordHome, SourceOfTruth, discard, is_left,
};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What a server is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ServerJob {
    /// What a caller asked for.
    Write(PhaseWrite),
    /// A step in the background.
    Work(BackgroundWork),
    /// What a read found to be behind.
    Repair,
}

/// One part, as it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkPart {
    /// Of which run.
    pub work: BackgroundWork,
    /// How many of its resources are visited.
    pub after: usize,
    /// Whether all are.
    pub done: bool,
}

/// A checkpoint on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointBatch {
    /// Of which part.
    pub part: usize,
    /// How many were visited before.
    pub after: usize,
    /// Whether somebody else has claimed the part since.
    pub passed: bool,
}

/// A write between the snapshot that it was planned on and its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PendingCommit {
    /// What for.
    pub job: ServerJob,
    /// Which resource.
    pub object: usize,
    /// Both keys as they were found.
    pub found: (Option<RecordCell>, Option<(RecordCell, RecordHome)>),
    /// What will be done.
    pub plan: PhasePlan,
    /// The fresh revision or expiry.
    pub stamp: u8,
    /// Whether the content converts.
    pub fit: MirrorFit,
    /// Whether the epoch is still that of the snapshot.
    pub current: bool,
    /// Whether the content could not be read at the version that it is written at.
    pub unreadable: bool,
    /// The source of truth for the server that planned it, where belongings are in the run.
    pub truth: Option<SourceOfTruth>,
    /// The checkpoint that is written with it, where a run has parts.
    pub batch: Option<CheckpointBatch>,
    /// The caller was told of a second try instead. Only a fault does that.
    pub answered: bool,
}

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModelServer {
    /// Where it works.
    pub phase: Phase,
    /// What it is about to write.
    pub pending: Option<PendingCommit>,
    /// The part of a run that it has claimed.
    pub held: Option<usize>,
}

/// A move whose gates look at more than the phase record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GatedMove {
    /// Into soak.
    Forward,
    /// A run that is done.
    Claim(BackgroundWork),
    /// The end.
    Finish,
    /// The end where it began.
    Abandon,
}

/// How a migration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MigrationEnd {
    /// The old major is closed.
    Finished,
    /// Where it began: nothing is closed, and another one may begin.
    Abandoned,
}

/// What only the checker remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct GhostState {
    /// A write of a passed epoch was done.
    pub late_write: bool,
    /// A write raised the number of mirrors that are due, a repair did not lower it, or a
    /// checkpoint did not go on.
    pub endless: bool,
    /// The last phase was admitted on the way back.
    pub backwards: bool,
    /// A server lost its writes with `old`, and nobody gave it up.
    pub silenced: bool,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelState {
    /// Live phases.
    pub live: LivePhases,
    /// Where servers go while two are live.
    pub heading: PhaseDirection,
    /// Every mirror in new is said to be fresh.
    pub forward_done: bool,
    /// Every mirror in old is said to be fresh.
    pub back_done: bool,
    /// How the migration has ended.
    pub ended: Option<MigrationEnd>,
    /// What the operator planned, while it may still be committed.
    pub operator: Option<GatedMove>,
    /// A request that got no answer: it may arrive at any time, or never.
    pub loose: Option<PendingCommit>,
    /// The servers.
    pub servers: Vec<ModelServer>,
    /// The resources.
    pub objects: Vec<ModelObject>,
    /// The last revision or expiry that was given.
    pub clock: u8,
    /// Writes that callers may still ask for.
    pub writes_left: u8,
    /// Resources that the run in the background has visited, one bit each.
    pub visited: u8,
    /// The parts of the run, where it has parts: nothing is one that was not begun in this epoch.
    pub parts: Vec<Option<WorkPart>>,
    /// What only the checker remembers.
    pub ghosts: GhostState,
}

/// The epoch of every record that the rules get to see.
pub(crate) const NOW: Epoch = Epoch(1);

/// The epoch of what was planned before the last change of phase.
pub(crate) const PASSED: Epoch = Epoch(0);

/// The two majors.
pub(crate) const FROM: u32 = 1;
pub(crate) const TO: u32 = 2;

impl ModelState {
    /// The phase record, as the rules get to see it.
    #[must_use]
    pub fn record(&self) -> PhaseRecord {
        let migration = Migration {
            from: FROM,
            to: TO,
            live: self.live,
            heading: self.heading,
            forward_done: self.forward_done,
            back_done: self.back_done,
        };
        PhaseRecord {
            // The model tells only whether an epoch is current: numbers would make every state
            // another one.
            epoch: NOW,
            migration: self.ended.is_none().then_some(migration),
            closed: BTreeSet::new(),
        }
    }

    /// The same with another phase record. What the operator planned on this one is refused.
    #[must_use]
    pub fn with_record(&self, record: &PhaseRecord) -> Self {
        let mut after = self.clone();
        // It was planned on another record, and the store would refuse it.
        after.operator = None;
        match record.migration {
            None => {
                let closed = record.closed.contains(&FROM);
                after.ended = Some(if closed {
                    MigrationEnd::Finished
                } else {
                    MigrationEnd::Abandoned
                });
            }
            Some(migration) => {
                // A new migration begins where the old one was abandoned.
                after.ended = None;
                after.live = migration.live;
                // With one phase there is nowhere else to go, and the next move says it anew.
                let two = migration.live.low != migration.live.high;
                after.heading = if two {
                    migration.heading
                } else {
                    PhaseDirection::Forward
                };
                after.forward_done = migration.forward_done;
                after.back_done = migration.back_done;
            }
        }
        after
    }

    /// Puts servers into an order that does not depend on who they are. Where two hashes are the
    /// same, only a state is visited twice.
    pub fn forget_names(&mut self) {
        self.servers.sort_by_cached_key(|server| {
            let mut hasher = DefaultHasher::new();
            server.hash(&mut hasher);
            hasher.finish()
        });
    }

    /// Whether the run in the background has visited a resource.
    #[must_use]
    pub const fn is_visited(&self, object: usize) -> bool {
        self.visited & (1 << object) != 0
    }

    /// How many resources cleanup has still to visit.
    #[must_use]
    pub fn left(&self) -> u64 {
        let left = |object: &&ModelObject| is_left(&object.found());
        self.objects.iter().filter(left).count() as u64
    }

    /// How many mirrors there are in new.
    #[must_use]
    pub fn mirrors(&self) -> u64 {
        let there = |object: &&ModelObject| discard(&object.found()).is_some();
        self.objects.iter().filter(there).count() as u64
    }

    /// Where requests are that are not committed yet.
    pub fn in_flight(&mut self) -> impl Iterator<Item = &mut Option<PendingCommit>> {
        let pending = self.servers.iter_mut().map(|server| &mut server.pending);
        pending.chain([&mut self.loose])
    }

    /// How many are listed as failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.objects.iter().filter(|object| object.failed).count() as u64
    }
}
