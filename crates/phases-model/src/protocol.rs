//! What is run: a table, bounds, and perhaps a fault.

use crate::fault::SeededFault;
use crate::object::{IndexValues, ModelObject, RecordCell};
use crate::state::{FROM, ModelServer, ModelState, TO};
use coeval_core::decide::ViewedRecord;
use coeval_core::phases::{
    FoundRecords, KeyStep, LivePhases, Migration, MirrorFit, Phase, PhasePlan, PhaseRefusal,
    PhaseTable, PhaseWrite, ReadsOn, RecordHome, SourceOfTruth, TABLE, WriteMajor, admit,
    plan_read, plan_read_on, plan_write, reads_on,
};

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct ModelBounds {
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
    pub table: PhaseTable,
    /// How much is tried.
    pub bounds: ModelBounds,
    /// The phase that all begin at.
    pub start: Phase,
    /// Only plain writes, unconditional, and an operator who waits for the servers.
    pub simple: bool,
    /// A request or a move is one step: nothing comes between its snapshot and its commit.
    pub at_once: bool,
    /// States that differ only in the letters of servers are one. Traces are then hard to read.
    pub nameless: bool,
    /// Resources have secrets, and index entries with such values.
    pub belongings: Option<IndexValues>,
    /// One request at a time may get no answer.
    pub unanswered: bool,
    /// What is broken on purpose.
    pub fault: Option<SeededFault>,
}

impl Protocol {
    /// Ours, from the beginning.
    #[must_use]
    pub fn ours(bounds: ModelBounds) -> Self {
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

    pub(crate) fn has(&self, fault: SeededFault) -> bool {
        self.fault == Some(fault)
    }

    /// The rules of this run; without a migration, writes are those of the first phase, whatever is
    /// changed in the table.
    pub(crate) fn rules(&self, state: &ModelState) -> &PhaseTable {
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
    pub fn serves(&self, state: &ModelState, server: &ModelServer) -> bool {
        self.has(SeededFault::NoAdmission) || admit(&state.record(), server.phase).is_ok()
    }

    /// Whether a server that may not serve reads on: it can't load the new major.
    #[must_use]
    pub fn reads_on(&self, state: &ModelState, at: usize) -> Option<ReadsOn> {
        let server = state.servers.get(at)?;
        // Who serves does not read on, and who knows the new major could serve.
        if self.knows_new_major(at) || self.serves(state, server) {
            return None;
        }
        let mut record = state.record();
        if let Some(migration) = &mut record.migration {
            let LivePhases { low, high } = migration.live;
            let up_to_soak = LivePhases {
                low: low.min(Phase::Soak),
                high: high.min(Phase::Soak),
            };
            // Each fault leaves out one of the conditions.
            match self.fault {
                Some(SeededFault::ReadsOnUnchecked) => migration.back_done = true,
                Some(SeededFault::ReadsOnByFreshness) => migration.live = up_to_soak,
                Some(SeededFault::ReadsOnForEver) => {
                    (migration.back_done, migration.live) = (true, up_to_soak);
                }
                _ => {}
            }
        }
        let mut reads = reads_on(&self.table, &record).ok()?;
        // The flag is what a caller sees of it, so it can be left out by itself.
        reads.marked &= !self.has(SeededFault::ReadsOnUnmarked);
        Some(reads)
    }

    /// Whether a caller who may see only one of the two majors may see a resource at a server: judged
    /// by the record that it reads.
    pub(crate) fn shows(
        &self,
        state: &ModelState,
        server: &ModelServer,
        object: &ModelObject,
        seen: u32,
    ) -> bool {
        let home = object.new.map_or(RecordHome::Paired, |(_, home)| home);
        let major = match self.reads(state, server, object) {
            None => return false,
            Some(ViewedRecord::Old) => FROM,
            Some(ViewedRecord::New | ViewedRecord::Only) => TO,
        };
        // In a migration a resource is shown at both of its majors.
        let migration = state.record().migration;
        let other = migration.and_then(|migration| migration.counterpart(major, home));
        let other = other.filter(|_| !self.has(SeededFault::AccessByRecord));
        major == seen || other == Some(seen)
    }

    /// What a write at a phase does.
    pub(crate) fn plan_write(
        &self,
        state: &ModelState,
        phase: Phase,
        found: &FoundRecords,
        write: PhaseWrite,
        fit: MirrorFit,
    ) -> Result<PhasePlan, PhaseRefusal> {
        let table = self.rules(state);
        let plan = |write| plan_write(table, state.live, phase, found, write, fit);
        // Bodies of the new major are what these faults are about.
        let new_body = write == PhaseWrite::Update(WriteMajor::New);
        match self.fault {
            Some(SeededFault::UnreadableBody) if new_body => {
                plan(PhaseWrite::Update(WriteMajor::Old))
            }
            Some(SeededFault::BodyRefusedAtOld) if new_body && phase == Phase::Old => {
                Err(PhaseRefusal::NotReadBack)
            }
            Some(SeededFault::BodyBesideTruth)
                if new_body && table.row(phase).truth == SourceOfTruth::Old =>
            {
                let (old, new) = (KeyStep::Leave, KeyStep::Write);
                plan(write).map(|plan| PhasePlan { old, new, ..plan })
            }
            _ => plan(write),
        }
    }

    /// What a server would answer to a read.
    #[must_use]
    pub fn answer(
        &self,
        state: &ModelState,
        server: &ModelServer,
        object: &ModelObject,
    ) -> Option<RecordCell> {
        match self.reads(state, server, object)? {
            ViewedRecord::Old => object.old,
            ViewedRecord::New | ViewedRecord::Only => object.new.map(|(cell, _)| cell),
        }
    }

    /// What a server that reads on would answer; nothing: what is there it can't show.
    #[must_use]
    pub fn answer_on(object: &ModelObject) -> Option<Option<RecordCell>> {
        match plan_read_on(&object.found()).from {
            None => Some(None),
            Some(ViewedRecord::Old) => Some(object.old),
            Some(ViewedRecord::New | ViewedRecord::Only) => None,
        }
    }

    /// The record that a server answers from. Without a migration it is the one that is there.
    pub(crate) fn reads(
        &self,
        state: &ModelState,
        server: &ModelServer,
        object: &ModelObject,
    ) -> Option<ViewedRecord> {
        if state.ended.is_some() {
            let old = object.old.map(|_| ViewedRecord::Old);
            return old.or(object.new.map(|_| ViewedRecord::Only));
        }
        plan_read(self.table.row(server.phase), &object.found()).from
    }

    /// Where a server goes, if it does what it is told.
    pub(crate) fn place(&self, migration: &Migration, knows_new_major: bool) -> Option<Phase> {
        if self.has(SeededFault::HighestOnly) {
            return migration.live.best(knows_new_major);
        }
        migration.place(knows_new_major)
    }
}
