//! Reading a resource whose type is in migration.
//!
//! Two kinds of servers read. One that works at a live phase does what its row says
//! ([`plan_read`]). One that can't load the new major has no phase once `old` is closed: it reads on
//! from the old records while those are known to be fresh ([`reads_on`]), and does nothing else. It
//! takes no part in any write, repair or acknowledgement, so nobody depends on it.

use super::{
    FoundRecords, LivePhases, Migration, PairStanding, Phase, PhaseRecord, PhaseRefusal, PhaseRow,
    PhaseTable, ReadSource, SourceOfTruth, TouchedKeys, is_due,
};
use crate::decide::ViewedRecord;

/// What a read does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseRead {
    /// The record to answer from; nothing means that there is no such resource.
    pub from: Option<ViewedRecord>,
    /// Whether the mirror should be made fresh as the backfill does. The answer does not wait.
    pub repair: bool,
    /// Whether the two may be compared, to find out before cutover that they differ.
    pub compare: bool,
}

/// Where a server at this row reads.
///
/// ```
/// # use coeval_core::decide::ViewedRecord;
/// # use coeval_core::phases::{FoundRecords, RecordHome, NewRecord, Phase, RecordStamp, TABLE, plan_read};
/// # let stamp = |n| RecordStamp { revision: [n; 16], expires: None };
/// # let mirrored = |n| Some(NewRecord { stamp: stamp(n), home: RecordHome::Paired });
/// let row = TABLE.row(Phase::ReadNew);
/// let fresh = FoundRecords { old: Some(stamp(1)), new: mirrored(1) };
/// assert_eq!(plan_read(row, &fresh).from, Some(ViewedRecord::New));
/// let stale = plan_read(row, &FoundRecords { old: Some(stamp(2)), ..fresh });
/// assert_eq!((stale.from, stale.repair), (Some(ViewedRecord::Old), true));
/// ```
#[must_use]
pub fn plan_read(row: &PhaseRow, found: &FoundRecords) -> PhaseRead {
    let old = found.old.map(|_| ViewedRecord::Old);
    let new = found.new.map(|_| ViewedRecord::New);
    let standing = found.standing();
    // It has no part in the migration, so the phase says nothing about it.
    if standing == PairStanding::Alone {
        return answer(Some(ViewedRecord::Only));
    }
    match row.reads {
        ReadSource::Old => answer(old),
        // What cutover left behind differs, and should.
        // Compared only while every write goes to both, as only then a difference is a fault.
        ReadSource::New => PhaseRead {
            compare: row.writes == TouchedKeys::Both && standing == PairStanding::Fresh,
            ..answer(new)
        },
        // The new record where there is one, whether or not it is fresh.
        ReadSource::NewElseOld => answer(new.or(old)),
        ReadSource::FreshNew if standing == PairStanding::Fresh => answer(new),
        // A mirror that is missing or stale is repaired on the way, so that reads help the
        // backfill.
        ReadSource::FreshNew => PhaseRead {
            repair: is_due(found),
            ..answer(old)
        },
    }
}

/// What a server without a phase may do: it can't load the new major, and `old` is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadsOn {
    /// Whether what it shows of the old major is a copy of what a later one rules, and so
    /// `+downgraded`.
    pub marked: bool,
}

/// Whether a server that can't load the new major may read, by the phase record of the same snapshot
/// as the resource.
///
/// From mirror to soak every write goes to both records, so the old one is what was acknowledged.
/// That ends when cutover is admitted, and begins again, after a return to soak, when the copy back
/// is done: `back_done` says so.
pub fn reads_on(table: &PhaseTable, record: &PhaseRecord) -> Result<ReadsOn, PhaseRefusal> {
    let Migration {
        to,
        live,
        back_done,
        ..
    } = record.migration.ok_or(PhaseRefusal::NoMigration)?;
    // From cutover on the old records fall behind, and an old server would show what has been
    // replaced.
    if live.high > Phase::Soak || !back_done {
        let reads = false;
        return Err(PhaseRefusal::MajorNotLoaded { to, live, reads });
    }
    let LivePhases { high, .. } = live;
    // While new leads the old record is a copy, and views of it say so.
    let marked = table.row(high).truth == SourceOfTruth::New;
    Ok(ReadsOn { marked })
}

/// Where such a server reads: the old record. What is at home in the new major is there, and can't
/// be shown by it; it is not taken for absent.
#[must_use]
pub fn plan_read_on(found: &FoundRecords) -> PhaseRead {
    answer(match found.standing() {
        PairStanding::Alone => Some(ViewedRecord::Only),
        _ => found.old.map(|_| ViewedRecord::Old),
    })
}

const fn answer(from: Option<ViewedRecord>) -> PhaseRead {
    PhaseRead {
        from,
        repair: false,
        compare: false,
    }
}
