//! The table of phases, as data: the rules are functions over its cells.

use super::Phase;

/// Keys that a phase writes or deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TouchedKeys {
    /// Only the old one.
    Old,
    /// Both, in one atomic write.
    Both,
    /// Only the new one.
    New,
}

/// Where a phase reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReadSource {
    /// The old key.
    Old,
    /// The new key if it is a fresh mirror of old; else the old one, and the mirror is repaired.
    FreshNew,
    /// The new key; the old one if nothing is there. RFD 126 reads so. No phase of ours does: an
    /// old record outlives what became of the new one.
    NewElseOld,
    /// The new key.
    New,
}

/// The record that a write is put onto; the other one is converted from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceOfTruth {
    /// The old one.
    Old,
    /// The new one.
    New,
}

/// What becomes of a write that can't be converted to the mirror.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnfitPolicy {
    /// It succeeds; the mirror is removed with it, and the resource is listed as failed.
    DropMirror,
    /// It is refused, because the phase must be leavable backwards.
    Refuse,
}

/// What a phase does in the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BackgroundDuty {
    /// Nothing.
    Nothing,
    /// Makes every mirror in new fresh.
    Backfill,
    /// Makes every mirror in old fresh, while no live phase leaves them behind.
    CopyBack,
    /// Removes what is left in old.
    CleanUp,
}

/// What must hold before a phase is admitted, on the way forward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EntryGate {
    /// Nothing.
    Free,
    /// Every mirror in new is fresh, and no resource is listed as failed.
    ForwardDone,
    /// A person asked for it, or an automaton that was told so by name.
    ByName,
}

/// What must hold before the phase before it is admitted, on the way back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReturnGate {
    /// Nothing.
    Free,
    /// Every mirror in old is fresh.
    BackDone,
    /// There is no way back.
    Never,
}

/// What is no longer known to be fresh once a phase is admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StaleCopies {
    /// Nothing changes.
    Nothing,
    /// The mirrors in new.
    Forward,
    /// The mirrors in old.
    Back,
}

/// One phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseRow {
    /// What a write of a resource that takes part writes.
    pub writes: TouchedKeys,
    /// What a delete of one removes.
    pub deletes: TouchedKeys,
    /// Where one is read.
    pub reads: ReadSource,
    /// Its source of truth.
    pub truth: SourceOfTruth,
    /// What a write does that fits only the source of truth. It rules every live server.
    pub unfit: UnfitPolicy,
    /// The work in the background.
    pub background: BackgroundDuty,
    /// What its admission demands.
    pub entry: EntryGate,
    /// What leaving it backwards demands.
    pub leave: ReturnGate,
    /// What its admission forgets.
    pub clears: StaleCopies,
    /// The phase after it.
    pub next: Option<Phase>,
    /// The phase before it.
    pub previous: Option<Phase>,
}

/// A row for each phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PhaseTable {
    /// The row of [`Phase::Old`].
    pub old: PhaseRow,
    /// The row of [`Phase::Mirror`].
    pub mirror: PhaseRow,
    /// The row of [`Phase::ReadNew`].
    pub read_new: PhaseRow,
    /// The row of [`Phase::Backfill`].
    pub backfill: PhaseRow,
    /// The row of [`Phase::Soak`].
    pub soak: PhaseRow,
    /// The row of [`Phase::Cutover`].
    pub cutover: PhaseRow,
    /// The row of [`Phase::Cleanup`].
    pub cleanup: PhaseRow,
}

impl PhaseTable {
    /// The row of a phase.
    #[must_use]
    pub const fn row(&self, phase: Phase) -> &PhaseRow {
        match phase {
            Phase::Old => &self.old,
            Phase::Mirror => &self.mirror,
            Phase::ReadNew => &self.read_new,
            Phase::Backfill => &self.backfill,
            Phase::Soak => &self.soak,
            Phase::Cutover => &self.cutover,
            Phase::Cleanup => &self.cleanup,
        }
    }

    /// The same, to be changed.
    pub const fn row_mut(&mut self, phase: Phase) -> &mut PhaseRow {
        match phase {
            Phase::Old => &mut self.old,
            Phase::Mirror => &mut self.mirror,
            Phase::ReadNew => &mut self.read_new,
            Phase::Backfill => &mut self.backfill,
            Phase::Soak => &mut self.soak,
            Phase::Cutover => &mut self.cutover,
            Phase::Cleanup => &mut self.cleanup,
        }
    }
}

const OLD: PhaseRow = PhaseRow {
    writes: TouchedKeys::Old,
    deletes: TouchedKeys::Old,
    reads: ReadSource::Old,
    truth: SourceOfTruth::Old,
    unfit: UnfitPolicy::DropMirror,
    background: BackgroundDuty::Nothing,
    entry: EntryGate::Free,
    leave: ReturnGate::Never,
    clears: StaleCopies::Forward,
    next: Some(Phase::Mirror),
    previous: None,
};

const MIRROR: PhaseRow = PhaseRow {
    writes: TouchedKeys::Both,
    deletes: TouchedKeys::Both,
    leave: ReturnGate::Free,
    next: Some(Phase::ReadNew),
    previous: Some(Phase::Old),
    ..OLD
};

const READ_NEW: PhaseRow = PhaseRow {
    reads: ReadSource::FreshNew,
    clears: StaleCopies::Nothing,
    next: Some(Phase::Backfill),
    previous: Some(Phase::Mirror),
    ..MIRROR
};

const BACKFILL: PhaseRow = PhaseRow {
    background: BackgroundDuty::Backfill,
    next: Some(Phase::Soak),
    previous: Some(Phase::ReadNew),
    ..READ_NEW
};

const SOAK: PhaseRow = PhaseRow {
    reads: ReadSource::New,
    truth: SourceOfTruth::New,
    unfit: UnfitPolicy::Refuse,
    background: BackgroundDuty::CopyBack,
    entry: EntryGate::ForwardDone,
    leave: ReturnGate::BackDone,
    next: Some(Phase::Cutover),
    previous: Some(Phase::Backfill),
    ..BACKFILL
};

const CUTOVER: PhaseRow = PhaseRow {
    writes: TouchedKeys::New,
    unfit: UnfitPolicy::DropMirror,
    background: BackgroundDuty::Nothing,
    entry: EntryGate::ByName,
    leave: ReturnGate::Free,
    clears: StaleCopies::Back,
    next: Some(Phase::Cleanup),
    previous: Some(Phase::Soak),
    ..SOAK
};

const CLEANUP: PhaseRow = PhaseRow {
    background: BackgroundDuty::CleanUp,
    leave: ReturnGate::Never,
    next: None,
    previous: Some(Phase::Cutover),
    ..CUTOVER
};

/// The phases as they are. Every function here takes a table, so that the model can also run
/// others and show what is wrong with them.
pub const TABLE: PhaseTable = PhaseTable {
    old: OLD,
    mirror: MIRROR,
    read_new: READ_NEW,
    backfill: BACKFILL,
    soak: SOAK,
    cutover: CUTOVER,
    cleanup: CLEANUP,
};
