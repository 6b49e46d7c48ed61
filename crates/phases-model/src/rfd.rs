//! RFD 126's table as written, read as kindly as possible: both keys in one atomic write, requests
//! that never overlap, an operator who waits for every server and for the data migration, and a
//! data migration that also corrects what is stale.

use crate::protocol::{Bounds, Protocol};
use coeval_core::phases::{
    Background, Clears, Entry, Keys, Leave, Phase, Reads, Row, Table, Truth, Unfit,
};

const ZERO: Row = Row {
    writes: Keys::Old,
    deletes: Keys::Old,
    reads: Reads::Old,
    truth: Truth::Old,
    unfit: Unfit::DropMirror,
    background: Background::Nothing,
    entry: Entry::Free,
    leave: Leave::Free,
    clears: Clears::Forward,
    next: Some(Phase::Mirror),
    previous: None,
};

const ONE: Row = Row {
    writes: Keys::Both,
    deletes: Keys::Both,
    next: Some(Phase::ReadNew),
    previous: Some(Phase::Old),
    ..ZERO
};

const TWO: Row = Row {
    reads: Reads::NewElseOld,
    clears: Clears::Nothing,
    next: Some(Phase::Backfill),
    previous: Some(Phase::Mirror),
    ..ONE
};

const THREE: Row = Row {
    background: Background::Backfill,
    next: Some(Phase::Cutover),
    previous: Some(Phase::ReadNew),
    ..TWO
};

const FOUR: Row = Row {
    writes: Keys::New,
    deletes: Keys::New,
    reads: Reads::New,
    truth: Truth::New,
    background: Background::Nothing,
    entry: Entry::ForwardDone,
    next: Some(Phase::Cleanup),
    previous: Some(Phase::Backfill),
    ..THREE
};

const FIVE: Row = Row {
    background: Background::CleanUp,
    next: None,
    previous: Some(Phase::Cutover),
    ..FOUR
};

/// Its phases 0 to 5. There is no soak.
pub const TABLE: Table = Table {
    old: ZERO,
    mirror: ONE,
    read_new: TWO,
    backfill: THREE,
    soak: THREE,
    cutover: FOUR,
    cleanup: FIVE,
};

/// Two servers, one resource, two writes, from the given phase on.
#[must_use]
pub fn from(start: Phase) -> Protocol {
    Protocol {
        table: TABLE,
        bounds: Bounds {
            servers: 2,
            behind: 0,
            old: 1,
            alone: 0,
            writes: 2,
            parts: 0,
        },
        start,
        simple: true,
        at_once: true,
        nameless: false,
        belongings: None,
        unanswered: false,
        fault: None,
    }
}
