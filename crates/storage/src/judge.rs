//! Group commit, the pure part: the members of one batch are judged one after another, each over
//! what the earlier ones left.
//!
//! A store fills [`Batch`] with what stands in it (by loading keys as they are asked for, or all
//! at once), lets it judge each member, and then writes [`Batch::outcome`] in one transaction.

use crate::clock::Millis;
use crate::error::StorageError;
use crate::event::{RawChange, RawTo};
use crate::key::Key;
use crate::record::{Head, Record, Stored, encode};
use crate::revision::Revision;
use crate::write::{Action, AtomicWrite, Condition, Put, PutRevision, Step};
use bytes::Bytes;
use std::collections::HashMap;

/// What stands under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing.
    Absent,
    /// A record of which only the head was loaded.
    Head(Head),
    /// A record, whole.
    Whole(Bytes),
}

impl Standing {
    /// From the bytes that were found, or their first [`HEADER`](crate::record::HEADER).
    #[must_use]
    pub fn head_of(raw: Option<&[u8]>) -> Self {
        // Bytes that are too short to have a head stand for a record that nothing matches.
        raw.map_or(Self::Absent, |raw| {
            Self::Head(Head::read(raw).unwrap_or(Head {
                revision: Revision::NEVER,
                expires: None,
                indexed: false,
                flags: 0,
            }))
        })
    }

    fn head(&self) -> Option<Head> {
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
pub trait Lookup {
    /// What stands under `key`; `whole` asks for all its bytes.
    ///
    /// # Errors
    /// Whatever the store fails with: the batch is aborted then.
    fn standing(&mut self, key: &Key, whole: bool) -> Result<Standing, StorageError>;
}

/// How much of what stands under its key a step's judgement needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: it is an unconditional put, or no step at all.
    Nothing,
    /// The head.
    Head,
    /// All of it.
    Whole,
}

/// What must be looked up to judge `step`.
#[must_use]
pub fn needs(step: &Step) -> Needs {
    match (&step.condition, &step.action) {
        (_, Action::KeepAlive(_)) => Needs::Whole,
        (Condition::Whatever, Action::Put(_) | Action::Nop) => Needs::Nothing,
        _ => Needs::Head,
    }
}

/// One member's result: what it changes, or why it is refused.
pub type Judgement = Result<Vec<RawChange>, StorageError>;

/// The overlay of one batch.
#[derive(Debug, Default)]
pub struct Batch {
    overlay: HashMap<Key, Standing>,
}

impl Batch {
    /// Judges one member. The outer error is the store's, and aborts the batch; the inner one is
    /// a refusal, and leaves the other members alone.
    ///
    /// # Errors
    /// What the look-up fails with.
    pub fn judge(
        &mut self,
        write: &AtomicWrite,
        revision: Revision,
        now: Millis,
        store: &mut impl Lookup,
    ) -> Result<Judgement, StorageError> {
        let mut changes = Vec::with_capacity(write.steps.len());
        for step in &write.steps {
            let standing = match needs(step) {
                Needs::Nothing => Standing::Absent,
                needs => self.standing(&step.key, needs == Needs::Whole, store)?,
            };
            if let Err(refusal) = holds(step, standing.head(), now) {
                return Ok(Err(refusal));
            }
            match effect(step, &standing, revision) {
                Ok(Some(to)) => changes.push(RawChange {
                    key: step.key.clone(),
                    to,
                }),
                Ok(None) => {}
                Err(refusal) => return Ok(Err(refusal)),
            }
        }
        for change in &changes {
            let standing = match &change.to {
                RawTo::Put(raw) => Standing::Whole(raw.clone()),
                RawTo::Deleted(_) => Standing::Absent,
            };
            self.overlay.insert(change.key.clone(), standing);
        }
        Ok(Ok(changes))
    }

    fn standing(
        &self,
        key: &Key,
        whole: bool,
        store: &mut impl Lookup,
    ) -> Result<Standing, StorageError> {
        match self.overlay.get(key) {
            Some(standing) => Ok(standing.clone()),
            None => store.standing(key, whole),
        }
    }

    /// The last state of every key that the accepted members changed: its bytes, or none.
    pub fn outcome(&self) -> impl Iterator<Item = (&Key, Option<&Bytes>)> {
        self.overlay.iter().map(|(key, standing)| match standing {
            Standing::Whole(raw) => (key, Some(raw)),
            Standing::Absent | Standing::Head(_) => (key, None),
        })
    }
}

/// Whether a step's condition holds for what stands there. Expired is absent.
///
/// # Errors
/// The refusal that the caller gets.
pub fn holds(step: &Step, standing: Option<Head>, now: Millis) -> Result<(), StorageError> {
    let live = standing.filter(|head| !head.has_expired(now));
    let needs_record = matches!(step.action, Action::KeepAlive(_));
    let missing = || {
        Err(StorageError::NotFound {
            key: step.key.clone(),
        })
    };
    match (step.condition, live) {
        (Condition::Whatever, None) if needs_record => missing(),
        (Condition::Whatever, _) | (Condition::Exists, Some(_)) | (Condition::NotExists, None) => {
            Ok(())
        }
        (Condition::Exists | Condition::RevisionIs(_) | Condition::AsRead { .. }, None) => {
            missing()
        }
        (Condition::NotExists, Some(head)) => Err(StorageError::AlreadyExists {
            key: step.key.clone(),
            current: head.revision,
        }),
        (Condition::RevisionIs(revision), Some(head))
            if head.revision == revision && revision != Revision::NEVER =>
        {
            Ok(())
        }
        (
            Condition::AsRead {
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
        (Condition::RevisionIs(_) | Condition::AsRead { .. }, Some(head)) => {
            Err(StorageError::Conflict {
                key: step.key.clone(),
                current: head.revision,
            })
        }
        (Condition::StillExpired(revision, expires), _) => match standing {
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
    step: &Step,
    standing: &Standing,
    revision: Revision,
) -> Result<Option<RawTo>, StorageError> {
    match &step.action {
        Action::Nop => Ok(None),
        // Also of an expired record that is still there: it is removed for good.
        Action::Delete => Ok(standing.head().map(|head| RawTo::Deleted(head.revision))),
        Action::Put(put) => Ok(Some(RawTo::Put(put_bytes(&step.key, put, revision)))),
        Action::KeepAlive(expires) => {
            let Standing::Whole(raw) = standing else {
                return Err(StorageError::failed("a keep_alive needs the whole record"));
            };
            kept_alive(&step.key, raw, *expires).map(|raw| Some(RawTo::Put(raw)))
        }
    }
}

/// The stored bytes of a put.
#[must_use]
pub fn put_bytes(key: &Key, put: &Put, fresh: Revision) -> Bytes {
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
/// # Errors
/// [`StorageError::Damaged`]: a checksum is never renewed over damage.
pub fn kept_alive(key: &Key, raw: &Bytes, expires: Option<Millis>) -> Result<Bytes, StorageError> {
    match Stored::decode(key, raw.clone()) {
        Stored::Record(record) => {
            // A record that did not expire before belongs to no other that the sweep would find.
            let indexed = record.indexed || record.expires.is_none();
            let kept = Record {
                expires,
                indexed: indexed && expires.is_some(),
                ..record
            };
            Ok(encode(key, &kept))
        }
        Stored::Damaged { damage, .. } => Err(StorageError::Damaged {
            key: key.clone(),
            damage,
        }),
    }
}

#[cfg(test)]
mod tests;
