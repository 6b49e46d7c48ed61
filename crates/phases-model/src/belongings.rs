//! What belongs to the records of a resource: secrets, with a key for each record, and index
//! entries, by which a resource is found with the values of either record.
//!
//! The protocol says nothing of them, it only says what becomes of the two records. What follows for
//! these keys is a rule of the engine (`write::steps`, `pairs::object`, `expiry`), told here once
//! more.

use crate::fault::SeededFault;
use crate::object::{IndexValues, ModelBelongings, ModelObject, REVISIONS, RecordCell};
use crate::protocol::Protocol;
use crate::state::{PendingCommit, ServerJob};
use coeval_core::phases::{KeyStep, PairStanding, PhaseWrite, SourceOfTruth};

impl IndexValues {
    /// The entry of a revision in old (0) or new (1).
    fn entry(self, side: usize, revision: u8) -> usize {
        let revision = usize::from(revision);
        assert!(revision < REVISIONS, "belongings are for three writes");
        match self {
            Self::Apart => side * REVISIONS + revision,
            Self::Alike => revision,
            Self::Same => 0,
        }
    }
}

/// Both records.
type CellPair = [Option<RecordCell>; 2];

/// Both records under a plan, the old one first.
struct PlannedCells {
    steps: [KeyStep; 2],
    was: CellPair,
    is: CellPair,
    /// Whether it is the source of truth: what indexes find is this one.
    counts: [bool; 2],
    /// Whether its entries are there. Those of a record that was left behind may be gone.
    there: [bool; 2],
    /// The expiry of the source of truth after the plan.
    expires: u8,
}

fn records(object: &ModelObject) -> CellPair {
    [object.old, object.new.map(|(cell, _)| cell)]
}

/// The entries of records, marked.
fn marked(values: IndexValues, records: CellPair) -> [bool; 2 * REVISIONS] {
    let mut marked = [false; 2 * REVISIONS];
    for (side, cell) in records.into_iter().enumerate() {
        if let Some(cell) = cell {
            marked[values.entry(side, cell.revision)] = true;
        }
    }
    marked
}

impl ModelBelongings {
    /// Those of a resource that never expires.
    pub(crate) fn of(values: IndexValues, object: &ModelObject) -> Self {
        let there = marked(values, records(object));
        Self {
            secrets: records(object),
            entries: there.map(|there| there.then_some(0)),
            count: i8::from(object.acknowledged.is_some()),
        }
    }

    /// Whether nothing is there without a record.
    pub(crate) fn are_owned(&self, values: IndexValues, object: &ModelObject) -> bool {
        let records = records(object);
        let secrets = self.secrets.iter().zip(&records);
        let entries = self.entries.iter().zip(marked(values, records));
        secrets
            .into_iter()
            .all(|(secret, record)| secret.is_none() || record.is_some())
            && entries
                .into_iter()
                .all(|(entry, owned)| entry.is_none() || owned)
    }

    /// Whether a record has its secrets, and is found by its value, for as long as it is there.
    pub(crate) fn serve(&self, values: IndexValues, side: usize, cell: RecordCell) -> bool {
        let entry = self.entries[values.entry(side, cell.revision)];
        self.secrets[side] == Some(cell) && entry == Some(cell.expires)
    }

    /// Whether an index finds the resource at all.
    pub(crate) fn is_indexed(&self) -> bool {
        self.entries.iter().any(Option::is_some)
    }

    /// Whether what is kept once is there with the resource, and not without.
    pub(crate) fn is_counted(&self, object: &ModelObject) -> bool {
        self.count == i8::from(object.acknowledged.is_some())
    }

    /// What expires first here.
    pub(crate) fn first(&self) -> Option<u8> {
        let secrets = self.secrets.iter().flatten().map(|cell| cell.expires);
        let entries = self.entries.iter().flatten().copied();
        secrets.chain(entries).filter(|expires| *expires > 0).min()
    }

    /// Records have expired, and the sweep has removed them with what belongs to them.
    fn lapse(&mut self, values: IndexValues, before: CellPair, after: CellPair, at: u8) {
        let (owned, needed) = (marked(values, before), marked(values, after));
        for (secret, record) in self.secrets.iter_mut().zip(after) {
            *secret = secret.filter(|secret| secret.expires != at && record.is_some());
        }
        for (entry, (owned, needed)) in self.entries.iter_mut().zip(owned.iter().zip(needed)) {
            let stays = !*owned || needed;
            *entry = entry.filter(|expires| stays && *expires != at);
        }
    }
}

impl Protocol {
    /// What a plan does to secrets and entries, once it was done to the records.
    pub(crate) fn belong(
        &self,
        before: &ModelObject,
        after: &mut ModelObject,
        pending: &PendingCommit,
    ) {
        let (Some(values), Some(truth)) = (self.belongings, pending.truth) else {
            return;
        };
        let Some(mut own) = after.own else {
            return;
        };
        let standing = before.found().standing();
        let (alone, fresh) = (
            standing == PairStanding::Alone,
            standing == PairStanding::Fresh,
        );
        // A resource that is alone has only its new record, whatever the phase believes in.
        let old_counts = truth == SourceOfTruth::Old && !alone;
        let counts = [old_counts, !old_counts];
        let (was, is) = (records(before), records(after));
        // A heartbeat moves the expiry of all that belongs to the resource; other writes end it.
        let expires = match pending.job {
            ServerJob::Write(PhaseWrite::KeepAlive) => pending.stamp,
            ServerJob::Write(_) => 0,
            // Of the source of truth.
            ServerJob::Work(_) | ServerJob::Repair => {
                was[usize::from(!old_counts)].map_or(0, |cell| cell.expires)
            }
        };
        let steps = [pending.plan.old, pending.plan.new];
        // Nothing was written, so nothing that belongs to it was either.
        if steps == [KeyStep::Leave; 2] {
            return;
        }
        let seats = PlannedCells {
            steps,
            was,
            is,
            counts,
            // A fresh mirror has what belongs to it; a stale one may lack some.
            there: [fresh || counts[0], fresh || counts[1]],
            expires,
        };
        self.secure(&mut own, &seats);
        // Secrets have an expiry of their own, and would lapse under a resource that is alive.
        if pending.job == ServerJob::Write(PhaseWrite::KeepAlive)
            && !self.has(SeededFault::KeepAliveAlone)
        {
            for secret in own.secrets.iter_mut().flatten() {
                secret.expires = expires;
            }
        }
        self.index(&mut own, values, &seats);
        match pending.job {
            ServerJob::Write(PhaseWrite::Create(_)) => own.count += 1,
            ServerJob::Write(PhaseWrite::Delete) => own.count -= 1,
            _ => {}
        }
        after.own = Some(own);
    }

    /// What the sweep does where records have expired. The resource goes with its source of truth:
    /// a record that was left behind is no resource, and keeps none.
    pub(crate) fn sweep(
        &self,
        live: SourceOfTruth,
        before: &ModelObject,
        after: &mut ModelObject,
        at: u8,
    ) {
        let (Some(values), Some(mut own)) = (self.belongings, after.own) else {
            return;
        };
        let (was, is) = (before.found(), after.found());
        own.lapse(values, records(before), records(after), at);
        // The fault counts by records; right is to count by resources, which is by the source of
        // truth.
        let gone = if self.has(SeededFault::SweepByTwin) {
            was != is && records(after) == [None; 2]
        } else {
            was.exists(live) && !is.exists(live)
        };
        own.count -= i8::from(gone);
        after.own = Some(own);
    }

    /// Secrets are put with their record, and go with it.
    fn secure(&self, own: &mut ModelBelongings, seats: &PlannedCells) {
        for (side, step) in seats.steps.into_iter().enumerate() {
            match step {
                KeyStep::Copy if self.has(SeededFault::CopyWithoutSecrets) => {}
                KeyStep::Write | KeyStep::Copy => own.secrets[side] = seats.is[side],
                KeyStep::Delete if self.has(SeededFault::RemovalLeavesSecrets) => {}
                KeyStep::Delete if seats.was[side].is_some() => own.secrets[side] = None,
                KeyStep::Delete | KeyStep::Touch | KeyStep::Leave | KeyStep::Mark => {}
            }
        }
    }

    /// Entries are put for every record that is written or counts, and those of all others go.
    fn index(&self, own: &mut ModelBelongings, values: IndexValues, seats: &PlannedCells) {
        let (was, mut kept, mut there, mut taken) = (seats.was, seats.is, seats.was, [None; 2]);
        let mut moved = false;
        for side in 0..2 {
            let (step, counts) = (seats.steps[side], seats.counts[side]);
            // Entries that may be missing are written again rather than trusted.
            let trusted = seats.there[side] || self.has(SeededFault::EntriesTrusted);
            there[side] = was[side].filter(|_| trusted);
            kept[side] = seats.is[side].filter(|_| step != KeyStep::Leave || counts);
            // With another expiry all entries are written again, or they would lapse too early.
            moved |= counts && was[side].is_some_and(|cell| cell.expires != seats.expires);
            if step == KeyStep::Delete && self.has(SeededFault::RemovalLeavesEntries) {
                kept[side] = was[side];
            }
            if step == KeyStep::Delete && self.has(SeededFault::RemovalTakesEntries) {
                taken[side] = was[side];
            }
        }
        // By value, because records whose values are alike share their entries.
        let (had, has) = (marked(values, was), marked(values, kept));
        let (there, taken) = (marked(values, there), marked(values, taken));
        for (at, entry) in own.entries.iter_mut().enumerate() {
            if has[at] && (moved || !there[at]) {
                *entry = Some(seats.expires);
            }
            if taken[at] || (had[at] && !has[at]) {
                *entry = None;
            }
        }
    }
}
