//! What runs in the background: one resource at a time, each step an atomic write of its own.
//!
//! A run visits all resources within one epoch; its checkpoint carries that epoch, and another
//! epoch starts over. Visited resources stay as they were left, because every live phase of that
//! epoch writes both keys. So a run ends even if writers never stop: nothing raises the number
//! of those that are due.

use super::write::delete_if;
use super::{
    Background, Clears, Epoch, Failing, Fit, Found, Home, Phase, PhaseRecord, Plan, Refusal,
    Standing, Step, Table,
};

/// Work that is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Work {
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
pub fn work(table: &Table, record: &PhaseRecord, phase: Phase) -> Option<Work> {
    let migration = record.migration?;
    let live = migration.live;
    // While a live phase leaves the old records behind, bringing them up does not end.
    let leaves_old_behind = [live.low, live.high]
        .iter()
        .any(|phase| table.row(*phase).clears == Clears::Back);
    match table.row(phase).background {
        Background::Backfill if !migration.forward_done => Some(Work::Backfill),
        Background::CopyBack if !migration.back_done && !leaves_old_behind => Some(Work::CopyBack),
        Background::CleanUp => Some(Work::CleanUp),
        _ => None,
    }
}

/// Whether the mirror in new is absent, stale or an orphan.
#[must_use]
pub fn is_due(found: &Found) -> bool {
    matches!(
        found.standing(),
        Standing::OnlyOld | Standing::Stale | Standing::OnlyNew
    )
}

/// Whether cleanup has not yet been at it.
#[must_use]
pub fn is_left(found: &Found) -> bool {
    let paired = matches!(found.new, Some(new) if new.home == Home::Paired);
    found.old.is_some() || paired
}

/// Makes the mirror in new fresh. Reads that meet one that is not repair it the same way.
///
/// ```
/// # use coeval_core::phases::{Failing, Fit, Found, Stamp, Step, backfill};
/// # let old = Some(Stamp { revision: [1; 16], expires: None });
/// let found = Found { old, new: None };
/// let plan = backfill(&found, Fit::Both).unwrap();
/// assert_eq!((plan.old, plan.new), (Step::Leave, Step::Copy));
/// assert_eq!(backfill(&found, Fit::OnlyTruth).unwrap().failing, Failing::Listed);
/// ```
#[must_use]
pub fn backfill(found: &Found, fit: Fit) -> Option<Plan> {
    let mirror_there = delete_if(found.new.is_some());
    match (found.standing(), fit) {
        (Standing::Absent | Standing::Alone | Standing::Fresh, _) => None,
        (Standing::OnlyNew, _) => Some(Plan::paired(Step::Leave, Step::Delete, Failing::Unchanged)),
        (_, Fit::Both) => Some(Plan::paired(Step::Leave, Step::Copy, Failing::Cleared)),
        (_, Fit::OnlyTruth) => Some(Plan::paired(Step::Leave, mirror_there, Failing::Listed)),
    }
}

/// Makes the mirror in old fresh, after a cutover that is to be undone.
#[must_use]
pub fn copy_back(found: &Found, fit: Fit) -> Option<Plan> {
    match (found.standing(), fit) {
        (Standing::Absent | Standing::Alone | Standing::Fresh, _) => None,
        // It expired at its source of truth; here it would come back.
        (Standing::OnlyOld, _) => Some(Plan::paired(Step::Delete, Step::Leave, Failing::Unchanged)),
        (_, Fit::Both) => Some(Plan::paired(Step::Copy, Step::Leave, Failing::Cleared)),
        // A stale record would come back once the new one has expired.
        (_, Fit::OnlyTruth) => {
            let stale = delete_if(found.old.is_some());
            Some(Plan::paired(stale, Step::Leave, Failing::Listed))
        }
    }
}

/// Removes what is left in old. What expires goes by itself; until then nothing is done.
#[must_use]
pub fn clean_up(found: &Found) -> Option<Plan> {
    let old = match found.old {
        Some(stamp) if stamp.expires.is_some() => return None,
        stamp => delete_if(stamp.is_some()),
    };
    let new = match found.new {
        Some(new) if new.home == Home::Paired => Step::Mark,
        _ => Step::Leave,
    };
    let idle = old == Step::Leave && new == Step::Leave;
    (!idle).then_some(Plan {
        home: Home::Alone,
        ..Plan::paired(old, new, Failing::Cleared)
    })
}

/// Removes a mirror that nobody reads or writes any more: all servers are at the first phase, and
/// the migration is to end there.
#[must_use]
pub fn discard(found: &Found) -> Option<Plan> {
    match found.new {
        Some(new) if new.home == Home::Paired => {
            Some(Plan::paired(Step::Leave, Step::Delete, Failing::Cleared))
        }
        _ => None,
    }
}

/// Notes that all resources were visited by a run that began in `epoch`. `failed` is from the same
/// snapshot as the record.
///
/// ```
/// # use coeval_core::phases::{PhaseRecord, Refusal, Work, begin, claim};
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// let failed = claim(&record, Work::Backfill, record.epoch, 3);
/// assert_eq!(failed, Err(Refusal::Failed { failed: 3 }));
/// let done = claim(&record, Work::Backfill, record.epoch, 0).unwrap();
/// assert!(done.migration.unwrap().forward_done);
/// ```
pub fn claim(
    record: &PhaseRecord,
    work: Work,
    epoch: Epoch,
    failed: u64,
) -> Result<PhaseRecord, Refusal> {
    // A run of a passed epoch has visited resources that other phases have written since.
    record.fence(epoch)?;
    let mut migration = record.migration.ok_or(Refusal::NoMigration)?;
    match work {
        Work::CleanUp | Work::Discard => return Ok(record.clone()),
        // A listed resource has no mirror, so "every mirror is fresh" would be a lie about it.
        _ if failed > 0 => return Err(Refusal::Failed { failed }),
        Work::Backfill => migration.forward_done = true,
        Work::CopyBack => migration.back_done = true,
    }
    Ok(PhaseRecord {
        migration: Some(migration),
        ..record.clone()
    })
}
