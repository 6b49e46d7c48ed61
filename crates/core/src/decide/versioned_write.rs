//! What is said and known about a write before it is decided.

use super::StoredVersions;
use crate::version::{KnownVersion, KnownVersions, Version, WriteVersion};

/// A write that is to be decided.
#[derive(Clone, Copy, Debug)]
pub struct VersionedWrite<'a> {
    /// What there is; nothing for a create.
    pub stored: Option<StoredVersions>,
    /// The version that the body is written at, with its mark if it has one.
    pub body: WriteVersion,
    /// The versions that this server can load.
    pub known: &'a KnownVersions,
    /// At which version the caller wants it stored.
    pub store_at: StoreAt,
    /// The revision that the caller gave.
    pub revision: RevisionCheck,
    /// What the stored version's definition says about edits made at other versions.
    pub skew: SkewRule,
    /// What the caller may do with the resource.
    pub control: CallerControl,
    /// Whether the caller insists.
    pub force: Force,
    /// Where the stored version names a restricted view: those below this version saw only that.
    pub restricted_below: Option<Version>,
    /// The first version on the way up from the stored one to the body's that changes what a field
    /// means or names a restricted view.
    pub barrier: Option<Version>,
}

/// At which version a body is to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreAt {
    /// At the body's: an API in which a body names its type version (`entityType`).
    Set,
    /// At the stored one: the body is an edit of a view that was asked for.
    Unchanged,
    /// The API has no word for it; it follows from the two versions.
    Unsaid,
}

/// The revision that came with a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevisionCheck {
    /// None.
    NotGiven,
    /// The one that is stored.
    Current,
    /// Another one.
    Stale,
}

/// Whether a type accepts edits that were made at another version than the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SkewRule {
    /// They are carried onto what is stored.
    Merge,
    /// They are refused.
    Strict,
}

/// What the caller may do with the resource, as far as versions are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerControl {
    /// Everything, also change its version.
    Full,
    /// Write it.
    Write,
}

/// Whether the caller insists. It overrides what protects the stored version, and nothing else.
///
/// ```
/// # use coeval_core::decide::*;
/// # use coeval_core::version::{KnownVersions, StoredVersion, Version, WriteVersion};
/// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
/// # let known: KnownVersions = [v1, v2].into_iter().collect();
/// # let writing = VersionedWrite {
/// #     stored: Some(StoredVersions::Alone(StoredVersion(v2))),
/// #     body: WriteVersion::downgraded(v1),
/// #     known: &known,
/// #     store_at: StoreAt::Unsaid,
/// #     revision: RevisionCheck::Current,
/// #     skew: SkewRule::Merge,
/// #     control: CallerControl::Write,
/// #     force: Force::No,
/// #     restricted_below: None,
/// #     barrier: None,
/// # };
/// let blind = VersionedWrite { revision: RevisionCheck::NotGiven, force: Force::Yes, ..writing };
/// assert_eq!(decide_write(&blind), Err(VersionRefusal::FullControlNeeded));
/// let forced = decide_write(&VersionedWrite { control: CallerControl::Full, ..blind }).unwrap();
/// assert!(matches!(forced.change, ContentChange::Move { .. }), "it is stored at the body's version");
/// assert!(forced.overrode.is_some(), "and the answer tells what was overridden");
/// // A stale revision is never overridden.
/// let stale = VersionedWrite { revision: RevisionCheck::Stale, force: Force::Yes, ..writing };
/// assert_eq!(decide_write(&stale), Err(VersionRefusal::Stale));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Force {
    /// No.
    No,
    /// Yes.
    Yes,
}

/// Whether an edit made at another version can be carried onto what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditCarry {
    /// What the body's version expresses is replaced, the rest stays.
    Yes,
    /// It can't.
    No(CarryObstacle),
}

/// Why an edit can't be carried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CarryObstacle {
    /// There is nothing to carry it onto.
    #[error("nothing is stored that it could be an edit of")]
    NothingStored,
    /// What the stored version expresses is not known here.
    #[error("this server does not know the stored version")]
    StoredUnknown,
    /// The type says so.
    #[error("the type does not accept edits made at another version (skew: strict)")]
    Strict,
    /// A marked body is the edit of a view, and nobody says of which one.
    #[error("it does not carry the revision that it was read at")]
    NoRevision,
}

impl VersionedWrite<'_> {
    /// Whether this edit can be carried onto a stored version (`None`: one not known here).
    #[must_use]
    pub fn carry(&self, onto: Option<KnownVersion>) -> EditCarry {
        // In the order in which the caller could help it: the first obstacle is the one that is
        // told.
        if self.stored.is_none() {
            EditCarry::No(CarryObstacle::NothingStored)
        } else if onto.is_none() {
            EditCarry::No(CarryObstacle::StoredUnknown)
        } else if self.skew == SkewRule::Strict {
            EditCarry::No(CarryObstacle::Strict)
        } else if self.body.is_marked() && self.revision != RevisionCheck::Current {
            // Without the revision nobody knows which state was edited, and a lower version does
            // not show all of it.
            EditCarry::No(CarryObstacle::NoRevision)
        } else {
            EditCarry::Yes
        }
    }
}
