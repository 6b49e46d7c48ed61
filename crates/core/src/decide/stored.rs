//! What is stored of one resource.

use crate::version::StoredVersion;

/// The record or records of one resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredVersions {
    /// One record.
    Alone(StoredVersion),
    /// Two: its type is being migrated from one major to another.
    Pair(VersionPair),
}

/// The two records of a resource whose type is in migration. They share one revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VersionPair {
    old: StoredVersion,
    new: StoredVersion,
    lead: LeadingRecord,
}

/// Which record of a pair rules: for reads the one that the phase reads, for writes the source of
/// truth. When the new one rules, the old one is a read-only copy: it counts as `+downgraded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeadingRecord {
    /// The one at the lower major.
    Old,
    /// The one at the higher major.
    New,
}

impl VersionPair {
    /// Two records of one resource, the new one at a higher major; else it is not a pair.
    #[must_use]
    pub fn new(old: StoredVersion, new: StoredVersion, lead: LeadingRecord) -> Option<Self> {
        (old.0.major < new.0.major).then_some(Self { old, new, lead })
    }

    /// The record at the lower major.
    #[must_use]
    pub const fn old(self) -> StoredVersion {
        self.old
    }

    /// The record at the higher major.
    #[must_use]
    pub const fn new_record(self) -> StoredVersion {
        self.new
    }

    /// Which of them rules.
    #[must_use]
    pub const fn lead(self) -> LeadingRecord {
        self.lead
    }

    /// The one that rules and the one that follows it.
    pub(super) const fn lead_and_mirror(self) -> (StoredVersion, StoredVersion) {
        match self.lead {
            LeadingRecord::Old => (self.old, self.new),
            LeadingRecord::New => (self.new, self.old),
        }
    }
}

/// The record that a view is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewedRecord {
    /// There is just one.
    Only,
    /// The old one of a pair.
    Old,
    /// The new one of a pair.
    New,
}

/// The records that a write or a delete touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WrittenRecords {
    /// There is just one.
    Only,
    /// The old one of a pair; the new one stays as it is.
    Old,
    /// Both of a pair, in one atomic write: the one that rules, and the other converted from it.
    Both,
}
