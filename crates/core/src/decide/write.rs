//! Writing: what a body at some version does to what is stored.

use super::{
    CallerControl, EditCarry, Force, LeadingRecord, RevisionCheck, StoreAt, StoredVersions,
    VersionPair, VersionRefusal, VersionedWrite, WrittenRecords,
};
use crate::version::{KnownVersion, StoredVersion};

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteDecision {
    /// To the content.
    pub change: ContentChange,
    /// To which records.
    pub records: WrittenRecords,
    /// What force overrode, where it made a difference.
    pub overrode: Option<VersionRefusal>,
}

/// What a write does to the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentChange {
    /// The body is the first content.
    Create {
        /// The version that it is stored at.
        at: KnownVersion,
    },
    /// The body replaces all that its version expresses, and the stored version stays. At the
    /// stored version itself that is everything. Whether what a higher version says fits into the
    /// stored one shows when it is converted.
    Edit {
        /// The body's version.
        written_at: KnownVersion,
        /// The stored version.
        stored_at: KnownVersion,
    },
    /// The body is stored at its own version. Missing required fields get their defaults, and what
    /// that version can't express is kept.
    Move {
        /// The stored version.
        from: KnownVersion,
        /// The body's version.
        to: KnownVersion,
    },
    /// The same over a version that is not known here. What the body can't express can't be told,
    /// so the replaced record is kept whole.
    Replace {
        /// The body's version.
        at: KnownVersion,
    },
}

impl ContentChange {
    /// The version that the content is stored at afterwards.
    #[must_use]
    pub const fn stored_at(self) -> KnownVersion {
        match self {
            Self::Create { at } | Self::Replace { at } => at,
            Self::Edit { stored_at, .. } => stored_at,
            Self::Move { to, .. } => to,
        }
    }
}

/// Decides a write. Force is looked at only when there is something to override.
///
/// ```
/// # use coeval_core::decide::*;
/// # use coeval_core::version::{KnownVersions, StoredVersion, Version, WriteVersion};
/// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
/// # let known: KnownVersions = [v1, v2].into_iter().collect();
/// // A client of v1 saves the view of v1 that it has read: an edit of what is stored at v2.
/// let writing = VersionedWrite {
///     stored: Some(StoredVersions::Alone(StoredVersion(v2))),
///     body: WriteVersion::downgraded(v1),
///     known: &known,
///     store_at: StoreAt::Unsaid,
///     revision: RevisionCheck::Current,
///     skew: SkewRule::Merge,
///     control: CallerControl::Write,
///     force: Force::No,
///     restricted_below: None,
///     barrier: None,
/// };
/// let write = decide_write(&writing).unwrap();
/// assert!(matches!(write.change, ContentChange::Edit { .. }));
/// assert_eq!(write.change.stored_at().version(), v2);
/// // Without the revision, nobody knows what it is an edit of.
/// let blind = VersionedWrite { revision: RevisionCheck::NotGiven, ..writing };
/// let why = CarryObstacle::NoRevision;
/// assert_eq!(decide_write(&blind), Err(VersionRefusal::MarkedBody { body: v1, why }));
/// ```
pub fn decide_write(writing: &VersionedWrite<'_>) -> Result<WriteDecision, VersionRefusal> {
    let refusal = match judge(writing, Force::No) {
        // Without force the first judgement is the answer.
        Err(refusal) if writing.force == Force::Yes => refusal,
        decided => return decided,
    };
    // Judged again rather than waved through: force does not override everything, and what it can't
    // override is the better refusal to report.
    let forced = judge(writing, Force::Yes)?;
    // Checked last: with a refusal that force can't override, control is of no interest.
    match writing.control {
        CallerControl::Write => Err(VersionRefusal::FullControlNeeded),
        CallerControl::Full => Ok(WriteDecision {
            overrode: Some(refusal),
            ..forced
        }),
    }
}

fn judge(writing: &VersionedWrite<'_>, force: Force) -> Result<WriteDecision, VersionRefusal> {
    // First, and also by force: any other answer would be about a content that the caller has not seen.
    if writing.revision == RevisionCheck::Stale {
        return Err(VersionRefusal::Stale);
    }
    let body = writing.body.version();
    let (change, records) = match writing.stored {
        None => (create(writing, force)?, WrittenRecords::Only),
        // Not even by force: the sender saw a stand-in, and its body would erase the content.
        Some(_) if writing.restricted_below.is_some_and(|below| body < below) => {
            return Err(VersionRefusal::RestrictedView { body });
        }
        Some(StoredVersions::Alone(stored)) => {
            (alone(writing, stored, force)?, WrittenRecords::Only)
        }
        // A server that can't load the major of the leading record would overwrite what it can't
        // read.
        Some(StoredVersions::Pair(pair)) if is_foreign(writing, pair) => {
            (read_only_copy(writing, pair, force)?, WrittenRecords::Old)
        }
        Some(StoredVersions::Pair(pair)) => both(writing, pair, force)?,
    };
    Ok(WriteDecision {
        change,
        records,
        overrode: None,
    })
}

fn create(writing: &VersionedWrite<'_>, force: Force) -> Result<ContentChange, VersionRefusal> {
    refuse_mark(writing, writing.carry(None), force)?;
    let at = known_body(writing)?;
    Ok(ContentChange::Create { at })
}

fn alone(
    writing: &VersionedWrite<'_>,
    stored: StoredVersion,
    force: Force,
) -> Result<ContentChange, VersionRefusal> {
    // Unknown here: a newer server has written it.
    let stored_at = writing.known.know_stored(stored);
    let carry = writing.carry(stored_at);
    // Before the body's version is looked at, since a flagged body is refused whatever its version
    // is.
    refuse_mark(writing, carry, force)?;
    let body = known_body(writing)?;
    match (stored_at, force) {
        (Some(stored_at), _) => onto(writing, stored_at, body, carry, force),
        // By force the body replaces content that this server can't read.
        (None, Force::Yes) => Ok(ContentChange::Replace { at: body }),
        (None, Force::No) => Err(VersionRefusal::StoredUnknown { stored }),
    }
}

/// A body at a known version meets a record at a known version.
fn onto(
    writing: &VersionedWrite<'_>,
    stored_at: KnownVersion,
    body: KnownVersion,
    carry: EditCarry,
    force: Force,
) -> Result<ContentChange, VersionRefusal> {
    let edit = ContentChange::Edit {
        written_at: body,
        stored_at,
    };
    let from = stored_at;
    let moved = ContentChange::Move { from, to: body };
    // There is nothing to carry over, so neither force nor the mark makes a difference.
    if body == stored_at {
        return Ok(edit);
    }
    if force == Force::Yes {
        return Ok(moved);
    }
    // Asked only where a carried edit is the answer: elsewhere its refusal does not matter.
    let carried = || carry_over(writing, edit, carry, body);
    // A mark says at which version it was read, not at which it should be stored.
    if writing.body.is_marked() {
        return carried();
    }
    // Where an API can't name the version, a plain save must neither lower a resource nor move it to
    // another major. A newer minor from somebody with full control is meant to be stored there.
    let higher_major = body.version().major > stored_at.version().major;
    match (writing.store_at, writing.control) {
        // Storing at another version changes what all others get to see.
        (StoreAt::Set, CallerControl::Full) => Ok(moved),
        (StoreAt::Set, CallerControl::Write) => Err(VersionRefusal::FullControlNeeded),
        // The caller asks that the stored version stays, so the edit is carried, up or down.
        (StoreAt::Unchanged, _) => carried(),
        (StoreAt::Unsaid, _) if body < stored_at => carried(),
        // A refusal names the major, because that is what the sender has to change.
        (StoreAt::Unsaid, _) if higher_major => carried().map_err(|refusal| match refusal {
            VersionRefusal::Strict { body } => VersionRefusal::MajorHigher { body },
            refusal => refusal,
        }),
        (StoreAt::Unsaid, CallerControl::Full) => Ok(moved),
        // The sender may not move it; if the edit can't be carried either, full control would have
        // helped.
        (StoreAt::Unsaid, CallerControl::Write) => carried().map_err(|refusal| match refusal {
            VersionRefusal::Strict { .. } => VersionRefusal::FullControlNeeded,
            refusal => refusal,
        }),
    }
}

/// The edit of a view, from a lower version or a higher one.
fn carry_over(
    writing: &VersionedWrite<'_>,
    edit: ContentChange,
    carry: EditCarry,
    body: KnownVersion,
) -> Result<ContentChange, VersionRefusal> {
    let body = body.version();
    // A change of meaning between the two versions: the same words would say something else.
    match (carry, writing.barrier) {
        (EditCarry::No(_), _) => Err(VersionRefusal::Strict { body }),
        (EditCarry::Yes, Some(at)) => Err(VersionRefusal::MeaningBetween { body, at }),
        (EditCarry::Yes, None) => Ok(edit),
    }
}

/// Whether all that this server knows of a pair is its read-only copy.
fn is_foreign(writing: &VersionedWrite<'_>, pair: VersionPair) -> bool {
    let knows = |stored: StoredVersion| writing.known.knows_major(stored.0.major);
    pair.lead() == LeadingRecord::New && knows(pair.old()) && !knows(pair.new_record())
}

fn read_only_copy(
    writing: &VersionedWrite<'_>,
    pair: VersionPair,
    force: Force,
) -> Result<ContentChange, VersionRefusal> {
    // The new record leads, so this would write to a copy.
    if force == Force::No {
        let new = pair.new_record();
        return Err(VersionRefusal::MarkedRecord { new });
    }
    let body = known_body(writing)?;
    // A pair exists only at the two majors of its migration.
    if body.version().major != pair.old().0.major {
        return Err(VersionRefusal::in_migration(body, pair));
    }
    Ok(match writing.known.know_stored(pair.old()) {
        None => ContentChange::Replace { at: body },
        Some(stored_at) => ContentChange::Edit {
            written_at: body,
            stored_at,
        },
    })
}

/// The body is put onto the record that rules; the other one is converted from it. The pair stays
/// a pair whatever is said: its majors are the migration's.
fn both(
    writing: &VersionedWrite<'_>,
    pair: VersionPair,
    force: Force,
) -> Result<(ContentChange, WrittenRecords), VersionRefusal> {
    let (lead, mirror) = pair.lead_and_mirror();
    let lead_at = writing.known.know_stored(lead);
    // Onto the record that leads, as the other one is converted from it.
    let carry = writing.carry(lead_at);
    refuse_mark(writing, carry, force)?;
    let body = known_body(writing)?;
    let stored_at = lead_at.ok_or(VersionRefusal::StoredUnknown { stored: lead })?;
    // An old server can serve writes of a pair as long as the record that it can't write is one that
    // somebody else will repair.
    let records = match (writing.known.know_stored(mirror), pair.lead()) {
        (Some(_), _) => WrittenRecords::Both,
        // A mirror that is left behind is noticed by its revision, and repaired.
        (None, LeadingRecord::Old) => WrittenRecords::Old,
        // The way back leads over the old record: it must not be left behind.
        (None, LeadingRecord::New) => return Err(VersionRefusal::StoredUnknown { stored: mirror }),
    };
    let edit = ContentChange::Edit {
        written_at: body,
        stored_at,
    };
    let major = body.version().major;
    // Who names the version wants it stored there, and a pair goes nowhere else.
    let moves = writing.store_at == StoreAt::Set && !writing.body.is_marked() && body > stored_at;
    let change = if major == lead.0.major {
        onto(writing, stored_at, body, carry, force)?
    } else if major == mirror.0.major {
        // The migration was told of every change of meaning on its way.
        edit
    } else if moves || carry != EditCarry::Yes {
        // A third version: neither of the two records is there.
        return Err(VersionRefusal::in_migration(body, pair));
    } else {
        carry_over(writing, edit, carry, body)?
    };
    Ok((change, records))
}

/// A marked body is stored only as the edit that it is, or by force without its mark.
fn refuse_mark(
    writing: &VersionedWrite<'_>,
    carry: EditCarry,
    force: Force,
) -> Result<(), VersionRefusal> {
    match carry {
        // Only a flagged body is refused here: a plain one that can't be carried may still be
        // stored as it is.
        EditCarry::No(why) if writing.body.is_marked() && force == Force::No => {
            let body = writing.body.version();
            Err(VersionRefusal::MarkedBody { body, why })
        }
        _ => Ok(()),
    }
}

fn known_body(writing: &VersionedWrite<'_>) -> Result<KnownVersion, VersionRefusal> {
    let version = writing.body.version();
    let known = writing.known.know(version);
    known.ok_or_else(|| VersionRefusal::version_unknown(version, writing.known))
}
