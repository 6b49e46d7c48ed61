//! What is run: a table, bounds, and perhaps a fault.

use crate::belongings::Values;
use crate::fault::Fault;
use crate::object::{Cell, Object};
use crate::state::{Server, State};
use coeval_core::decide::Record;
use coeval_core::phases::{Migration, Phase, TABLE, Table, admit, plan_read};

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
    /// Parts of a run, each with a claim; 0: servers share the visits without any.
    pub parts: usize,
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
    /// Resources have secrets, and index entries with such values.
    pub belongings: Option<Values>,
    /// One request at a time may get no answer.
    pub unanswered: bool,
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
            belongings: None,
            unanswered: false,
            fault: None,
        }
    }

    pub(crate) fn has(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// The rules of this run; without a migration, writes are those of the first phase, whatever is
    /// changed in the table.
    pub(crate) fn rules(&self, state: &State) -> &Table {
        match state.ended {
            None => &self.table,
            Some(_) => &TABLE,
        }
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
        match self.reads(state, server, object)? {
            Record::Old => object.old,
            Record::New | Record::Only => object.new.map(|(cell, _)| cell),
        }
    }

    /// The record that a server answers from. Without a migration it is the one that is there.
    pub(crate) fn reads(&self, state: &State, server: &Server, object: &Object) -> Option<Record> {
        if state.ended.is_some() {
            let old = object.old.map(|_| Record::Old);
            return old.or(object.new.map(|_| Record::Only));
        }
        plan_read(self.table.row(server.phase), &object.found()).from
    }

    /// Where a server goes, if it does what it is told.
    pub(crate) fn place(&self, migration: &Migration, knows_new_major: bool) -> Option<Phase> {
        if self.has(Fault::HighestOnly) {
            return migration.live.best(knows_new_major);
        }
        migration.place(knows_new_major)
    }
}
