//! What runs in the background: one resource at a time, each step an atomic write of its own.
//!
//! A run visits all resources within one epoch; its checkpoint carries that epoch, and another
//! epoch starts over. Visited resources stay as they were left, because every live phase of that
//! epoch writes both keys. So a run ends even if writers never stop: nothing raises the number
//! of those that are due.

use super::write::FailedListChange::{Cleared, Listed, Unchanged};
use super::write::delete_if;
use super::{
    BackgroundDuty, Epoch, FoundRecords, KeyStep, MirrorFit, PairStanding, Phase, PhasePlan,
    PhaseRecord, PhaseRefusal, PhaseTable, RecordHome, StaleCopies,
};

/// Work that is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackgroundWork {
    /// [`backfill`] every resource.
    Backfill,
    /// [`copy_back`] every resource.
    CopyBack,
    /// [`clean_up`] every resource.
    CleanUp,
    /// [`discard`] every mirror: the migration is to end where it began.
    Discard,
}

/// What a server at this phase should do in the background.
#[must_use]
pub fn work(table: &PhaseTable, record: &PhaseRecord, phase: Phase) -> Option<BackgroundWork> {
    let migration = record.migration?;
    let live = migration.live;
    // While a live phase leaves the old records behind, bringing them up does not end.
    let leaves_old_behind = [live.low, live.high]
        .iter()
        .any(|phase| table.row(*phase).clears == StaleCopies::Back);
    match table.row(phase).background {
        BackgroundDuty::Backfill if !migration.forward_done => Some(BackgroundWork::Backfill),
        BackgroundDuty::CopyBack if !migration.back_done && !leaves_old_behind => {
            Some(BackgroundWork::CopyBack)
        }
        // There is no flag for it: cleaning up ends when nothing is left.
        BackgroundDuty::CleanUp => Some(BackgroundWork::CleanUp),
        _ => None,
    }
}

/// Whether the mirror in new is absent, stale or an orphan.
#[must_use]
pub fn is_due(found: &FoundRecords) -> bool {
    matches!(
        found.standing(),
        PairStanding::OnlyOld | PairStanding::Stale | PairStanding::OnlyNew
    )
}

/// Whether cleanup has not yet been at it.
#[must_use]
pub fn is_left(found: &FoundRecords) -> bool {
    let paired = matches!(found.new, Some(new) if new.home == RecordHome::Paired);
    found.old.is_some() || paired
}

/// Makes the mirror in new fresh. Reads that meet one that is not repair it the same way.
///
/// ```
/// # use coeval_core::phases::{FailedListChange, MirrorFit, FoundRecords, RecordStamp, KeyStep, backfill};
/// # let old = Some(RecordStamp { revision: [1; 16], expires: None });
/// let found = FoundRecords { old, new: None };
/// let plan = backfill(&found, MirrorFit::Both).unwrap();
/// assert_eq!((plan.old, plan.new), (KeyStep::Leave, KeyStep::Copy));
/// assert_eq!(backfill(&found, MirrorFit::OnlyTruth).unwrap().failing, FailedListChange::Listed);
/// ```
#[must_use]
pub fn backfill(found: &FoundRecords, fit: MirrorFit) -> Option<PhasePlan> {
    // A stale mirror that can't be made fresh is deleted, if there is one.
    let mirror_there = delete_if(found.new.is_some());
    match (found.standing(), fit) {
        // Nothing to do, and no write: the backfill passes over most resources without a trace.
        (PairStanding::Absent | PairStanding::Alone | PairStanding::Fresh, _) => None,
        // Its original is gone, so the mirror goes too.
        (PairStanding::OnlyNew, _) => Some(PhasePlan::paired(
            KeyStep::Leave,
            KeyStep::Delete,
            Unchanged,
        )),
        (_, MirrorFit::Both) => Some(PhasePlan::paired(KeyStep::Leave, KeyStep::Copy, Cleared)),
        // It can't be converted: it is listed, so that nobody enters a phase that reads the new
        // records only.
        (_, MirrorFit::OnlyTruth) => Some(PhasePlan::paired(KeyStep::Leave, mirror_there, Listed)),
    }
}

/// Makes the mirror in old fresh, after a cutover that is to be undone.
#[must_use]
pub fn copy_back(found: &FoundRecords, fit: MirrorFit) -> Option<PhasePlan> {
    match (found.standing(), fit) {
        (PairStanding::Absent | PairStanding::Alone | PairStanding::Fresh, _) => None,
        // It expired at its source of truth; here it would come back.
        (PairStanding::OnlyOld, _) => Some(PhasePlan::paired(
            KeyStep::Delete,
            KeyStep::Leave,
            Unchanged,
        )),
        (_, MirrorFit::Both) => Some(PhasePlan::paired(KeyStep::Copy, KeyStep::Leave, Cleared)),
        // A stale record would come back once the new one has expired.
        (_, MirrorFit::OnlyTruth) => {
            let stale = delete_if(found.old.is_some());
            Some(PhasePlan::paired(stale, KeyStep::Leave, Listed))
        }
    }
}

/// Removes what is left in old. What expires goes by itself; until then nothing is done.
#[must_use]
pub fn clean_up(found: &FoundRecords) -> Option<PhasePlan> {
    let old = match found.old {
        Some(stamp) if stamp.expires.is_some() => return None,
        stamp => delete_if(stamp.is_some()),
    };
    let new = match found.new {
        // From now on it has no part in a migration, as a resource that was created at the new
        // major.
        Some(new) if new.home == RecordHome::Paired => KeyStep::Mark,
        _ => KeyStep::Leave,
    };
    // No write without a change: it would only wake watchers.
    let idle = old == KeyStep::Leave && new == KeyStep::Leave;
    (!idle).then_some(PhasePlan {
        home: RecordHome::Alone,
        ..PhasePlan::paired(old, new, Cleared)
    })
}

/// Removes a mirror that nobody reads or writes any more: all servers are at the first phase, and
/// the migration is to end there.
#[must_use]
pub fn discard(found: &FoundRecords) -> Option<PhasePlan> {
    match found.new {
        Some(new) if new.home == RecordHome::Paired => {
            Some(PhasePlan::paired(KeyStep::Leave, KeyStep::Delete, Cleared))
        }
        _ => None,
    }
}

/// Notes that all resources were visited by a run that began in `epoch`. `failed` is from the same
/// snapshot as the record.
///
/// ```
/// # use coeval_core::phases::{PhaseRecord, PhaseRefusal, BackgroundWork, begin, claim};
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// let failed = claim(&record, BackgroundWork::Backfill, record.epoch, 3);
/// assert_eq!(failed, Err(PhaseRefusal::Failed { failed: 3 }));
/// let done = claim(&record, BackgroundWork::Backfill, record.epoch, 0).unwrap();
/// assert!(done.migration.unwrap().forward_done);
/// ```
pub fn claim(
    record: &PhaseRecord,
    work: BackgroundWork,
    epoch: Epoch,
    failed: u64,
) -> Result<PhaseRecord, PhaseRefusal> {
    // A run of a passed epoch has visited resources that other phases have written since.
    record.fence(epoch)?;
    let mut migration = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    match work {
        // They have no flag of their own.
        BackgroundWork::CleanUp | BackgroundWork::Discard => return Ok(record.clone()),
        // A listed resource has no mirror, so "every mirror is fresh" would be a lie about it.
        _ if failed > 0 => return Err(PhaseRefusal::Failed { failed }),
        BackgroundWork::Backfill => migration.forward_done = true,
        BackgroundWork::CopyBack => migration.back_done = true,
    }
    Ok(PhaseRecord {
        migration: Some(migration),
        ..record.clone()
    })
}
