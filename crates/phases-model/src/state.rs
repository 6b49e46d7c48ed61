//! A state of the whole: the store, the phase record, the servers, and what was acknowledged.

use coeval_core::phases::{
    Epoch, Fit, Found, Heading, Home, Live, Migration, NewRecord, PhaseRecord, Plan, Stamp, Write,
};
use coeval_core::phases::{Phase, Work, is_left};
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One state of a record. Content is not modelled: a revision stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    /// The revision.
    pub revision: u8,
    /// The expiry; 0 is never.
    pub expires: u8,
}

impl Cell {
    fn stamp(self) -> Stamp {
        Stamp {
            revision: [self.revision; 16],
            expires: (self.expires > 0).then_some(i64::from(self.expires)),
        }
    }
}

/// A resource: its two records, and what callers were told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Object {
    /// The old key.
    pub old: Option<Cell>,
    /// The new key.
    pub new: Option<(Cell, Home)>,
    /// Whether its content converts.
    pub fit: Fit,
    /// Whether it is listed as failed.
    pub failed: bool,
    /// What the last acknowledged write left.
    pub acknowledged: Option<Cell>,
}

impl Object {
    /// What the rules get to see.
    #[must_use]
    pub fn found(&self) -> Found {
        Found {
            old: self.old.map(Cell::stamp),
            new: self.new.map(|(cell, home)| NewRecord {
                stamp: cell.stamp(),
                home,
            }),
        }
    }
}

/// What a server is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Job {
    /// What a caller asked for.
    Write(Write),
    /// A step in the background.
    Work(Work),
    /// What a read found to be behind.
    Repair,
}

/// A write between the snapshot that it was planned on and its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// What for.
    pub job: Job,
    /// Which resource.
    pub object: usize,
    /// Both keys as they were found.
    pub found: (Option<Cell>, Option<(Cell, Home)>),
    /// What will be done.
    pub plan: Plan,
    /// The fresh revision or expiry.
    pub stamp: u8,
    /// Whether the content converts.
    pub fit: Fit,
    /// Whether the epoch is still that of the snapshot.
    pub current: bool,
}

/// A server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// Where it works.
    pub phase: Phase,
    /// What it is about to write.
    pub pending: Option<Pending>,
}

/// A move whose gates look at more than the phase record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gated {
    /// Into soak.
    Forward,
    /// A run that is done.
    Claim(Work),
    /// The end.
    Finish,
}

/// What only the checker remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ghosts {
    /// A write of a passed epoch was done.
    pub late_write: bool,
    /// A write raised the number of mirrors that are due, or a repair did not lower it.
    pub endless: bool,
    /// The last phase was admitted on the way back.
    pub backwards: bool,
}

/// A state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Live phases.
    pub live: Live,
    /// Every mirror in new is said to be fresh.
    pub forward_done: bool,
    /// Every mirror in old is said to be fresh.
    pub back_done: bool,
    /// The migration has ended.
    pub finished: bool,
    /// What the operator planned, while it may still be committed.
    pub operator: Option<Gated>,
    /// The servers.
    pub servers: Vec<Server>,
    /// The resources.
    pub objects: Vec<Object>,
    /// The last revision or expiry that was given.
    pub clock: u8,
    /// Writes that callers may still ask for.
    pub writes_left: u8,
    /// Resources that the run in the background has visited, one bit each.
    pub visited: u8,
    /// What only the checker remembers.
    pub ghosts: Ghosts,
}

/// The epoch of every record that the rules get to see.
pub(crate) const NOW: Epoch = Epoch(1);

impl State {
    /// The phase record, as the rules get to see it.
    #[must_use]
    pub fn record(&self) -> PhaseRecord {
        let migration = Migration {
            from: 1,
            to: 2,
            live: self.live,
            // Servers of the model go wherever they may.
            heading: Heading::Forward,
            forward_done: self.forward_done,
            back_done: self.back_done,
        };
        PhaseRecord {
            epoch: NOW,
            migration: (!self.finished).then_some(migration),
            closed: BTreeSet::new(),
        }
    }

    /// The same with another phase record. What the operator planned on this one is refused.
    #[must_use]
    pub fn with_record(&self, record: &PhaseRecord) -> Self {
        let mut after = self.clone();
        after.operator = None;
        match record.migration {
            None => after.finished = true,
            Some(migration) => {
                after.live = migration.live;
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
        let left = |object: &&Object| is_left(&object.found());
        self.objects.iter().filter(left).count() as u64
    }

    /// How many are listed as failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.objects.iter().filter(|object| object.failed).count() as u64
    }
}
