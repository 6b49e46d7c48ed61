//! RFD 126's table as written, read as kindly as possible: both keys in one atomic write, requests
//! that never overlap, an operator who waits for every server and for the data migration, and a
//! data migration that also corrects what is stale.

use crate::protocol::{ModelBounds, Protocol};
use coeval_core::phases::{
    BackgroundDuty, EntryGate, Phase, PhaseRow, PhaseTable, ReadSource, ReturnGate, SourceOfTruth,
    StaleCopies, TouchedKeys, UnfitPolicy,
};

const ZERO: PhaseRow = PhaseRow {
    writes: TouchedKeys::Old,
    deletes: TouchedKeys::Old,
    reads: ReadSource::Old,
    truth: SourceOfTruth::Old,
    unfit: UnfitPolicy::DropMirror,
    background: BackgroundDuty::Nothing,
    entry: EntryGate::Free,
    leave: ReturnGate::Free,
    clears: StaleCopies::Forward,
    next: Some(Phase::Mirror),
    previous: None,
};

const ONE: PhaseRow = PhaseRow {
    writes: TouchedKeys::Both,
    deletes: TouchedKeys::Both,
    next: Some(Phase::ReadNew),
    previous: Some(Phase::Old),
    ..ZERO
};

const TWO: PhaseRow = PhaseRow {
    reads: ReadSource::NewElseOld,
    clears: StaleCopies::Nothing,
    next: Some(Phase::Backfill),
    previous: Some(Phase::Mirror),
    ..ONE
};

const THREE: PhaseRow = PhaseRow {
    background: BackgroundDuty::Backfill,
    next: Some(Phase::Cutover),
    previous: Some(Phase::ReadNew),
    ..TWO
};

const FOUR: PhaseRow = PhaseRow {
    writes: TouchedKeys::New,
    deletes: TouchedKeys::New,
    reads: ReadSource::New,
    truth: SourceOfTruth::New,
    background: BackgroundDuty::Nothing,
    entry: EntryGate::ForwardDone,
    next: Some(Phase::Cleanup),
    previous: Some(Phase::Backfill),
    ..THREE
};

const FIVE: PhaseRow = PhaseRow {
    background: BackgroundDuty::CleanUp,
    next: None,
    previous: Some(Phase::Cutover),
    ..FOUR
};

/// Its phases 0 to 5. There is no soak.
pub const TABLE: PhaseTable = PhaseTable {
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
        bounds: ModelBounds {
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
