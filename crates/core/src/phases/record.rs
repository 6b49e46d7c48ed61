//! The phase record of a type: what is live, and in which epoch.

use super::{Phase, PhaseRefusal, PhaseTable, RecordHome, TouchedKeys};
use std::collections::BTreeSet;

/// The number of a change of phase. Every write carries it, so that the store refuses one that was
/// planned before the change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Epoch(pub u64);

/// The phases that servers may work at: one, or two that follow each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LivePhases {
    /// The lower.
    pub low: Phase,
    /// The higher, or the same.
    pub high: Phase,
}

impl LivePhases {
    /// Only this one.
    #[must_use]
    pub const fn one(phase: Phase) -> Self {
        Self {
            low: phase,
            high: phase,
        }
    }

    /// Whether servers may work at it.
    #[must_use]
    pub fn has(self, phase: Phase) -> bool {
        phase == self.low || phase == self.high
    }

    /// Where a server should be. One that can't load the new major can only be at `old`.
    #[must_use]
    pub fn best(self, knows_new_major: bool) -> Option<Phase> {
        let known = |phase: &Phase| knows_new_major || *phase == Phase::Old;
        [self.high, self.low].into_iter().find(known)
    }
}

/// Where servers go while two phases are live. It says nothing of what is safe: both are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PhaseDirection {
    /// To the higher one.
    Forward,
    /// To the lower one.
    Back,
}

/// A move of a type from one major to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Migration {
    /// The major that it leaves.
    pub from: u32,
    /// The major that it goes to.
    pub to: u32,
    /// Where servers work.
    pub live: LivePhases,
    /// Where they go.
    pub heading: PhaseDirection,
    /// Every mirror in new is fresh.
    pub forward_done: bool,
    /// Every mirror in old is fresh.
    pub back_done: bool,
}

impl Migration {
    /// The other major that a record is at, or was, or will be; nothing for one that takes no part.
    ///
    /// Whoever may see either of the two may see the resource, whichever record a phase reads. Else
    /// a move of phase would take it away from some and show it to others.
    #[must_use]
    pub fn counterpart(&self, major: u32, home: RecordHome) -> Option<u32> {
        match major {
            major if major == self.from => Some(self.to),
            major if major == self.to && home == RecordHome::Paired => Some(self.from),
            _ => None,
        }
    }

    /// Where a server should be: where all go, or else at the other live phase. One that can't load
    /// the new major can only be at `old`.
    #[must_use]
    pub fn place(&self, knows_new_major: bool) -> Option<Phase> {
        let LivePhases { low, high } = self.live;
        let wanted = match self.heading {
            PhaseDirection::Forward => [high, low],
            PhaseDirection::Back => [low, high],
        };
        let known = |phase: &Phase| knows_new_major || *phase == Phase::Old;
        wanted.into_iter().find(known)
    }
}

/// The phase record. It exists from the type's first version on, so that there is always an epoch
/// to compare.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PhaseRecord {
    /// Changed by every change of phase.
    pub epoch: Epoch,
    /// The migration that is under way.
    pub migration: Option<Migration>,
    /// Majors that were migrated away. They stay closed when the next migration begins.
    pub closed: BTreeSet<u32>,
}

impl PhaseRecord {
    /// That of a type that was never migrated.
    #[must_use]
    pub const fn first() -> Self {
        Self {
            epoch: Epoch(0),
            migration: None,
            closed: BTreeSet::new(),
        }
    }

    /// Whether what is created at this major, by a server at this phase, is stored at a later one
    /// and answered as a view.
    #[must_use]
    pub fn is_closed(&self, table: &PhaseTable, phase: Phase, major: u32) -> bool {
        let leaving = self
            .migration
            .is_some_and(|migration| migration.from == major);
        let new_only = table.row(phase).writes == TouchedKeys::New;
        self.closed.contains(&major) || (leaving && new_only)
    }

    /// Whether a write that was planned in this epoch may still be done.
    ///
    /// ```
    /// # use coeval_core::phases::{PhaseRecord, PhaseRefusal, begin};
    /// let before = PhaseRecord::first();
    /// let record = begin(&before, 1, 2).unwrap();
    /// let late = PhaseRefusal::EpochPassed { planned: before.epoch, now: record.epoch };
    /// assert_eq!(record.fence(before.epoch), Err(late));
    /// ```
    pub fn fence(&self, planned: Epoch) -> Result<(), PhaseRefusal> {
        if planned == self.epoch {
            return Ok(());
        }
        Err(PhaseRefusal::EpochPassed {
            planned,
            now: self.epoch,
        })
    }
}

/// Whether a server at this phase may read and write the type. What it plans carries the epoch
/// that is returned.
///
/// ```
/// # use coeval_core::phases::{Phase, PhaseRecord, admit, begin};
/// let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
/// assert_eq!(admit(&record, Phase::Old), Ok(record.epoch));
/// assert!(admit(&record, Phase::Mirror).is_err(), "not live yet");
/// ```
pub fn admit(record: &PhaseRecord, phase: Phase) -> Result<Epoch, PhaseRefusal> {
    let live = record.migration.map(|migration| migration.live);
    match live {
        None => Ok(record.epoch),
        Some(live) if live.has(phase) => Ok(record.epoch),
        Some(live) => Err(PhaseRefusal::NotLive { phase, live }),
    }
}
