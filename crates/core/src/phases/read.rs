//! Reading a resource whose type is in migration.

use super::{Found, Keys, Reads, Row, Standing, is_due};
use crate::decide::Record;

/// What a read does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The record to answer from; nothing means that there is no such resource.
    pub from: Option<Record>,
    /// Whether the mirror should be made fresh as the backfill does. The answer does not wait.
    pub repair: bool,
    /// Whether the two may be compared, to find out before cutover that they differ.
    pub compare: bool,
}

/// Where a server at this row reads.
#[must_use]
pub fn plan_read(row: &Row, found: &Found) -> Reading {
    let old = found.old.map(|_| Record::Old);
    let new = found.new.map(|_| Record::New);
    let standing = found.standing();
    if standing == Standing::Alone {
        return answer(Some(Record::Only));
    }
    match row.reads {
        Reads::Old => answer(old),
        // What cutover left behind differs, and should.
        Reads::New => Reading {
            compare: row.writes == Keys::Both && standing == Standing::Fresh,
            ..answer(new)
        },
        Reads::NewElseOld => answer(new.or(old)),
        Reads::FreshNew if standing == Standing::Fresh => answer(new),
        Reads::FreshNew => Reading {
            repair: is_due(found),
            ..answer(old)
        },
    }
}

const fn answer(from: Option<Record>) -> Reading {
    Reading {
        from,
        repair: false,
        compare: false,
    }
}
