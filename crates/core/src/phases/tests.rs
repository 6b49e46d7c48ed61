//! The table cell by cell, the plans standing by standing, the moves gate by gate.

mod homes;
mod moves;
mod plans;
mod reading_on;
mod record;
mod table;

use super::*;

fn stamp(revision: u8) -> RecordStamp {
    RecordStamp {
        revision: [revision; 16],
        expires: None,
    }
}

/// What is found, one for each standing.
fn found(standing: PairStanding) -> FoundRecords {
    let new = |revision, home| {
        let stamp = stamp(revision);
        Some(NewRecord { stamp, home })
    };
    let (old, new) = match standing {
        PairStanding::Absent => (None, None),
        PairStanding::Alone => (None, new(1, RecordHome::Alone)),
        PairStanding::OnlyOld => (Some(stamp(1)), None),
        PairStanding::OnlyNew => (None, new(1, RecordHome::Paired)),
        PairStanding::Fresh => (Some(stamp(1)), new(1, RecordHome::Paired)),
        PairStanding::Stale => (Some(stamp(2)), new(1, RecordHome::Paired)),
    };
    FoundRecords { old, new }
}

const STANDINGS: [PairStanding; 6] = [
    PairStanding::Absent,
    PairStanding::Alone,
    PairStanding::OnlyOld,
    PairStanding::OnlyNew,
    PairStanding::Fresh,
    PairStanding::Stale,
];
