//! A state of the whole: the store, the phase record, the servers, and what was acknowledged.

use coeval_core::phases::{
    Epoch, Fit, Found, Home, Live, Migration, NewRecord, PhaseRecord, Plan, Stamp, Write,
};
use coeval_core::phases::{Phase, Work};
use std::collections::BTreeSet;

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
        PhaseRecord {
            epoch: NOW,
            migration: Some(Migration {
                from: 1,
                to: 2,
                live: self.live,
                forward_done: self.forward_done,
                back_done: self.back_done,
            }),
            closed: BTreeSet::new(),
        }
    }

    /// How many are listed as failed.
    #[must_use]
    pub fn failed(&self) -> u64 {
        self.objects.iter().filter(|object| object.failed).count() as u64
    }
}
