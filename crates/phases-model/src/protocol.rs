//! What is run: a table, bounds, and perhaps a fault.

use crate::fault::Fault;
use crate::object::{Cell, Object, Values};
use crate::state::{FROM, Server, State, TO};
use coeval_core::decide::Record;
use coeval_core::phases::{
    At, Fit, Found, Home, Live, Migration, Phase, Plan, ReadsOn, Refusal, Step, TABLE, Table,
    Truth, Write, admit, plan_read, plan_read_on, plan_write, reads_on,
};

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

    /// Whether a server that may not serve reads on: it can't load the new major.
    #[must_use]
    pub fn reads_on(&self, state: &State, at: usize) -> Option<ReadsOn> {
        let server = state.servers.get(at)?;
        if self.knows_new_major(at) || self.serves(state, server) {
            return None;
        }
        let mut record = state.record();
        if let Some(migration) = &mut record.migration {
            let Live { low, high } = migration.live;
            let up_to_soak = Live {
                low: low.min(Phase::Soak),
                high: high.min(Phase::Soak),
            };
            match self.fault {
                Some(Fault::ReadsOnUnchecked) => migration.back_done = true,
                Some(Fault::ReadsOnByFreshness) => migration.live = up_to_soak,
                Some(Fault::ReadsOnForEver) => {
                    (migration.back_done, migration.live) = (true, up_to_soak);
                }
                _ => {}
            }
        }
        let mut reads = reads_on(&self.table, &record).ok()?;
        reads.marked &= !self.has(Fault::ReadsOnUnmarked);
        Some(reads)
    }

    /// Whether a caller who may see only one of the two majors may see a resource at a server: judged
    /// by the record that it reads.
    pub(crate) fn shows(&self, state: &State, server: &Server, object: &Object, seen: u32) -> bool {
        let home = object.new.map_or(Home::Paired, |(_, home)| home);
        let major = match self.reads(state, server, object) {
            None => return false,
            Some(Record::Old) => FROM,
            Some(Record::New | Record::Only) => TO,
        };
        let migration = state.record().migration;
        let other = migration.and_then(|migration| migration.counterpart(major, home));
        let other = other.filter(|_| !self.has(Fault::AccessByRecord));
        major == seen || other == Some(seen)
    }

    /// What a write at a phase does.
    pub(crate) fn plan_write(
        &self,
        state: &State,
        phase: Phase,
        found: &Found,
        write: Write,
        fit: Fit,
    ) -> Result<Plan, Refusal> {
        let table = self.rules(state);
        let plan = |write| plan_write(table, state.live, phase, found, write, fit);
        let new_body = write == Write::Update(At::New);
        match self.fault {
            Some(Fault::UnreadableBody) if new_body => plan(Write::Update(At::Old)),
            Some(Fault::BodyRefusedAtOld) if new_body && phase == Phase::Old => {
                Err(Refusal::NotReadBack)
            }
            Some(Fault::BodyBesideTruth) if new_body && table.row(phase).truth == Truth::Old => {
                let (old, new) = (Step::Leave, Step::Write);
                plan(write).map(|plan| Plan { old, new, ..plan })
            }
            _ => plan(write),
        }
    }

    /// What a server would answer to a read.
    #[must_use]
    pub fn answer(&self, state: &State, server: &Server, object: &Object) -> Option<Cell> {
        match self.reads(state, server, object)? {
            Record::Old => object.old,
            Record::New | Record::Only => object.new.map(|(cell, _)| cell),
        }
    }

    /// What a server that reads on would answer; nothing: what is there it can't show.
    #[must_use]
    pub fn answer_on(object: &Object) -> Option<Option<Cell>> {
        match plan_read_on(&object.found()).from {
            None => Some(None),
            Some(Record::Old) => Some(object.old),
            Some(Record::New | Record::Only) => None,
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
