//! The stored form of a record.
//!
//! | bytes | what |
//! |---|---|
//! | 16 | revision: first, so that a store can compare it without reading the rest |
//! | 4 | CRC-32C of the key and of everything else in the record |
//! | 8 | expiry in milliseconds since 1970, 0 for none |
//! | 1 | level of this format |
//! | 1 | marks: what the store itself notes (bit 0: in the expiry index, bit 1: packed) |
//! | 1 | flags: free for the caller |
//! | 1 | number of fields |
//! | … | fields: tag (1), length (4), bytes |
//! | … | body |
//!
//! Numbers are big-endian. The key is part of the checksum, so that a record under a wrong key is
//! found too.
//!
//! Level 2 knows packed records: fields and body are one LZ4 block, with their length (4,
//! little-endian) in front. Whatever is not packed is written at level 1, so that every release can
//! read it; who asks for packing must know that every server reads level 2.

use crate::clock::UnixMillis;
pub use crate::damage::{LEVEL, RecordDamage};
use crate::key::Key;
use crate::revision::Revision;
use bytes::{BufMut, Bytes, BytesMut};

/// The level of all that is not packed.
const PLAIN: u8 = 1;
/// The level of all that is.
pub const PACKED_SINCE: u8 = 2;
/// What a packed record unpacks to at most. No limit on records can be raised beyond that.
const LARGEST_UNPACKED: usize = 64 * 1024 * 1024;
/// The fixed part in front of the fields.
pub const HEADER: usize = 32;

/// Where the expiry is in the header.
pub const EXPIRY_AT: std::ops::Range<usize> = 20..28;

const LEVEL_AT: usize = 28;
const INDEXED: u8 = 1;
const PACKED: u8 = 2;

/// What a caller stores under a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordContent {
    /// Free for the caller.
    pub flags: u8,
    /// Small parts beside the body, each under a tag.
    pub fields: Vec<(u8, Bytes)>,
    /// The body.
    pub body: Bytes,
    /// Stored packed, where that is smaller.
    pub packed: bool,
}

impl RecordContent {
    /// A body alone.
    #[must_use]
    pub fn of(body: impl Into<Bytes>) -> Self {
        Self {
            body: body.into(),
            ..Self::default()
        }
    }

    /// Bytes that a record of it takes, if it is not packed.
    #[must_use]
    pub fn stored_size(&self) -> usize {
        let fields: usize = self.fields.iter().map(|(_, value)| value.len() + 5).sum();
        HEADER + fields + self.body.len()
    }
}

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Its revision.
    pub revision: Revision,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// Whether the sweep looks for it.
    pub indexed: bool,
    /// What the caller stored.
    pub content: RecordContent,
}

/// What stands under a key: a record, or bytes that are none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoredValue {
    /// A whole record.
    Record(Record),
    /// Bytes that can't be read as one; never hidden, never fatal for its neighbours.
    Damaged {
        /// Why.
        damage: RecordDamage,
        /// What is there.
        raw: Bytes,
    },
}

impl StoredValue {
    /// Decodes what was found under `key`.
    #[must_use]
    pub fn decode(key: &Key, raw: Bytes) -> Self {
        match decode(key, &raw) {
            Ok(record) => Self::Record(record),
            Err(damage) => Self::Damaged { damage, raw },
        }
    }

    /// What the first [`HEADER`] bytes alone tell: a record with an empty content. Its checksum
    /// can't be verified. A damaged one has no more bytes than were given.
    #[must_use]
    pub fn of_head(raw: &[u8]) -> Self {
        let raw = raw.get(..HEADER).unwrap_or(raw);
        let damaged = |damage| Self::Damaged {
            damage,
            raw: Bytes::copy_from_slice(raw),
        };
        match (RecordHead::read(raw), raw.get(LEVEL_AT)) {
            (Some(_), Some(level)) if *level > LEVEL => damaged(RecordDamage::Level(*level)),
            (Some(head), _) => Self::Record(Record {
                revision: head.revision,
                expires: head.expires,
                indexed: head.indexed,
                content: RecordContent {
                    flags: head.flags,
                    ..RecordContent::default()
                },
            }),
            (None, _) => damaged(RecordDamage::Short),
        }
    }

    /// The record, if it is one.
    #[must_use]
    pub fn record(&self) -> Option<&Record> {
        match self {
            Self::Record(record) => Some(record),
            Self::Damaged { .. } => None,
        }
    }

    /// The revision, which is readable in most damaged records too.
    #[must_use]
    pub fn revision(&self) -> Option<Revision> {
        match self {
            Self::Record(record) => Some(record.revision),
            Self::Damaged { raw, .. } => RecordHead::read(raw).map(|head| head.revision),
        }
    }
}

/// The part of a record that conditions are judged by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordHead {
    /// Its revision.
    pub revision: Revision,
    /// When it vanishes.
    pub expires: Option<UnixMillis>,
    /// Whether it is in the expiry index.
    pub indexed: bool,
    /// The caller's flags.
    pub flags: u8,
}

impl RecordHead {
    /// Reads the first [`HEADER`] bytes. Damage elsewhere does not matter here: a damaged record
    /// still exists, and writing over it mends it.
    #[must_use]
    pub fn read(raw: &[u8]) -> Option<Self> {
        let header: &[u8; HEADER] = raw.first_chunk()?;
        let (revision, rest) = header.split_first_chunk::<16>()?;
        let (_, rest) = rest.split_first_chunk::<4>()?;
        let (expires, rest) = rest.split_first_chunk::<8>()?;
        let expires = i64::from_be_bytes(*expires);
        Some(Self {
            revision: Revision::from_bytes(*revision),
            expires: (expires != 0).then_some(UnixMillis(expires)),
            indexed: rest.get(1).is_some_and(|marks| marks & INDEXED != 0),
            flags: rest.get(2).copied().unwrap_or_default(),
        })
    }

    /// Whether it has expired at `now`.
    #[must_use]
    pub fn has_expired(&self, now: UnixMillis) -> bool {
        self.expires.is_some_and(|at| at.has_passed(now))
    }
}

/// The stored bytes of a record under `key`.
///
/// ```
/// use coeval_storage::record::encode;
/// use coeval_storage::{RecordContent, Key, Record, Revision, StoredValue};
///
/// let (revision, content) = (Revision::from_bytes([1; 16]), RecordContent::of("{}"));
/// let record = Record { revision, expires: None, indexed: false, content };
/// let key = Key::try_from("app/web").unwrap();
/// let raw = encode(&key, &record);
/// assert_eq!(StoredValue::decode(&key, raw.clone()), StoredValue::Record(record));
/// // Under another key the same bytes are damage, and their revision is readable all the same.
/// let moved = StoredValue::decode(&Key::try_from("app/db").unwrap(), raw);
/// assert_eq!((moved.record(), moved.revision()), (None, Some(revision)));
/// ```
#[must_use]
pub fn encode(key: &Key, record: &Record) -> Bytes {
    let content = &record.content;
    let mut out = BytesMut::with_capacity(content.stored_size());
    out.put_slice(record.revision.as_bytes());
    // The place of the checksum, which is over all the rest and so comes last.
    out.put_u32(0);
    out.put_i64(record.expires.map_or(0, |at| at.0));
    out.put_u8(PLAIN);
    out.put_u8(if record.indexed { INDEXED } else { 0 });
    out.put_u8(content.flags);
    // Limits are checked before any write: at most 255 fields, each below 4 GiB.
    out.put_u8(u8::try_from(content.fields.len()).unwrap_or(u8::MAX));
    for (tag, value) in content.fields.iter().take(usize::from(u8::MAX)) {
        out.put_u8(*tag);
        out.put_u32(u32::try_from(value.len()).unwrap_or(u32::MAX));
        out.put_slice(value);
    }
    out.put_slice(&content.body);
    if content.packed {
        pack(&mut out);
    }
    let sum = checksum(key, &out);
    if let Some(place) = out.get_mut(16..20) {
        place.copy_from_slice(&sum.to_be_bytes());
    }
    out.freeze()
}

/// Packs what follows the header, if it gets smaller by that.
fn pack(out: &mut BytesMut) {
    let packed = lz4_flex::block::compress_prepend_size(out.get(HEADER..).unwrap_or_default());
    // At level 1 even releases that know no packing can read it.
    if HEADER + packed.len() >= out.len() {
        return;
    }
    out.truncate(HEADER);
    if let Some([level, marks]) = out.get_mut(LEVEL_AT..LEVEL_AT + 2) {
        *level = PACKED_SINCE;
        *marks |= PACKED;
    }
    out.put_slice(&packed);
}

/// What was packed. The length that is said is not believed beyond a bound.
fn unpack(packed: &[u8]) -> Result<Bytes, RecordDamage> {
    let (size, block) =
        lz4_flex::block::uncompressed_size(packed).map_err(|_| RecordDamage::Packed)?;
    // Bounded before anything is allocated: the length comes from the disk.
    if size > LARGEST_UNPACKED {
        return Err(RecordDamage::Packed);
    }
    let unpacked = lz4_flex::block::decompress(block, size).map_err(|_| RecordDamage::Packed)?;
    if unpacked.len() == size {
        Ok(unpacked.into())
    } else {
        Err(RecordDamage::Packed)
    }
}

fn decode(key: &Key, raw: &Bytes) -> Result<Record, RecordDamage> {
    let head = RecordHead::read(raw).ok_or(RecordDamage::Short)?;
    let header: &[u8; HEADER] = raw.first_chunk().ok_or(RecordDamage::Short)?;
    let [.., level, marks, flags, count] = *header;
    let sum = header.get(16..20).ok_or(RecordDamage::Short)?;
    // Before the level: of damaged bytes the level means nothing.
    if sum != checksum(key, raw).to_be_bytes() {
        return Err(RecordDamage::Checksum);
    }
    if level > LEVEL {
        return Err(RecordDamage::Level(level));
    }
    let packed = marks & PACKED != 0;
    let mut rest = raw.slice(HEADER..);
    if packed {
        rest = unpack(&rest)?;
    }
    let mut fields = Vec::with_capacity(usize::from(count));
    for _ in 0..count {
        let (tag, after) = rest.split_first_chunk::<1>().ok_or(RecordDamage::Short)?;
        let length = after.first_chunk::<4>().ok_or(RecordDamage::Short)?;
        let length = u32::from_be_bytes(*length) as usize;
        let tag = tag[0];
        // The length comes from disk, and `usize` may have 32 bits.
        let end = length.checked_add(5).ok_or(RecordDamage::Short)?;
        if end > rest.len() {
            return Err(RecordDamage::Short);
        }
        fields.push((tag, rest.slice(5..end)));
        rest = rest.slice(end..);
    }
    Ok(Record {
        revision: head.revision,
        expires: head.expires,
        indexed: head.indexed,
        content: RecordContent {
            flags,
            fields,
            body: rest,
            packed,
        },
    })
}

fn checksum(key: &Key, raw: &[u8]) -> u32 {
    // The key first, then everything around the checksum's own four bytes.
    let sum = crc32c::crc32c(key.as_bytes());
    let sum = crc32c::crc32c_append(sum, raw.get(..16).unwrap_or_default());
    crc32c::crc32c_append(sum, raw.get(20..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> (Key, Record) {
        let record = Record {
            revision: Revision::from_bytes([7; 16]),
            expires: Some(UnixMillis(1_700_000_000_000)),
            indexed: true,
            content: RecordContent {
                flags: 3,
                fields: vec![(1, Bytes::from_static(b"head")), (9, Bytes::new())],
                body: Bytes::from_static(b"{\"a\":1}"),
                packed: false,
            },
        };
        (Key::try_from("e/acme/app").unwrap(), record)
    }

    fn packed() -> (Key, Record) {
        let (key, mut record) = sample();
        record.content.packed = true;
        record.content.body = r#"{"name":"n","value":"v"},"#.repeat(40).into();
        (key, record)
    }

    #[test]
    fn a_packed_record_reads_back_and_is_smaller() {
        let (key, record) = packed();
        let raw = encode(&key, &record);
        assert!(
            raw.len() < record.content.stored_size() / 3,
            "{}",
            raw.len()
        );
        assert_eq!(raw[LEVEL_AT], PACKED_SINCE);
        let of_head = StoredValue::of_head(&raw);
        assert_eq!(of_head.revision(), Some(record.revision));
        assert_eq!(StoredValue::decode(&key, raw), StoredValue::Record(record));
    }

    #[test]
    fn what_packing_does_not_make_smaller_is_plain_for_every_release() {
        let (key, mut record) = sample();
        record.content.packed = true;
        let raw = encode(&key, &record);
        assert_eq!(raw[LEVEL_AT], PLAIN);
        record.content.packed = false;
        assert_eq!(raw, encode(&key, &record));
    }

    #[test]
    fn a_packed_length_is_not_believed() {
        let (key, record) = packed();
        for said in [0, 7, u32::MAX, u32::MAX / 2, 64 * 1024 * 1024 + 1] {
            let mut raw = encode(&key, &record).to_vec();
            raw[HEADER..HEADER + 4].copy_from_slice(&said.to_le_bytes());
            let sum = checksum(&key, &raw).to_be_bytes();
            raw[16..20].copy_from_slice(&sum);
            let found = StoredValue::decode(&key, raw.into());
            let damage = RecordDamage::Packed;
            assert!(
                matches!(&found, StoredValue::Damaged { damage: of, .. } if *of == damage),
                "{said}: {found:?}"
            );
        }
    }

    #[test]
    fn a_record_reads_back() {
        let (key, record) = sample();
        let raw = encode(&key, &record);
        assert_eq!(raw.len(), record.content.stored_size());
        assert_eq!(StoredValue::decode(&key, raw), StoredValue::Record(record));
    }

    #[test]
    fn every_flipped_bit_is_found() {
        for (key, record) in [sample(), packed()] {
            let raw = encode(&key, &record);
            for byte in 0..raw.len() {
                for bit in 0..8 {
                    let mut broken = raw.to_vec();
                    broken[byte] ^= 1 << bit;
                    let found = StoredValue::decode(&key, broken.into());
                    assert!(
                        matches!(found, StoredValue::Damaged { .. }),
                        "byte {byte} bit {bit}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_record_under_another_key_is_found() {
        let (key, record) = sample();
        let raw = encode(&key, &record);
        let other = Key::try_from("e/acme/apq").unwrap();
        let found = StoredValue::decode(&other, raw);
        assert!(matches!(
            found,
            StoredValue::Damaged {
                damage: RecordDamage::Checksum,
                ..
            }
        ));
    }

    #[test]
    fn a_newer_level_is_named_as_such() {
        let (key, record) = sample();
        let mut raw = encode(&key, &record).to_vec();
        raw[28] = LEVEL + 1;
        let sum = checksum(&key, &raw).to_be_bytes();
        raw[16..20].copy_from_slice(&sum);
        let found = StoredValue::decode(&key, raw.into());
        assert!(matches!(
            found,
            StoredValue::Damaged {
                damage: RecordDamage::Level(3),
                ..
            }
        ));
    }

    #[test]
    fn a_head_alone_tells_all_but_the_content() {
        let (key, record) = sample();
        let raw = encode(&key, &record);
        // The flags are told: conditions are judged by them.
        let without = Record {
            content: RecordContent {
                flags: record.content.flags,
                ..RecordContent::default()
            },
            ..record
        };
        assert_eq!(
            StoredValue::of_head(&raw),
            StoredValue::Record(without.clone())
        );
        assert_eq!(
            StoredValue::of_head(&raw[..HEADER]),
            StoredValue::Record(without)
        );
        let cut = StoredValue::of_head(&raw[..HEADER - 1]);
        assert!(matches!(
            cut,
            StoredValue::Damaged {
                damage: RecordDamage::Short,
                ..
            }
        ));
        let mut newer = raw.to_vec();
        newer[LEVEL_AT] = LEVEL + 1;
        let newer = StoredValue::of_head(&newer);
        assert!(matches!(
            newer,
            StoredValue::Damaged {
                damage: RecordDamage::Level(3),
                ..
            }
        ));
        let expiry = i64::from_be_bytes(raw[EXPIRY_AT].try_into().unwrap());
        assert_eq!(expiry, 1_700_000_000_000);
    }

    proptest! {
        #[test]
        fn any_bytes_decode_to_a_record_or_to_damage(raw: Vec<u8>) {
            let key = Key::try_from("k").unwrap();
            let _ = StoredValue::decode(&key, raw.into());
        }

        #[test]
        fn a_valid_checksum_over_nonsense_never_panics(mut raw: Vec<u8>) {
            prop_assume!(raw.len() >= HEADER);
            let key = Key::try_from("k").unwrap();
            raw[28] = LEVEL;
            raw[29] |= PACKED;
            let sum = checksum(&key, &raw).to_be_bytes();
            raw[16..20].copy_from_slice(&sum);
            let _ = StoredValue::decode(&key, raw.into());
        }
    }
}
