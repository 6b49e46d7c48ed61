//! Ranges: pages of records, pages of keys, and counts.

use crate::error::typed;
use crate::transaction::{ReadTransaction, is_live};
use bytes::{Bytes, BytesMut};
use coeval_storage::record::{EXPIRY_AT, HEADER};
use coeval_storage::{
    Key, KeySpan, RangePage, ReadOrder, ReadRange, StorageError, StoredEntry, StoredValue, Token,
};
use rusqlite::{Row, params};

/// Copies of many small pieces in few allocations. Whoever keeps one piece keeps its chunk, so
/// chunks are small, and a large piece gets its own.
#[derive(Default)]
struct ChunkedCopies(BytesMut);

impl ChunkedCopies {
    const CHUNK: usize = 16 * 1024;

    fn of(&mut self, piece: &[u8]) -> Bytes {
        if piece.len() > Self::CHUNK / 4 {
            return Bytes::copy_from_slice(piece);
        }
        if self.0.capacity() < piece.len() {
            self.0 = BytesMut::with_capacity(Self::CHUNK);
        }
        self.0.extend_from_slice(piece);
        // `split` takes what was written and leaves the rest of the chunk for the next piece.
        self.0.split().freeze()
    }
}

/// The statement of a range. Of keys only the head is brought along.
fn statement(range: &ReadRange) -> &'static str {
    macro_rules! select {
        ($value:expr, $order:expr) => {
            concat!(
                "SELECT key, ",
                $value,
                " FROM records WHERE key >= ? AND key < ? ORDER BY ",
                $order
            )
        };
    }
    match (range.order, range.keys_only) {
        (ReadOrder::Ascending, false) => select!("value", "key"),
        (ReadOrder::Descending, false) => select!("value", "key DESC"),
        (ReadOrder::Ascending, true) => select!("substr(value, 1, 32)", "key"),
        (ReadOrder::Descending, true) => select!("substr(value, 1, 32)", "key DESC"),
    }
}
// The statements say the size of the head as a number.
const _: () = assert!(HEADER == 32);

pub(crate) fn page(
    transaction: &ReadTransaction<'_>,
    range: &ReadRange,
) -> Result<RangePage, StorageError> {
    let mut page = RangePage::default();
    if range.span.is_empty() {
        return Ok(page);
    }
    let mut statement = transaction
        .connection
        .prepare_cached(statement(range))
        .map_err(typed)?;
    let mut rows = statement
        .query(params![range.span.start.as_ref(), range.span.end.as_ref()])
        .map_err(typed)?;
    let most = range.page_items(&transaction.limits);
    let mut bytes = 0;
    let mut copies = ChunkedCopies::default();
    while let Some(row) = rows.next().map_err(typed)? {
        let raw = blob(row, 1)?;
        if !is_live(raw, transaction.now) {
            continue;
        }
        // Only a further live record shows that there is more; it is not brought along.
        if page.entries.len() >= most || bytes >= transaction.limits.page_bytes {
            page.more = true;
            break;
        }
        let key = Key::unchecked(copies.of(blob(row, 0)?));
        let (size, stored) = if range.keys_only {
            (key.as_bytes().len(), StoredValue::of_head(raw))
        } else {
            (raw.len(), StoredValue::decode(&key, copies.of(raw)))
        };
        bytes += size;
        page.entries.push(StoredEntry { key, stored });
    }
    Ok(page)
}

fn blob<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r [u8], StorageError> {
    let value = row.get_ref(column).map_err(typed)?;
    value.as_blob().map_err(|e| typed(e.into()))
}

/// Compares the expiry where it is, in big-endian bytes: none, or after now. (With the first bit
/// set it would be before 1970.) What is too short for a head expires never.
const COUNT: &str = "SELECT count(*) FROM (
       SELECT substr(value, 21, 8) AS expires, length(value) AS size
         FROM records WHERE key >= ?1 AND key < ?2)
     WHERE size < 32 OR expires = zeroblob(8)
        OR (expires > ?3 AND expires < x'8000000000000000')";
const _: () = assert!(EXPIRY_AT.start == 20 && EXPIRY_AT.end == 28);

/// How many live records a span has, in this snapshot.
pub(crate) fn count(
    transaction: &ReadTransaction<'_>,
    span: &KeySpan,
) -> Result<(Token, u64), StorageError> {
    let token = transaction.bounds.token();
    if span.is_empty() {
        return Ok((token, 0));
    }
    let mut statement = transaction
        .connection
        .prepare_cached(COUNT)
        .map_err(typed)?;
    // A time before 1970 would have the first bit set, and compare as larger than any expiry.
    let now = transaction.now.0.max(0).to_be_bytes();
    let bounds = params![span.start.as_ref(), span.end.as_ref(), now.as_slice()];
    let count: i64 = statement
        .query_row(bounds, |row| row.get(0))
        .map_err(typed)?;
    Ok((token, u64::try_from(count).unwrap_or(0)))
}
