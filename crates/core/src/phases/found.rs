//! What is found under the two keys of a resource, in one snapshot.

use super::Truth;

/// What tells one state of a record from another. The expiry is part of it: a keep-alive moves it
/// and leaves the revision alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// The revision.
    pub revision: [u8; 16],
    /// When it expires, in milliseconds.
    pub expires: Option<i64>,
}

/// Whether a record in the new range takes part in the migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Home {
    /// It does: there is, was or will be one in the old range too.
    Paired,
    /// It was created at, or moved to, the new major. It is served in every phase.
    Alone,
}

/// A record in the new range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NewRecord {
    /// Its state.
    pub stamp: Stamp,
    /// Whether it takes part.
    pub home: Home,
}

/// Both keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Found {
    /// The record in the old range.
    pub old: Option<Stamp>,
    /// The record in the new range.
    pub new: Option<NewRecord>,
}

/// How the two records stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
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

impl Found {
    /// How the two stand.
    ///
    /// ```
    /// # use coeval_core::phases::{Found, Home, NewRecord, Stamp, Standing};
    /// # let stamp = |n| Stamp { revision: [n; 16], expires: None };
    /// # let mirrored = |n| Some(NewRecord { stamp: stamp(n), home: Home::Paired });
    /// let fresh = Found { old: Some(stamp(1)), new: mirrored(1) };
    /// assert_eq!(fresh.standing(), Standing::Fresh);
    /// // A write at `old` left the mirror behind.
    /// let stale = Found { old: Some(stamp(2)), ..fresh };
    /// assert_eq!(stale.standing(), Standing::Stale);
    /// ```
    #[must_use]
    pub fn standing(&self) -> Standing {
        match (self.old, self.new) {
            (_, Some(new)) if new.home == Home::Alone => Standing::Alone,
            (None, None) => Standing::Absent,
            (Some(_), None) => Standing::OnlyOld,
            (None, Some(_)) => Standing::OnlyNew,
            (Some(old), Some(new)) if old == new.stamp => Standing::Fresh,
            (Some(_), Some(_)) => Standing::Stale,
        }
    }

    /// Whether the resource exists for those who hold this record for the source of truth.
    #[must_use]
    pub fn exists(&self, truth: Truth) -> bool {
        match (self.standing(), truth) {
            (Standing::Absent, _) => false,
            (Standing::Alone, _) => true,
            (_, Truth::Old) => self.old.is_some(),
            (_, Truth::New) => self.new.is_some(),
        }
    }

    /// Whether the old record is a read-only copy, shown as `+downgraded`. It follows from the
    /// phase and is stored nowhere.
    #[must_use]
    pub fn is_old_downgraded(&self, truth: Truth) -> bool {
        truth == Truth::New && matches!(self.standing(), Standing::Fresh | Standing::Stale)
    }
}
