//! Writing a resource whose type is in migration.

use super::{
    BackgroundDuty, FoundRecords, LivePhases, PairStanding, Phase, PhaseRefusal, PhaseRow,
    PhaseTable, RecordHome, SourceOfTruth, TouchedKeys, UnfitPolicy,
};
use FailedListChange::{Cleared, Listed, Unchanged};

/// What a caller does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhaseWrite {
    /// Creates it at one of the two majors.
    Create(WriteMajor),
    /// Writes new content, given at one of the two majors and put onto the source of truth.
    Update(WriteMajor),
    /// Moves the expiry and nothing else.
    KeepAlive,
    /// Takes it out of the migration: to the new major, for itself.
    Move,
    /// Deletes it.
    Delete,
}

/// The major that a caller creates or writes at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteMajor {
    /// The old one. What is created at it is stored at the new one from cutover on.
    Old,
    /// The new one. What is created at it never takes part in the migration.
    New,
}

/// Whether the content exists at both majors. What does not fit the source of truth is refused by
/// the conversion, before any plan is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MirrorFit {
    /// It converts to the mirror.
    Both,
    /// It does not.
    OnlyTruth,
}

/// What happens to one key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyStep {
    /// It stays as it is.
    Leave,
    /// New content, under the fresh revision that all keys of a plan share.
    Write,
    /// Content converted from the other record, under that one's revision and expiry as they are
    /// after the plan: nobody sees that a resource was copied.
    Copy,
    /// The expiry moves, content and revision stay.
    Touch,
    /// The same content under the same revision; only the flag changes.
    Mark,
    /// It is removed.
    Delete,
}

/// What happens to the list of resources that have no mirror because they can't be converted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailedListChange {
    /// It stays as it is.
    Unchanged,
    /// The resource is listed, until the expiry that it has after the plan: what expires holds
    /// nobody. Nothing is written where it is listed already.
    Listed,
    /// It is no longer listed.
    Cleared,
}

/// One atomic write, on condition that both keys are as found and the epoch is the one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhasePlan {
    /// The old key.
    pub old: KeyStep,
    /// The new key.
    pub new: KeyStep,
    /// The flag of the new record, where one is put.
    pub home: RecordHome,
    /// The list of failed resources.
    pub failing: FailedListChange,
}

impl PhasePlan {
    pub(super) const fn paired(old: KeyStep, new: KeyStep, failing: FailedListChange) -> Self {
        let home = RecordHome::Paired;
        Self {
            old,
            new,
            home,
            failing,
        }
    }

    const fn alone(old: KeyStep, new: KeyStep, failing: FailedListChange) -> Self {
        let home = RecordHome::Alone;
        Self {
            old,
            new,
            home,
            failing,
        }
    }
}

/// Removes a record that may not be there.
pub(super) const fn delete_if(there: bool) -> KeyStep {
    if there {
        KeyStep::Delete
    } else {
        KeyStep::Leave
    }
}

/// What a write at this phase does to both keys. `live` is from the same snapshot as `found`.
///
/// ```
/// # use coeval_core::phases::*;
/// # let old = Some(RecordStamp { revision: [1; 16], expires: None });
/// let found = FoundRecords { old, new: None };
/// let plan = |fit| {
///     let update = PhaseWrite::Update(WriteMajor::Old);
///     plan_write(&TABLE, LivePhases::one(Phase::Mirror), Phase::Mirror, &found, update, fit).unwrap()
/// };
/// assert_eq!((plan(MirrorFit::Both).old, plan(MirrorFit::Both).new), (KeyStep::Write, KeyStep::Write));
/// // What does not convert is written all the same, and listed: soak waits until somebody mends it.
/// let unfit = plan(MirrorFit::OnlyTruth);
/// assert_eq!((unfit.old, unfit.new, unfit.failing), (KeyStep::Write, KeyStep::Leave, FailedListChange::Listed));
/// ```
pub fn plan_write(
    table: &PhaseTable,
    live: LivePhases,
    phase: Phase,
    found: &FoundRecords,
    write: PhaseWrite,
    fit: MirrorFit,
) -> Result<PhasePlan, PhaseRefusal> {
    let row = table.row(phase);
    let alone = found.standing() == PairStanding::Alone;
    // By the phase's source of truth: a mirror that was left behind does not make a resource exist.
    let exists = found.exists(row.truth);
    let old_there = delete_if(found.old.is_some());
    match write {
        // Only the record that the phase believes in counts; see above.
        PhaseWrite::Create(_) if exists => Err(PhaseRefusal::Exists),
        // At the new major there is no old record to keep in step, and one that is left behind
        // goes.
        PhaseWrite::Create(WriteMajor::New) => {
            Ok(PhasePlan::alone(old_there, KeyStep::Write, Cleared))
        }
        // There is no way back, so there is nothing to take part in. Else the end of the migration
        // would leave a mark that the next one takes for an orphan's.
        PhaseWrite::Create(WriteMajor::Old) if row.background == BackgroundDuty::CleanUp => {
            Ok(PhasePlan::alone(old_there, KeyStep::Write, Cleared))
        }
        PhaseWrite::Create(WriteMajor::Old) => written(table, live, row, found, fit),
        // All others change something that has to exist.
        _ if !exists => Err(PhaseRefusal::Missing),
        // To the new major for good: the resource leaves the migration.
        PhaseWrite::Move => Ok(PhasePlan::alone(old_there, KeyStep::Write, Cleared)),
        // It has no old record, so there is nothing to keep in step.
        PhaseWrite::Update(_) if alone => {
            Ok(PhasePlan::alone(KeyStep::Leave, KeyStep::Write, Unchanged))
        }
        // It would be acknowledged, and not be readable at the version that it was written at.
        PhaseWrite::Update(WriteMajor::New)
            if row.truth == SourceOfTruth::Old && fit == MirrorFit::OnlyTruth =>
        {
            Err(PhaseRefusal::NotReadBack)
        }
        PhaseWrite::Update(_) => written(table, live, row, found, fit),
        PhaseWrite::KeepAlive if alone => {
            Ok(PhasePlan::alone(KeyStep::Leave, KeyStep::Touch, Unchanged))
        }
        PhaseWrite::KeepAlive => kept_alive(table, live, row, found, fit),
        // An old record that was left behind would come back as a resource.
        PhaseWrite::Delete if alone => Ok(PhasePlan::alone(old_there, KeyStep::Delete, Cleared)),
        PhaseWrite::Delete => Ok(deleted(row, found)),
    }
}

/// New content of a resource that takes part.
fn written(
    table: &PhaseTable,
    live: LivePhases,
    row: &PhaseRow,
    found: &FoundRecords,
    fit: MirrorFit,
) -> Result<PhasePlan, PhaseRefusal> {
    match (row.writes, fit) {
        // Before the mirrors: only the old record is written.
        (TouchedKeys::Old, _) => Ok(PhasePlan::paired(KeyStep::Write, KeyStep::Leave, Unchanged)),
        // Only the new record is written any more.
        (TouchedKeys::New, _) => Ok(PhasePlan::paired(KeyStep::Leave, KeyStep::Write, Unchanged)),
        // In one atomic write, so that no reader sees one without the other.
        (TouchedKeys::Both, MirrorFit::Both) => {
            Ok(PhasePlan::paired(KeyStep::Write, KeyStep::Write, Cleared))
        }
        // The mirror can't hold it. It goes, if the phase can do without mirrors.
        (TouchedKeys::Both, MirrorFit::OnlyTruth) => {
            may_drop_mirror(table, live, row)?;
            Ok(without_mirror(row, found, KeyStep::Write))
        }
    }
}

fn kept_alive(
    table: &PhaseTable,
    live: LivePhases,
    row: &PhaseRow,
    found: &FoundRecords,
    fit: MirrorFit,
) -> Result<PhasePlan, PhaseRefusal> {
    // A stale mirror must not be made to look fresh by moving its expiry.
    let fresh = found.standing() == PairStanding::Fresh;
    let plan = match (row.writes, row.truth) {
        (TouchedKeys::Old, _) => PhasePlan::paired(KeyStep::Touch, KeyStep::Leave, Unchanged),
        (TouchedKeys::New, _) => PhasePlan::paired(KeyStep::Leave, KeyStep::Touch, Unchanged),
        (TouchedKeys::Both, _) if fresh => {
            PhasePlan::paired(KeyStep::Touch, KeyStep::Touch, Unchanged)
        }
        // Resources that heartbeat are migrated by their heartbeat.
        (TouchedKeys::Both, SourceOfTruth::Old) if fit == MirrorFit::Both => {
            PhasePlan::paired(KeyStep::Touch, KeyStep::Copy, Cleared)
        }
        (TouchedKeys::Both, SourceOfTruth::New) if fit == MirrorFit::Both => {
            PhasePlan::paired(KeyStep::Copy, KeyStep::Touch, Cleared)
        }
        // Behind since cutover, and still: a heartbeat does not pay for an earlier write.
        (TouchedKeys::Both, SourceOfTruth::New) => without_mirror(row, found, KeyStep::Touch),
        (TouchedKeys::Both, SourceOfTruth::Old) => {
            may_drop_mirror(table, live, row)?;
            without_mirror(row, found, KeyStep::Touch)
        }
    };
    Ok(plan)
}

/// A phase that must be leavable protects itself from every live server, not only from its own:
/// those one phase before it write what it will read.
fn may_drop_mirror(
    table: &PhaseTable,
    live: LivePhases,
    row: &PhaseRow,
) -> Result<(), PhaseRefusal> {
    // The highest live phase counts too: a server there will read what this one writes.
    let refused = [row, table.row(live.high)]
        .iter()
        .any(|row| row.unfit == UnfitPolicy::Refuse);
    if refused {
        return Err(PhaseRefusal::Unfit);
    }
    Ok(())
}

/// Only the source of truth is written; a mirror would be behind, so it goes.
fn without_mirror(row: &PhaseRow, found: &FoundRecords, truth: KeyStep) -> PhasePlan {
    let (old, new) = match row.truth {
        SourceOfTruth::Old => (truth, delete_if(found.new.is_some())),
        SourceOfTruth::New => (delete_if(found.old.is_some()), truth),
    };
    PhasePlan::paired(old, new, Listed)
}

fn deleted(row: &PhaseRow, found: &FoundRecords) -> PhasePlan {
    let (old, new) = (
        delete_if(found.old.is_some()),
        delete_if(found.new.is_some()),
    );
    match row.deletes {
        TouchedKeys::Old => PhasePlan::paired(old, KeyStep::Leave, Cleared),
        TouchedKeys::New => PhasePlan::paired(KeyStep::Leave, new, Cleared),
        TouchedKeys::Both => PhasePlan::paired(old, new, Cleared),
    }
}
