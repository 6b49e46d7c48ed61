//! Writing: what a body at some version does to what is stored.

use super::{
    Carry, Control, Force, Lead, Pair, Records, Refusal, Revision, StoreAt, Stored, Writing,
};
use crate::version::{KnownVersion, StoredVersion};

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// To the content.
    pub change: Change,
    /// To which records.
    pub records: Records,
    /// What force overrode, where it made a difference.
    pub overrode: Option<Refusal>,
}

/// What a write does to the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
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

impl Change {
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
/// # use coeval_core::version::{Known, StoredVersion, Version, WriteVersion};
/// # let (v1, v2) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
/// # let known: Known = [v1, v2].into_iter().collect();
/// // A client of v1 saves the view of v1 that it has read: an edit of what is stored at v2.
/// let writing = Writing {
///     stored: Some(Stored::Alone(StoredVersion(v2))),
///     body: WriteVersion::downgraded(v1),
///     known: &known,
///     store_at: StoreAt::Unsaid,
///     revision: Revision::Current,
///     skew: Skew::Merge,
///     control: Control::Write,
///     force: Force::No,
///     restricted_below: None,
///     barrier: None,
/// };
/// let write = decide_write(&writing).unwrap();
/// assert!(matches!(write.change, Change::Edit { .. }));
/// assert_eq!(write.change.stored_at().version(), v2);
/// // Without the revision, nobody knows what it is an edit of.
/// let blind = Writing { revision: Revision::NotGiven, ..writing };
/// let why = WhyNot::NoRevision;
/// assert_eq!(decide_write(&blind), Err(Refusal::MarkedBody { body: v1, why }));
/// ```
pub fn decide_write(writing: &Writing<'_>) -> Result<Write, Refusal> {
    let refusal = match judge(writing, Force::No) {
        Err(refusal) if writing.force == Force::Yes => refusal,
        decided => return decided,
    };
    // Judged again rather than waved through: force does not override everything, and what it can't
    // override is the better refusal to report.
    let forced = judge(writing, Force::Yes)?;
    match writing.control {
        Control::Write => Err(Refusal::FullControlNeeded),
        Control::Full => Ok(Write {
            overrode: Some(refusal),
            ..forced
        }),
    }
}

fn judge(writing: &Writing<'_>, force: Force) -> Result<Write, Refusal> {
    // First, and also by force: any other answer would be about a content that the caller has not seen.
    if writing.revision == Revision::Stale {
        return Err(Refusal::Stale);
    }
    let body = writing.body.version();
    let (change, records) = match writing.stored {
        None => (create(writing, force)?, Records::Only),
        // Not even by force: the sender saw a stand-in, and its body would erase the content.
        Some(_) if writing.restricted_below.is_some_and(|below| body < below) => {
            return Err(Refusal::RestrictedView { body });
        }
        Some(Stored::Alone(stored)) => (alone(writing, stored, force)?, Records::Only),
        Some(Stored::Pair(pair)) if is_foreign(writing, pair) => {
            (read_only_copy(writing, pair, force)?, Records::Old)
        }
        Some(Stored::Pair(pair)) => both(writing, pair, force)?,
    };
    Ok(Write {
        change,
        records,
        overrode: None,
    })
}

fn create(writing: &Writing<'_>, force: Force) -> Result<Change, Refusal> {
    refuse_mark(writing, writing.carry(None), force)?;
    let at = known_body(writing)?;
    Ok(Change::Create { at })
}

fn alone(writing: &Writing<'_>, stored: StoredVersion, force: Force) -> Result<Change, Refusal> {
    let stored_at = writing.known.know_stored(stored);
    let carry = writing.carry(stored_at);
    refuse_mark(writing, carry, force)?;
    let body = known_body(writing)?;
    match (stored_at, force) {
        (Some(stored_at), _) => onto(writing, stored_at, body, carry, force),
        (None, Force::Yes) => Ok(Change::Replace { at: body }),
        (None, Force::No) => Err(Refusal::StoredUnknown { stored }),
    }
}

/// A body at a known version meets a record at a known version.
fn onto(
    writing: &Writing<'_>,
    stored_at: KnownVersion,
    body: KnownVersion,
    carry: Carry,
    force: Force,
) -> Result<Change, Refusal> {
    let edit = Change::Edit {
        written_at: body,
        stored_at,
    };
    let from = stored_at;
    let moved = Change::Move { from, to: body };
    // There is nothing to carry over, so neither force nor the mark makes a difference.
    if body == stored_at {
        return Ok(edit);
    }
    if force == Force::Yes {
        return Ok(moved);
    }
    let carried = || carry_over(writing, edit, carry, body);
    // A mark says at which version it was read, not at which it should be stored.
    if writing.body.is_marked() {
        return carried();
    }
    // Where an API can't name the version, a plain save must neither lower a resource nor move it to
    // another major. A newer minor from somebody with full control is meant to be stored there.
    let higher_major = body.version().major > stored_at.version().major;
    match (writing.store_at, writing.control) {
        (StoreAt::Set, Control::Full) => Ok(moved),
        (StoreAt::Set, Control::Write) => Err(Refusal::FullControlNeeded),
        (StoreAt::Unchanged, _) => carried(),
        (StoreAt::Unsaid, _) if body < stored_at => carried(),
        (StoreAt::Unsaid, _) if higher_major => carried().map_err(|refusal| match refusal {
            Refusal::Strict { body } => Refusal::MajorHigher { body },
            refusal => refusal,
        }),
        (StoreAt::Unsaid, Control::Full) => Ok(moved),
        (StoreAt::Unsaid, Control::Write) => carried().map_err(|refusal| match refusal {
            Refusal::Strict { .. } => Refusal::FullControlNeeded,
            refusal => refusal,
        }),
    }
}

/// The edit of a view, from a lower version or a higher one.
fn carry_over(
    writing: &Writing<'_>,
    edit: Change,
    carry: Carry,
    body: KnownVersion,
) -> Result<Change, Refusal> {
    let body = body.version();
    match (carry, writing.barrier) {
        (Carry::No(_), _) => Err(Refusal::Strict { body }),
        (Carry::Yes, Some(at)) => Err(Refusal::MeaningBetween { body, at }),
        (Carry::Yes, None) => Ok(edit),
    }
}

/// Whether all that this server knows of a pair is its read-only copy.
fn is_foreign(writing: &Writing<'_>, pair: Pair) -> bool {
    let knows = |stored: StoredVersion| writing.known.knows_major(stored.0.major);
    pair.lead() == Lead::New && knows(pair.old()) && !knows(pair.new_record())
}

fn read_only_copy(writing: &Writing<'_>, pair: Pair, force: Force) -> Result<Change, Refusal> {
    if force == Force::No {
        let new = pair.new_record();
        return Err(Refusal::MarkedRecord { new });
    }
    let body = known_body(writing)?;
    if body.version().major != pair.old().0.major {
        return Err(Refusal::in_migration(body, pair));
    }
    Ok(match writing.known.know_stored(pair.old()) {
        None => Change::Replace { at: body },
        Some(stored_at) => Change::Edit {
            written_at: body,
            stored_at,
        },
    })
}

/// The body is put onto the record that rules; the other one is converted from it. The pair stays
/// a pair whatever is said: its majors are the migration's.
fn both(writing: &Writing<'_>, pair: Pair, force: Force) -> Result<(Change, Records), Refusal> {
    let (lead, mirror) = pair.lead_and_mirror();
    let lead_at = writing.known.know_stored(lead);
    let carry = writing.carry(lead_at);
    refuse_mark(writing, carry, force)?;
    let body = known_body(writing)?;
    let stored_at = lead_at.ok_or(Refusal::StoredUnknown { stored: lead })?;
    // An old server can serve writes of a pair as long as the record that it can't write is one that
    // somebody else will repair.
    let records = match (writing.known.know_stored(mirror), pair.lead()) {
        (Some(_), _) => Records::Both,
        // A mirror that is left behind is noticed by its revision, and repaired.
        (None, Lead::Old) => Records::Old,
        // The way back leads over the old record: it must not be left behind.
        (None, Lead::New) => return Err(Refusal::StoredUnknown { stored: mirror }),
    };
    let edit = Change::Edit {
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
    } else if moves || carry != Carry::Yes {
        return Err(Refusal::in_migration(body, pair));
    } else {
        carry_over(writing, edit, carry, body)?
    };
    Ok((change, records))
}

/// A marked body is stored only as the edit that it is, or by force without its mark.
fn refuse_mark(writing: &Writing<'_>, carry: Carry, force: Force) -> Result<(), Refusal> {
    match carry {
        Carry::No(why) if writing.body.is_marked() && force == Force::No => {
            let body = writing.body.version();
            Err(Refusal::MarkedBody { body, why })
        }
        _ => Ok(()),
    }
}

fn known_body(writing: &Writing<'_>) -> Result<KnownVersion, Refusal> {
    let version = writing.body.version();
    let known = writing.known.know(version);
    known.ok_or_else(|| Refusal::version_unknown(version, writing.known))
}
