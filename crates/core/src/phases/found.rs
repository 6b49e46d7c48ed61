//! What is found under the two keys of a resource, in one snapshot.

use super::SourceOfTruth;

/// What tells one state of a record from another. The expiry is part of it: a keep-alive moves it
/// and leaves the revision alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RecordStamp {
    /// The revision.
    pub revision: [u8; 16],
    /// When it expires, in milliseconds.
    pub expires: Option<i64>,
}

/// Whether a record in the new range takes part in the migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RecordHome {
    /// It does: there is, was or will be one in the old range too.
    Paired,
    /// It was created at, or moved to, the new major. It is served in every phase.
    Alone,
}

/// A record in the new range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewRecord {
    /// Its state.
    pub stamp: RecordStamp,
    /// Whether it takes part.
    pub home: RecordHome,
}

/// Both keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FoundRecords {
    /// The record in the old range.
    pub old: Option<RecordStamp>,
    /// The record in the new range.
    pub new: Option<NewRecord>,
}

/// How the two records stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PairStanding {
    /// There is none.
    Absent,
    /// At home in the new range alone.
    Alone,
    /// Only the old one.
    OnlyOld,
    /// Only the new one, and it takes part.
    OnlyNew,
    /// Both, in the same state.
    Fresh,
    /// Both, and one was left behind.
    Stale,
}

impl FoundRecords {
    /// How the two stand.
    ///
    /// ```
    /// # use coeval_core::phases::{FoundRecords, RecordHome, NewRecord, RecordStamp, PairStanding};
    /// # let stamp = |n| RecordStamp { revision: [n; 16], expires: None };
    /// # let mirrored = |n| Some(NewRecord { stamp: stamp(n), home: RecordHome::Paired });
    /// let fresh = FoundRecords { old: Some(stamp(1)), new: mirrored(1) };
    /// assert_eq!(fresh.standing(), PairStanding::Fresh);
    /// // A write at `old` left the mirror behind.
    /// let stale = FoundRecords { old: Some(stamp(2)), ..fresh };
    /// assert_eq!(stale.standing(), PairStanding::Stale);
    /// ```
    #[must_use]
    pub fn standing(&self) -> PairStanding {
        match (self.old, self.new) {
            (_, Some(new)) if new.home == RecordHome::Alone => PairStanding::Alone,
            (None, None) => PairStanding::Absent,
            (Some(_), None) => PairStanding::OnlyOld,
            (None, Some(_)) => PairStanding::OnlyNew,
            (Some(old), Some(new)) if old == new.stamp => PairStanding::Fresh,
            (Some(_), Some(_)) => PairStanding::Stale,
        }
    }

    /// Whether the resource exists for those who hold this record for the source of truth.
    #[must_use]
    pub fn exists(&self, truth: SourceOfTruth) -> bool {
        match (self.standing(), truth) {
            (PairStanding::Absent, _) => false,
            (PairStanding::Alone, _) => true,
            (_, SourceOfTruth::Old) => self.old.is_some(),
            (_, SourceOfTruth::New) => self.new.is_some(),
        }
    }

    /// Whether the old record is a read-only copy, shown as `+downgraded`. It follows from the
    /// phase and is stored nowhere.
    #[must_use]
    pub fn is_old_downgraded(&self, truth: SourceOfTruth) -> bool {
        truth == SourceOfTruth::New
            && matches!(self.standing(), PairStanding::Fresh | PairStanding::Stale)
    }
}
