//! Atomic writes: conditions and actions on keys, all or nothing.

use crate::clock::UnixMillis;
use crate::error::StorageError;
use crate::key::Key;
use crate::limits::StoreLimits;
use crate::record::RecordContent;
use crate::revision::{Revision, Token};
use std::collections::HashSet;

/// What must hold for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteCondition {
    /// Anything.
    Whatever,
    /// There is a live record.
    Exists,
    /// There is none.
    NotExists,
    /// There is one, with this revision.
    RevisionIs(Revision),
    /// There is one, exactly as it was read: with this revision, this expiry and these flags. A
    /// keep_alive moves the expiry alone, and a put under the same revision may change the flags
    /// alone, so a write that goes by the revision only could undo one.
    AsRead {
        /// The revision that it had.
        revision: Revision,
        /// The expiry that it had.
        expires: Option<UnixMillis>,
        /// The flags that it had.
        flags: u8,
    },
    /// There is one that has expired and is still as the sweep read it. Only sweeps use this.
    StillExpired(Revision, UnixMillis),
}

/// Which revision a put gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PutRevision {
    /// The one that this atomic write draws, shared by all its fresh puts.
    Fresh,
    /// A given one: for the backfill, repairs and import, nobody else.
    Same(Revision),
}

/// A record to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordPut {
    /// What.
    pub content: RecordContent,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// Whether the sweep looks for it. What belongs to another record carries that one's expiry
    /// and is removed along with it, so it needs no entry of its own.
    pub indexed: bool,
    /// Under which revision.
    pub revision: PutRevision,
}

impl RecordPut {
    /// A fresh record that never expires.
    #[must_use]
    pub fn of(content: impl Into<RecordContent>) -> Self {
        Self {
            content: content.into(),
            expires: None,
            indexed: false,
            revision: PutRevision::Fresh,
        }
    }

    /// The same, vanishing at `expires`; found by the sweep.
    ///
    /// ```
    /// use coeval_storage::{UnixMillis, RecordPut};
    ///
    /// let lease = RecordPut::of(b"{}".to_vec()).expiring(Some(UnixMillis(1_700_000_000_000)));
    /// assert!(lease.indexed, "the sweep finds it");
    /// ```
    #[must_use]
    pub fn expiring(mut self, expires: Option<UnixMillis>) -> Self {
        self.expires = expires;
        self.indexed = expires.is_some();
        self
    }
}

impl From<&'static [u8]> for RecordContent {
    fn from(body: &'static [u8]) -> Self {
        RecordContent::of(body)
    }
}

impl From<Vec<u8>> for RecordContent {
    fn from(body: Vec<u8>) -> Self {
        RecordContent::of(body)
    }
}

impl From<bytes::Bytes> for RecordContent {
    fn from(body: bytes::Bytes) -> Self {
        RecordContent::of(body)
    }
}

/// What to do with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteAction {
    /// Store a record.
    Put(RecordPut),
    /// Remove it. Removing what is not there does nothing.
    Delete,
    /// Move the expiry; the revision stays. There must be a record.
    KeepAlive(Option<UnixMillis>),
    /// Nothing: the condition is all that matters.
    Nop,
}

/// One key of an atomic write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteStep {
    /// Which.
    pub key: Key,
    /// What must hold.
    pub condition: WriteCondition,
    /// What is done.
    pub action: WriteAction,
}

/// Conditions and actions on keys, all or nothing, seen by watchers as one group.
///
/// ```
/// # use coeval_storage::Key;
/// # let key = |text: &str| Key::try_from(text).unwrap();
/// use coeval_storage::{AtomicWrite, WriteCondition, StoreLimits};
///
/// // The name is taken and the app stored together, on condition that its type is there.
/// let write = AtomicWrite::new()
///     .when(&key("type/app"), WriteCondition::Exists)
///     .put(&key("app/1"), b"{}".to_vec())
///     .put(&key("name/web"), b"1".to_vec());
/// assert!(write.check(&StoreLimits::default()).is_ok());
/// let idle = AtomicWrite::new().when(&key("type/app"), WriteCondition::Exists);
/// assert!(idle.check(&StoreLimits::default()).is_err(), "it writes nothing");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AtomicWrite {
    /// Each key once.
    pub steps: Vec<WriteStep>,
}

impl AtomicWrite {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more step.
    #[must_use]
    pub fn step(mut self, key: &Key, condition: WriteCondition, action: WriteAction) -> Self {
        self.steps.push(WriteStep {
            key: key.clone(),
            condition,
            action,
        });
        self
    }

    /// With one more condition.
    #[must_use]
    pub fn when(self, key: &Key, condition: WriteCondition) -> Self {
        self.step(key, condition, WriteAction::Nop)
    }

    /// With one more unconditional put.
    #[must_use]
    pub fn put(self, key: &Key, content: impl Into<RecordContent>) -> Self {
        let put = RecordPut::of(content);
        self.step(key, WriteCondition::Whatever, WriteAction::Put(put))
    }

    /// With one more unconditional delete.
    #[must_use]
    pub fn delete(self, key: &Key) -> Self {
        self.step(key, WriteCondition::Whatever, WriteAction::Delete)
    }

    /// Refuses what is not well formed or over the limits, before any I/O.
    ///
    /// # Errors
    /// [`StorageError::InvalidWrite`] or [`StorageError::TooLarge`].
    pub fn check(&self, limits: &StoreLimits) -> Result<(), StorageError> {
        if self.steps.is_empty() {
            return Err(StorageError::invalid_write("it has no step"));
        }
        let mut keys = HashSet::with_capacity(self.steps.len());
        let (mut conditions, mut actions) = (0, 0);
        let (mut key_bytes, mut values) = (0, 0);
        for step in &self.steps {
            // With two steps on one key, the order would matter, and etcd refuses such a transaction.
            if !keys.insert(&step.key) {
                return Err(StorageError::invalid_write(format!(
                    "the key {} is in it twice",
                    step.key
                )));
            }
            key_bytes += step.key.as_bytes().len();
            // Counted apart, as stores bound them: etcd has a limit for comparisons and one for operations.
            conditions += usize::from(step.condition != WriteCondition::Whatever);
            actions += usize::from(step.action != WriteAction::Nop);
            match &step.action {
                WriteAction::Put(put) => values += check_put(put, limits)?,
                WriteAction::KeepAlive(expires) => check_expiry(*expires)?,
                WriteAction::Delete | WriteAction::Nop => {}
            }
            if matches!(
                (&step.condition, &step.action),
                (WriteCondition::NotExists, WriteAction::KeepAlive(_))
            ) {
                return Err(StorageError::invalid_write(format!(
                    "{} can't be absent and kept alive",
                    step.key
                )));
            }
        }
        // It would take a sequence and wake all watchers for nothing; a read can tell the same.
        if actions == 0 {
            return Err(StorageError::invalid_write("it writes nothing"));
        }
        limits.check("conditions", conditions, limits.conditions)?;
        limits.check("actions", actions, limits.actions)?;
        limits.check("bytes of keys in one atomic write", key_bytes, limits.keys)?;
        limits.check("bytes of values in one atomic write", values, limits.values)
    }

    /// Whether a fresh revision is needed.
    #[must_use]
    pub fn draws_revision(&self) -> bool {
        self.steps.iter().any(
            |step| matches!(&step.action, WriteAction::Put(put) if put.revision == PutRevision::Fresh),
        )
    }
}

fn check_put(put: &RecordPut, limits: &StoreLimits) -> Result<usize, StorageError> {
    let size = put.content.stored_size();
    limits.check("fields in a record", put.content.fields.len(), 255)?;
    limits.check("bytes in a record", size, limits.record)?;
    if put.revision == PutRevision::Same(Revision::NEVER) {
        return Err(StorageError::invalid_write("a revision is all ones"));
    }
    check_expiry(put.expires)?;
    Ok(size)
}

/// Zero stands for none in the stored form, so no record can expire then or earlier.
fn check_expiry(expires: Option<UnixMillis>) -> Result<(), StorageError> {
    if expires.is_some_and(|at| at.0 <= 0) {
        return Err(StorageError::invalid_write("an expiry lies before 1970"));
    }
    Ok(())
}

/// A committed write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommittedWrite {
    /// Where it stands in the history.
    pub token: Token,
    /// The revision that its fresh puts got; [`Revision::NEVER`] if there were none.
    pub revision: Revision,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(n: usize) -> Key {
        Key::try_from(format!("k/{n}").as_str()).unwrap()
    }

    fn refusal(write: &AtomicWrite) -> String {
        write
            .check(&StoreLimits::default())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn empty_duplicate_and_idle_writes_are_refused() {
        assert!(refusal(&AtomicWrite::new()).contains("no step"));
        let twice = AtomicWrite::new().delete(&key(1)).delete(&key(1));
        assert!(refusal(&twice).contains("twice"));
        let idle = AtomicWrite::new().when(&key(1), WriteCondition::Exists);
        assert!(refusal(&idle).contains("writes nothing"));
    }

    #[test]
    fn an_expiry_before_1970_is_refused_in_puts_and_keep_alives() {
        let write = |action| AtomicWrite::new().step(&key(1), WriteCondition::Exists, action);
        let put =
            |at| WriteAction::Put(RecordPut::of(b"v".to_vec()).expiring(Some(UnixMillis(at))));
        for at in [0, -1, i64::MIN] {
            assert!(refusal(&write(put(at))).contains("1970"));
            let keep = WriteAction::KeepAlive(Some(UnixMillis(at)));
            assert!(refusal(&write(keep)).contains("1970"));
        }
        let keep = WriteAction::KeepAlive(Some(UnixMillis(1)));
        assert!(write(keep).check(&StoreLimits::default()).is_ok());
    }

    #[test]
    fn limits_are_exact() {
        let limits = StoreLimits::default();
        let actions = |n| (0..n).fold(AtomicWrite::new(), |w, i| w.delete(&key(i)));
        assert!(actions(limits.actions).check(&limits).is_ok());
        assert!(refusal(&actions(limits.actions + 1)).contains("actions"));

        let conditions = |n| {
            (0..n).fold(AtomicWrite::new().delete(&key(9999)), |w, i| {
                w.when(&key(i), WriteCondition::Exists)
            })
        };
        assert!(conditions(limits.conditions).check(&limits).is_ok());
        assert!(refusal(&conditions(limits.conditions + 1)).contains("conditions"));

        let body = |n: usize| AtomicWrite::new().put(&key(0), vec![0; n]);
        let room = limits.record - RecordContent::default().stored_size();
        assert!(body(room).check(&limits).is_ok());
        assert!(refusal(&body(room + 1)).contains("bytes in a record"));

        let long = |n: usize| Key::new(vec![b'k'; n]).unwrap();
        let keys = |n: usize| (0..n).fold(AtomicWrite::new(), |w, i| w.delete(&long(1024 - i)));
        assert!(keys(40).check(&limits).is_ok());
        assert!(refusal(&keys(42)).contains("bytes of keys"));

        let bodies = |n| (0..n).fold(AtomicWrite::new(), |w, i| w.put(&key(i), vec![0; room]));
        assert!(bodies(3).check(&limits).is_ok());
        assert!(refusal(&bodies(4)).contains("atomic write"));
    }
}
