//! Events: what a committed write did, one group for each atomic write.

use crate::key::Key;
use crate::memo::GroupMemo;
use crate::record::StoredValue;
use crate::revision::{Incarnation, Revision, Token};
use bytes::{BufMut, Bytes, BytesMut};
use std::sync::Arc;

/// What happened to one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyEvent {
    /// Which.
    pub key: Key,
    /// What.
    pub change: KeyChange,
}

/// What a key became.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyChange {
    /// It holds this: a put, or a keep_alive (then the revision is the one it had).
    Put(StoredValue),
    /// It was deleted, or has expired.
    Deleted {
        /// The revision that it had, where the store still knows.
        revision: Option<Revision>,
    },
}

impl KeyEvent {
    /// The revision of what is there, or was.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        match &self.change {
            KeyChange::Put(stored) => stored.revision(),
            KeyChange::Deleted { revision } => *revision,
        }
    }
}

/// All events of one atomic write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGroup {
    /// Its place in the history.
    pub sequence: u64,
    /// In the order of the write's steps.
    pub events: Vec<KeyEvent>,
    /// About how many bytes it takes in memory.
    pub size: usize,
    /// What was found out about it.
    pub memo: GroupMemo,
}

impl EventGroup {
    /// A group; its size is computed.
    #[must_use]
    pub fn new(sequence: u64, events: Vec<KeyEvent>) -> Self {
        // Here and in `event_size`, about what the structs themselves take: the ring bounds memory,
        // and many small events are more bookkeeping than payload.
        let size = events.iter().map(event_size).sum::<usize>() + 64;
        Self {
            sequence,
            events,
            size,
            memo: GroupMemo::default(),
        }
    }
}

fn event_size(event: &KeyEvent) -> usize {
    let stored = match &event.change {
        KeyChange::Put(StoredValue::Record(record)) => record.content.stored_size(),
        KeyChange::Put(StoredValue::Damaged { raw, .. }) => raw.len(),
        KeyChange::Deleted { .. } => 16,
    };
    // The key, and about what the event's struct and its pointers take.
    96 + event.key.as_bytes().len() + stored
}

/// What a key is to become, in stored bytes: how stores with an event table hand a change on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawChange {
    /// Which.
    pub key: Key,
    /// The new bytes, or the revision that was deleted.
    pub to: RawChangeValue,
}

/// The stored bytes that a key becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RawChangeValue {
    /// Holds these bytes.
    Put(Bytes),
    /// Gone; it had this revision.
    Deleted(Revision),
}

impl RawChange {
    /// As an event.
    #[must_use]
    pub fn event(&self) -> KeyEvent {
        let change = match &self.to {
            RawChangeValue::Put(raw) => KeyChange::Put(StoredValue::decode(&self.key, raw.clone())),
            RawChangeValue::Deleted(revision) => KeyChange::Deleted {
                revision: Some(*revision),
            },
        };
        KeyEvent {
            key: self.key.clone(),
            change,
        }
    }
}

/// The bytes of a group in an event table: a CRC-32C of the rest, then for each change its kind
/// (1), key length (2), key, length (4) and the stored bytes or the deleted revision.
///
/// ```
/// use coeval_storage::event::{RawChange, RawChangeValue, decode_group, encode_group};
/// use coeval_storage::{Key, Revision};
///
/// let key = Key::try_from("app/web").unwrap();
/// let gone = RawChange { key, to: RawChangeValue::Deleted(Revision::from_bytes([1; 16])) };
/// let raw = encode_group(&[gone.clone()]);
/// assert_eq!(decode_group(8, &raw).unwrap().events, [gone.event()]);
/// assert!(decode_group(8, &raw.slice(1..)).is_none());
/// ```
#[must_use]
pub fn encode_group(changes: &[RawChange]) -> Bytes {
    let mut out = BytesMut::new();
    // The place of the checksum; it is over all the rest, so it is filled in at the end.
    out.put_u32(0);
    for change in changes {
        let (kind, value): (u8, &[u8]) = match &change.to {
            RawChangeValue::Put(raw) => (1, raw),
            RawChangeValue::Deleted(revision) => (0, revision.as_bytes()),
        };
        out.put_u8(kind);
        // Keys have at most 1,024 bytes and records 384 KiB: both lengths fit.
        out.put_u16(u16::try_from(change.key.as_bytes().len()).unwrap_or(u16::MAX));
        out.put_slice(change.key.as_bytes());
        out.put_u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        out.put_slice(value);
    }
    let sum = crc32c::crc32c(out.get(4..).unwrap_or_default());
    if let Some(place) = out.first_chunk_mut::<4>() {
        *place = sum.to_be_bytes();
    }
    out.freeze()
}

/// Reads what [`encode_group`] wrote; `None` if it is damaged.
#[must_use]
pub fn decode_group(sequence: u64, raw: &Bytes) -> Option<EventGroup> {
    let (sum, _) = raw.split_first_chunk::<4>()?;
    let mut rest = raw.slice(4..);
    // Before anything is parsed: the lengths in damaged bytes would lead anywhere.
    if crc32c::crc32c(&rest) != u32::from_be_bytes(*sum) {
        return None;
    }
    let mut events = Vec::new();
    while !rest.is_empty() {
        let [kind] = *take(&mut rest, 1)?.first_chunk::<1>()?;
        let length = u16::from_be_bytes(*take(&mut rest, 2)?.first_chunk()?);
        // A key that could not have been written is damage, like everything else that can't be
        // read.
        let key = Key::new(take(&mut rest, usize::from(length))?).ok()?;
        let length = u32::from_be_bytes(*take(&mut rest, 4)?.first_chunk()?);
        let value = take(&mut rest, length as usize)?;
        let to = match kind {
            1 => RawChangeValue::Put(value),
            0 => RawChangeValue::Deleted(Revision::from_bytes(*value.first_chunk()?)),
            // A change of another kind comes from a newer release. Skipping it would hide it from
            // watchers.
            _ => return None,
        };
        events.push(RawChange { key, to }.event());
    }
    Some(EventGroup::new(sequence, events))
}

fn take(rest: &mut Bytes, length: usize) -> Option<Bytes> {
    (length <= rest.len()).then(|| rest.split_to(length))
}

/// What is known of a store's history at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HistoryBounds {
    /// Which history.
    pub incarnation: Incarnation,
    /// Events up to and including this sequence are gone.
    pub floor: u64,
    /// The sequence of the last write.
    pub head: u64,
}

impl HistoryBounds {
    /// The token of the last write.
    #[must_use]
    pub fn token(&self) -> Token {
        Token {
            incarnation: self.incarnation,
            sequence: self.head,
        }
    }

    /// Whether the events after `token` are all there. Not if it is of another history, lies
    /// beyond the head (then it is of another history too), or was compacted.
    ///
    /// ```
    /// use coeval_storage::{HistoryBounds, Incarnation, Token};
    ///
    /// let incarnation = Incarnation::from_bytes([1; 16]);
    /// let bounds = HistoryBounds { incarnation, floor: 3, head: 7 };
    /// let resume = |sequence| bounds.can_resume(Token { incarnation, sequence });
    /// assert_eq!([2, 3, 7, 8].map(resume), [false, true, true, false]);
    /// let restored = Incarnation::from_bytes([2; 16]);
    /// assert!(!bounds.can_resume(Token { incarnation: restored, sequence: 7 }));
    /// ```
    #[must_use]
    pub fn can_resume(&self, token: Token) -> bool {
        // The incarnation first: sequences of two histories can't be compared.
        token.incarnation == self.incarnation
            && token.sequence >= self.floor
            && token.sequence <= self.head
    }
}

/// A page of the event log, read in one snapshot with its bounds.
#[derive(Clone, Debug)]
pub struct LogPage {
    /// The history's bounds in that snapshot.
    pub bounds: HistoryBounds,
    /// The groups after the asked sequence, in order, as many as fit.
    pub groups: Vec<Arc<EventGroup>>,
    /// Every group up to this sequence is in `groups`; continue here.
    pub complete_to: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_group_reads_back_and_every_cut_is_found() {
        let changes = [
            RawChange {
                key: Key::try_from("a/b").unwrap(),
                to: RawChangeValue::Deleted(Revision::from_bytes([5; 16])),
            },
            RawChange {
                key: Key::try_from("c").unwrap(),
                to: RawChangeValue::Put(Bytes::from_static(b"not a record")),
            },
        ];
        let raw = encode_group(&changes);
        let group = decode_group(8, &raw).unwrap();
        assert_eq!(group.sequence, 8);
        assert_eq!(group.events, changes.each_ref().map(RawChange::event));
        for end in 0..raw.len() {
            assert!(decode_group(8, &raw.slice(..end)).is_none(), "cut at {end}");
        }
    }

    proptest! {
        #[test]
        fn nonsense_with_a_valid_checksum_never_panics(body: Vec<u8>) {
            let raw = [&crc32c::crc32c(&body).to_be_bytes()[..], &body].concat();
            let _ = decode_group(1, &raw.into());
        }
    }
}
