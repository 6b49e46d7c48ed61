//! Where things are in etcd, all under one prefix:
//!
//! | key | what |
//! |---|---|
//! | `d/` and our key | a record |
//! | `m/head` | the id of the last write: every transaction of ours puts it, last |
//! | `m/store` | level, incarnation, who loads a restore |
//! | `m/floor` | up to where we compacted |
//! | `m/compactor` | who compacts |
//! | `m/clock/` and a server | that server's clock |
//! | `x/` and an expiry `/k/` and our key | expiry index, one record |
//! | `x/` and an expiry `/w/` and a write | expiry index, all records of one large write |
//!
//! `d` and `m` are neighbours, so one watch covers both and spares the index.

use bytes::Bytes;
use coeval_storage::{Key, KeySpan, UnixMillis};

const DIGITS: usize = 20;

/// The keys of one store.
#[derive(Clone, Debug)]
pub(crate) struct KeyLayout {
    prefix: Vec<u8>,
    data: Bytes,
    pub(crate) head: Bytes,
    pub(crate) store: Bytes,
    pub(crate) floor: Bytes,
    pub(crate) compactor: Bytes,
    clocks: Bytes,
}

/// What an entry of the expiry index stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IndexedExpiry {
    /// One record that expires then.
    Record(UnixMillis, Key),
    /// Several, listed in the value.
    Write,
}

impl KeyLayout {
    pub(crate) fn new(prefix: &str) -> Self {
        let at = |rest: &str| Bytes::from(format!("{prefix}/{rest}"));
        Self {
            prefix: format!("{prefix}/").into_bytes(),
            data: at("d/"),
            head: at("m/head"),
            store: at("m/store"),
            floor: at("m/floor"),
            compactor: at("m/compactor"),
            clocks: at("m/clock/"),
        }
    }

    fn at(&self, parts: &[&[u8]]) -> Bytes {
        [&[self.prefix.as_slice()], parts].concat().concat().into()
    }

    /// Where a record is.
    pub(crate) fn record(&self, key: &Key) -> Bytes {
        self.at(&[b"d/", key.as_bytes()])
    }

    /// Where the records of a span are.
    pub(crate) fn records(&self, span: &KeySpan) -> (Bytes, Bytes) {
        (self.at(&[b"d/", &span.start]), self.at(&[b"d/", &span.end]))
    }

    /// The key of a record; none if this is no record, or something that we could not have put.
    pub(crate) fn key_of(&self, raw: &Bytes) -> Option<Key> {
        raw.starts_with(&self.data)
            .then(|| raw.slice(self.data.len()..))
            .and_then(|key| Key::new(key).ok())
    }

    /// Records and notes: all that a watch needs to see.
    pub(crate) fn watched(&self) -> (Bytes, Bytes) {
        // `n` is the letter after `m`: in between are `d/` and `m/`.
        (self.data.clone(), self.at(&[b"n"]))
    }

    /// A server's clock.
    pub(crate) fn clock(&self, server: [u8; 16]) -> Bytes {
        let name = format!("{:032x}", u128::from_be_bytes(server));
        self.at(&[b"m/clock/", name.as_bytes()])
    }

    /// Every server's clock.
    pub(crate) fn clocks(&self) -> (Bytes, Bytes) {
        // `0` is the byte after `/`.
        (self.clocks.clone(), self.at(&[b"m/clock0"]))
    }

    /// Whether this is a server's clock.
    pub(crate) fn is_clock(&self, raw: &[u8]) -> bool {
        raw.starts_with(&self.clocks)
    }

    /// The entry of one record in the expiry index.
    pub(crate) fn index_of_record(&self, at: UnixMillis, key: &Key) -> Bytes {
        self.at(&[b"x/", &digits(at), b"/k/", key.as_bytes()])
    }

    /// The entry of a large write in the expiry index.
    pub(crate) fn index_of_write(&self, at: UnixMillis, write: [u8; 16]) -> Bytes {
        let name = format!("{:032x}", u128::from_be_bytes(write));
        self.at(&[b"x/", &digits(at), b"/w/", name.as_bytes()])
    }

    /// The entries up to and including `now`.
    pub(crate) fn index_until(&self, now: UnixMillis) -> (Bytes, Bytes) {
        // The end of a range is outside of it.
        (self.at(&[b"x/"]), self.at(&[b"x/", &digits(now.plus(1))]))
    }

    /// What an entry of the index stands for.
    pub(crate) fn indexed(&self, raw: &Bytes) -> Option<IndexedExpiry> {
        let rest = raw.strip_prefix(self.prefix.as_slice())?;
        let (at, rest) = rest.strip_prefix(b"x/")?.split_at_checked(DIGITS)?;
        if rest.starts_with(b"/w/") {
            return Some(IndexedExpiry::Write);
        }
        let at = std::str::from_utf8(at).ok()?.parse().ok()?;
        let key = raw.slice_ref(rest.strip_prefix(b"/k/")?);
        Some(IndexedExpiry::Record(UnixMillis(at), Key::new(key).ok()?))
    }
}

/// Decimal, so that an operator can read it; expiries lie after 1970, so order is kept.
fn digits(at: UnixMillis) -> Vec<u8> {
    format!("{:0DIGITS$}", at.0.max(0)).into_bytes()
}

/// The smallest key after `raw`.
pub(crate) fn just_after(raw: &[u8]) -> Bytes {
    [raw, &[0]].concat().into()
}

/// The bytes of an index entry for several records.
pub(crate) fn encode_index(records: &[(UnixMillis, Key)]) -> Bytes {
    let mut out = Vec::new();
    for (at, key) in records {
        out.extend_from_slice(&at.0.to_be_bytes());
        // A key has at most 1,024 bytes.
        let length = u16::try_from(key.as_bytes().len()).unwrap_or(u16::MAX);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(key.as_bytes());
    }
    out.into()
}

/// Reads what [`encode_index`] wrote, as far as it is whole.
pub(crate) fn decode_index(raw: &Bytes) -> Vec<(UnixMillis, Key)> {
    let mut records = Vec::new();
    let mut rest = raw.as_ref();
    while let Some((at, after)) = rest.split_first_chunk::<8>() {
        let Some((length, after)) = after.split_first_chunk::<2>() else {
            break;
        };
        let length = usize::from(u16::from_be_bytes(*length));
        let Some((key, after)) = after.split_at_checked(length) else {
            break;
        };
        if let Ok(key) = Key::new(raw.slice_ref(key)) {
            records.push((UnixMillis(i64::from_be_bytes(*at)), key));
        }
        rest = after;
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_index_entries_read_back() {
        let layout = KeyLayout::new("a/b");
        let key = Key::new(vec![0, 255, b'/', 1]).unwrap();
        assert_eq!(layout.key_of(&layout.record(&key)), Some(key.clone()));
        assert_eq!(layout.key_of(&layout.head), None);
        let entry = layout.index_of_record(UnixMillis(17), &key);
        assert_eq!(
            layout.indexed(&entry),
            Some(IndexedExpiry::Record(UnixMillis(17), key.clone()))
        );
        let write = layout.index_of_write(UnixMillis(17), [1; 16]);
        assert_eq!(layout.indexed(&write), Some(IndexedExpiry::Write));
        let records = vec![(UnixMillis(1), key.clone()), (UnixMillis(i64::MAX), key)];
        let raw = encode_index(&records);
        assert_eq!(decode_index(&raw), records);
        assert_eq!(decode_index(&raw.slice(..raw.len() - 1)).len(), 1);
    }

    #[test]
    fn the_index_is_in_order_of_time_and_its_end_is_exact() {
        let layout = KeyLayout::new("p");
        let key = Key::new(vec![255; 1024]).unwrap();
        let (start, end) = layout.index_until(UnixMillis(99));
        assert!(start < layout.index_of_record(UnixMillis(9), &key));
        assert!(layout.index_of_record(UnixMillis(99), &key) < end);
        assert!(layout.index_of_write(UnixMillis(100), [0; 16]) >= end);
        assert!(layout.watched().1 < start);
    }
}
