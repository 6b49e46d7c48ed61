//! What is run: a table, bounds, and perhaps a fault.

use crate::state::{Cell, Object, Server, State};
use coeval_core::decide::Record;
use coeval_core::phases::{Phase, TABLE, Table, admit, plan_read};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Servers.
    pub servers: usize,
    /// How many of them can't load the new major.
    pub behind: usize,
    /// Resources that begin in the old range, and have a mirror where all begin later.
    pub old: usize,
    /// Resources that begin at home in the new range.
    pub alone: usize,
    /// Writes by callers.
    pub writes: u8,
}

/// Something around the table that is broken on purpose, to see that it is noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Servers serve at any phase.
    NoAdmission,
    /// The store does not look at the epoch.
    NoFence,
    /// The store does not look at what was found.
    NoConditions,
    /// The store does not look at expiries.
    NoExpiryCondition,
    /// The store does not look at flags.
    NoFlagCondition,
    /// The operator does not look whether a resource was listed meanwhile.
    NoListCondition,
    /// A delete of both keys removes only the new one.
    HalfDelete,
    /// A checkpoint of an earlier epoch is used.
    OldCheckpoint,
    /// The backfill forgets to visit.
    EmptyBackfill,
    /// The copy back forgets to visit.
    EmptyCopyBack,
    /// A step in the background writes nothing.
    IdleBackfill,
}

/// What is run.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// The rules.
    pub table: Table,
    /// How much is tried.
    pub bounds: Bounds,
    /// The phase that all begin at.
    pub start: Phase,
    /// Only plain writes, unconditional, and an operator who waits for the servers.
    pub simple: bool,
    /// A request or a move is one step: nothing comes between its snapshot and its commit.
    pub at_once: bool,
    /// States that differ only in the letters of servers are one. Traces are then hard to read.
    pub nameless: bool,
    /// What is broken on purpose.
    pub fault: Option<Fault>,
}

impl Protocol {
    /// Ours, from the beginning.
    #[must_use]
    pub fn ours(bounds: Bounds) -> Self {
        Self {
            table: TABLE,
            bounds,
            start: Phase::Old,
            simple: false,
            at_once: false,
            nameless: false,
            fault: None,
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Whether a server can load the new major.
    pub(crate) fn knows_new_major(&self, server: usize) -> bool {
        server >= self.bounds.behind
    }

    /// Whether a server may serve now.
    #[must_use]
    pub fn serves(&self, state: &State, server: &Server) -> bool {
        self.has(Fault::NoAdmission) || admit(&state.record(), server.phase).is_ok()
    }

    /// What a server would answer to a read.
    #[must_use]
    pub fn answer(&self, state: &State, server: &Server, object: &Object) -> Option<Cell> {
        let new = object.new.map(|(cell, _)| cell);
        if state.finished {
            return new;
        }
        let reading = plan_read(self.table.row(server.phase), &object.found());
        match reading.from? {
            Record::Old => object.old,
            Record::New | Record::Only => new,
        }
    }
}
