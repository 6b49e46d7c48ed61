//! The table cell by cell, the plans standing by standing, the moves gate by gate.

mod homes;
mod moves;
mod plans;
mod reading_on;
mod record;
mod table;

use super::*;

fn stamp(revision: u8) -> Stamp {
    Stamp {
        revision: [revision; 16],
        expires: None,
    }
}

/// What is found, one for each standing.
fn found(standing: Standing) -> Found {
    let new = |revision, home| {
        let stamp = stamp(revision);
        Some(NewRecord { stamp, home })
    };
    let (old, new) = match standing {
        Standing::Absent => (None, None),
        Standing::Alone => (None, new(1, Home::Alone)),
        Standing::OnlyOld => (Some(stamp(1)), None),
        Standing::OnlyNew => (None, new(1, Home::Paired)),
        Standing::Fresh => (Some(stamp(1)), new(1, Home::Paired)),
        Standing::Stale => (Some(stamp(2)), new(1, Home::Paired)),
    };
    Found { old, new }
}

const STANDINGS: [Standing; 6] = [
    Standing::Absent,
    Standing::Alone,
    Standing::OnlyOld,
    Standing::OnlyNew,
    Standing::Fresh,
    Standing::Stale,
];
