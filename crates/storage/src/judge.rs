//! Group commit, the pure part: the members of one batch are judged one after another, each over
//! what the earlier ones left.
//!
//! A sync of the disk or a round trip to a database costs the same for one write as for a hundred, so
//! the writers of one server share it. What they must not share is their fate.
//!
//! # Flow
//!
//! 1. A store takes all writes that wait: they are the members of a batch.
//! 2. It fills a [`BatchOverlay`] with what stands under their keys, by loading keys as they are asked for
//!    ([`StateLookup`]) or all at once ([`lookup_depth`] says which, and how much of each).
//! 3. [`BatchOverlay::judge`] decides one member: every condition is compared with the overlay of what earlier
//!    members have done, or else with the store. Its changes become part of the overlay only if all of
//!    its conditions hold.
//! 4. The store writes [`BatchOverlay::outcome`] in one transaction, with one group of events for each accepted
//!    member, and answers all members after the commit.
//!
//! # What it promises
//!
//! - The outcome is that of the members one after another. The second writer of a key meets what the
//!   first wrote, though neither is on the disk yet.
//! - A refused member leaves no trace, and does not harm its neighbours.
//! - No answer says more than what is durable: nobody is told of a success that a crash could undo.
//! - All stores decide alike, because none of them decides.
//!
//! # What it relies on
//!
//! - Nobody else writes between the look-up and the commit: the store has one writer, or a transaction
//!   that fails in that case. After a failed commit the whole batch is judged again or failed, never
//!   written in part.
//! - `now` is the same for all steps of a member; what has expired by then is absent.
//! - Each key is in a write once ([`AtomicWrite::check`]): the steps of one member don't see each other.
//!
//! # Example
//!
//! Two writers create the same key in one batch:
//!
//! ```
//! # use coeval_storage::judge::{BatchOverlay, StateLookup, KeyState};
//! # use coeval_storage::{WriteAction, AtomicWrite, WriteCondition, Key, UnixMillis, RecordPut, Revision, StorageError};
//! struct Empty;
//! impl StateLookup for Empty {
//!     fn standing(&mut self, _: &Key, _: bool) -> Result<KeyState, StorageError> {
//!         Ok(KeyState::Absent)
//!     }
//! }
//!
//! let key = Key::try_from("app/web").unwrap();
//! let put = WriteAction::Put(RecordPut::of(b"{}".to_vec()));
//! let create = AtomicWrite::new().step(&key, WriteCondition::NotExists, put);
//! let (first, second) = (Revision::from_bytes([1; 16]), Revision::from_bytes([2; 16]));
//!
//! let mut batch = BatchOverlay::default();
//! assert!(batch.judge(&create, first, UnixMillis(0), &mut Empty).unwrap().is_ok());
//! let refusal = batch.judge(&create, second, UnixMillis(0), &mut Empty).unwrap();
//! assert_eq!(refusal, Err(StorageError::AlreadyExists { key, current: first }));
//! assert_eq!(batch.outcome().count(), 1);
//! ```

use crate::clock::UnixMillis;
use crate::error::StorageError;
use crate::event::{RawChange, RawChangeValue};
use crate::key::Key;
use crate::record::{Record, RecordHead, StoredValue, encode};
use crate::revision::Revision;
use crate::write::{AtomicWrite, PutRevision, RecordPut, WriteAction, WriteCondition, WriteStep};
use bytes::Bytes;
use std::collections::HashMap;

/// What stands under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyState {
    /// Nothing.
    Absent,
    /// A record of which only the head was loaded.
    Head(RecordHead),
    /// A record, whole.
    Whole(Bytes),
}

impl KeyState {
    /// From the bytes that were found, or their first [`HEADER`](crate::record::HEADER).
    #[must_use]
    pub fn head_of(raw: Option<&[u8]>) -> Self {
        // Bytes that are too short to have a head stand for a record that nothing matches.
        raw.map_or(Self::Absent, |raw| {
            Self::Head(RecordHead::read(raw).unwrap_or(RecordHead {
                revision: Revision::NEVER,
                expires: None,
                indexed: false,
                flags: 0,
            }))
        })
    }

    fn head(&self) -> Option<RecordHead> {
        match self {
            Self::Absent => None,
            Self::Head(head) => Some(*head),
            Self::Whole(raw) => match Self::head_of(Some(raw)) {
                Self::Head(head) => Some(head),
                Self::Absent | Self::Whole(_) => None,
            },
        }
    }
}

/// Where a batch looks up what stands in the store.
pub trait StateLookup {
    /// What stands under `key`; `whole` asks for all its bytes.
    ///
    /// # Errors
    /// Whatever the store fails with: the batch is aborted then.
    fn standing(&mut self, key: &Key, whole: bool) -> Result<KeyState, StorageError>;
}

/// How much of what stands under its key a step's judgement needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LookupDepth {
    /// Nothing: it is an unconditional put, or no step at all.
    Nothing,
    /// The head.
    Head,
    /// All of it.
    Whole,
}

/// What must be looked up to judge `step`.
#[must_use]
pub fn lookup_depth(step: &WriteStep) -> LookupDepth {
    match (&step.condition, &step.action) {
        // It writes the record's own bytes again, with another expiry.
        (_, WriteAction::KeepAlive(_)) => LookupDepth::Whole,
        // An unconditional put overwrites whatever is there. A delete is not listed: its event
        // names the revision that it removed.
        (WriteCondition::Whatever, WriteAction::Put(_) | WriteAction::Nop) => LookupDepth::Nothing,
        _ => LookupDepth::Head,
    }
}

/// One member's result: what it changes, or why it is refused.
pub type JudgedChanges = Result<Vec<RawChange>, StorageError>;

/// The overlay of one batch.
#[derive(Debug, Default)]
pub struct BatchOverlay {
    overlay: HashMap<Key, KeyState>,
}

impl BatchOverlay {
    /// Judges one member. The outer error is the store's, and aborts the batch; the inner one is
    /// a refusal, and leaves the other members alone.
    ///
    /// # Errors
    /// What the look-up fails with.
    pub fn judge(
        &mut self,
        write: &AtomicWrite,
        revision: Revision,
        now: UnixMillis,
        store: &mut impl StateLookup,
    ) -> Result<JudgedChanges, StorageError> {
        let mut changes = Vec::with_capacity(write.steps.len());
        // Read through the overlay of earlier members, but not through this write's own steps: each key is
        // in it once, so they can't meet.
        for step in &write.steps {
            let standing = match lookup_depth(step) {
                // Neither the condition nor the effect of such a step looks at it.
                LookupDepth::Nothing => KeyState::Absent,
                needs => self.standing(&step.key, needs == LookupDepth::Whole, store)?,
            };
            if let Err(refusal) = check_condition(step, standing.head(), now) {
                return Ok(Err(refusal));
            }
            match effect(step, &standing, revision) {
                Ok(Some(to)) => changes.push(RawChange {
                    key: step.key.clone(),
                    to,
                }),
                // No event either: watchers hear of changes only.
                Ok(None) => {}
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        // Only now, when every condition has held: a refused member must leave nothing behind.
        for change in &changes {
            let standing = match &change.to {
                RawChangeValue::Put(raw) => KeyState::Whole(raw.clone()),
                RawChangeValue::Deleted(_) => KeyState::Absent,
            };
            self.overlay.insert(change.key.clone(), standing);
        }
        Ok(Ok(changes))
    }

    fn standing(
        &self,
        key: &Key,
        whole: bool,
        store: &mut impl StateLookup,
    ) -> Result<KeyState, StorageError> {
        match self.overlay.get(key) {
            Some(standing) => Ok(standing.clone()),
            None => store.standing(key, whole),
        }
    }

    /// The last state of every key that the accepted members changed: its bytes, or none.
    pub fn outcome(&self) -> impl Iterator<Item = (&Key, Option<&Bytes>)> {
        self.overlay.iter().map(|(key, standing)| match standing {
            KeyState::Whole(raw) => (key, Some(raw)),
            // A head never gets here: what a member has changed is whole or absent.
            KeyState::Absent | KeyState::Head(_) => (key, None),
        })
    }
}

/// Whether a step's condition holds for what stands there. Expired is absent.
///
/// ```
/// # use coeval_storage::judge::check_condition;
/// # use coeval_storage::record::RecordHead;
/// # use coeval_storage::{WriteAction, WriteCondition, Key, UnixMillis, Revision, WriteStep, StorageError};
/// let revision = Revision::from_bytes([1; 16]);
/// let lease = RecordHead { revision, expires: Some(UnixMillis(100)), indexed: true, flags: 0 };
/// let key = Key::try_from("lease").unwrap();
/// let create = WriteStep { key, condition: WriteCondition::NotExists, action: WriteAction::Nop };
/// assert!(matches!(check_condition(&create, Some(lease), UnixMillis(99)), Err(StorageError::AlreadyExists { .. })));
/// assert_eq!(check_condition(&create, Some(lease), UnixMillis(100)), Ok(()), "expired is absent");
/// ```
///
/// # Errors
/// The refusal that the caller gets.
pub fn check_condition(
    step: &WriteStep,
    standing: Option<RecordHead>,
    now: UnixMillis,
) -> Result<(), StorageError> {
    // Whether the sweep has been here must make no difference to anybody.
    let live = standing.filter(|head| !head.has_expired(now));
    let needs_record = matches!(step.action, WriteAction::KeepAlive(_));
    // As for the caller of a read: whether it expired or was deleted makes no difference.
    let missing = || {
        Err(StorageError::NotFound {
            key: step.key.clone(),
        })
    };
    match (step.condition, live) {
        (WriteCondition::Whatever, None) if needs_record => missing(),
        (WriteCondition::Whatever, _)
        | (WriteCondition::Exists, Some(_))
        | (WriteCondition::NotExists, None) => Ok(()),
        (
            WriteCondition::Exists | WriteCondition::RevisionIs(_) | WriteCondition::AsRead { .. },
            None,
        ) => missing(),
        (WriteCondition::NotExists, Some(head)) => Err(StorageError::AlreadyExists {
            key: step.key.clone(),
            current: head.revision,
        }),
        // `NEVER` is what a made-up revision parses to, and stands for heads that can't be read: neither
        // may match the other.
        (WriteCondition::RevisionIs(revision), Some(head))
            if head.revision == revision && revision != Revision::NEVER =>
        {
            Ok(())
        }
        (
            WriteCondition::AsRead {
                revision,
                expires,
                flags,
            },
            Some(head),
        ) if head.revision == revision
            && head.expires == expires
            && head.flags == flags
            && revision != Revision::NEVER =>
        {
            Ok(())
        }
        (WriteCondition::RevisionIs(_) | WriteCondition::AsRead { .. }, Some(head)) => {
            Err(StorageError::Conflict {
                key: step.key.clone(),
                current: head.revision,
            })
        }
        // Compared with the record as it is, not with `live`: here *expired* is what is wanted.
        (WriteCondition::StillExpired(revision, expires), _) => match standing {
            Some(head)
                if head.revision == revision
                    && head.expires == Some(expires)
                    && head.has_expired(now) =>
            {
                Ok(())
            }
            Some(head) => Err(StorageError::Conflict {
                key: step.key.clone(),
                current: head.revision,
            }),
            None => missing(),
        },
    }
}

/// What a step whose condition holds does.
fn effect(
    step: &WriteStep,
    standing: &KeyState,
    revision: Revision,
) -> Result<Option<RawChangeValue>, StorageError> {
    match &step.action {
        WriteAction::Nop => Ok(None),
        // Also of an expired record that is still there: it is removed for good.
        WriteAction::Delete => Ok(standing
            .head()
            .map(|head| RawChangeValue::Deleted(head.revision))),
        WriteAction::Put(put) => Ok(Some(RawChangeValue::Put(put_bytes(
            &step.key, put, revision,
        )))),
        WriteAction::KeepAlive(expires) => {
            let KeyState::Whole(raw) = standing else {
                return Err(StorageError::failed("a keep_alive needs the whole record"));
            };
            with_expiry(&step.key, raw, *expires).map(|raw| Some(RawChangeValue::Put(raw)))
        }
    }
}

/// The stored bytes of a put.
#[must_use]
pub fn put_bytes(key: &Key, put: &RecordPut, fresh: Revision) -> Bytes {
    let revision = match put.revision {
        PutRevision::Fresh => fresh,
        PutRevision::Same(revision) => revision,
    };
    let record = Record {
        revision,
        expires: put.expires,
        indexed: put.indexed,
        content: put.content.clone(),
    };
    encode(key, &record)
}

/// The stored bytes with another expiry; the revision stays.
///
/// ```
/// # use coeval_storage::judge::{with_expiry, put_bytes};
/// # use coeval_storage::record::RecordHead;
/// # use coeval_storage::{Key, UnixMillis, RecordPut, Revision};
/// let (key, revision) = (Key::try_from("lease").unwrap(), Revision::from_bytes([1; 16]));
/// let raw = put_bytes(&key, &RecordPut::of(b"{}".to_vec()).expiring(Some(UnixMillis(100))), revision);
/// let head = RecordHead::read(&with_expiry(&key, &raw, Some(UnixMillis(200))).unwrap()).unwrap();
/// assert_eq!((head.revision, head.expires), (revision, Some(UnixMillis(200))));
/// ```
///
/// # Errors
/// [`StorageError::Damaged`]: a checksum is never renewed over damage.
pub fn with_expiry(
    key: &Key,
    raw: &Bytes,
    expires: Option<UnixMillis>,
) -> Result<Bytes, StorageError> {
    match StoredValue::decode(key, raw.clone()) {
        // Decoded although hardly a byte changes: the checksum covers the expiry, and computing it anew
        // over bytes that are damaged would hide the damage.
        StoredValue::Record(record) => {
            // A record that did not expire before belongs to no other that the sweep would find.
            let indexed = record.indexed || record.expires.is_none();
            let kept = Record {
                expires,
                indexed: indexed && expires.is_some(),
                ..record
            };
            Ok(encode(key, &kept))
        }
        StoredValue::Damaged { damage, .. } => Err(StorageError::Damaged {
            key: key.clone(),
            damage,
        }),
    }
}

#[cfg(test)]
mod tests;
