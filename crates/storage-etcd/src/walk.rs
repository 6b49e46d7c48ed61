//! One range of a read, brought in chunks: so an answer of etcd is bounded, whatever the records'
//! sizes, and expired ones take no place in the page.

use crate::expired_record::{ExpiredRecord, detached, live};
use crate::layout::{KeyLayout, just_after};
use crate::{ops, pb};
use bytes::Bytes;
use coeval_storage::{
    RangePage, ReadOrder, ReadRange, StoreLimits, StoredEntry, StoredValue, UnixMillis,
};
use pb::range_request::SortOrder;

/// What a chunk should take, by the sizes that were met.
const CHUNK_BYTES: usize = 2 * 1024 * 1024;
const CHUNK: (usize, usize) = (16, 512);

/// A range under way.
#[derive(Debug)]
pub(crate) struct RangeWalk {
    start: Bytes,
    end: Bytes,
    order: ReadOrder,
    limit: usize,
    keys_only: bool,
    byte_limit: usize,
    bytes: usize,
    met: (usize, usize),
    pub(crate) page: RangePage,
    pub(crate) done: bool,
}

impl RangeWalk {
    pub(crate) fn new(range: &ReadRange, layout: &KeyLayout, limits: &StoreLimits) -> Self {
        let (start, end) = layout.records(&range.span);
        Self {
            start,
            end,
            order: range.order,
            limit: range.page_items(limits),
            keys_only: range.keys_only,
            byte_limit: limits.page_bytes,
            bytes: 0,
            met: (0, 0),
            page: RangePage::default(),
            done: range.span.is_empty(),
        }
    }

    /// How many records to bring next.
    pub(crate) fn chunk(&self) -> usize {
        let (records, bytes) = self.met;
        let size = (bytes / records.max(1)).max(1);
        (CHUNK_BYTES / size).clamp(CHUNK.0, CHUNK.1)
    }

    /// The next chunk of at most so many; none if the page is complete.
    ///
    /// (etcd sorts a descending range itself: it reads all of it for each chunk.)
    pub(crate) fn next(&self, chunk: usize) -> Option<pb::RangeRequest> {
        if self.done {
            return None;
        }
        // One more than fits tells whether there is more.
        let wanted = (self.limit - self.page.entries.len()).saturating_add(1);
        let order = match self.order {
            ReadOrder::Ascending => SortOrder::None,
            ReadOrder::Descending => SortOrder::Descend,
        };
        Some(pb::RangeRequest {
            sort_order: order.into(),
            ..ops::range(&self.start, &self.end, wanted.min(chunk))
        })
    }

    /// Takes what [`RangeWalk::next`] brought.
    pub(crate) fn take(
        &mut self,
        answer: pb::RangeResponse,
        layout: &KeyLayout,
        now: UnixMillis,
        past: &mut Vec<ExpiredRecord>,
    ) {
        let more = answer.more;
        for kv in answer.kvs {
            match self.order {
                ReadOrder::Ascending => self.start = just_after(&kv.key),
                ReadOrder::Descending => self.end = kv.key.clone(),
            }
            let mut size = kv.key.len() + kv.value.len();
            self.met = (self.met.0 + 1, self.met.1 + size);
            let Some(key) = layout.key_of(&kv.key) else {
                // Something else under our prefix: not a record, and no reason to fail.
                continue;
            };
            let Some(kv) = live(&key, kv, now, past) else {
                continue;
            };
            if self.keys_only {
                size = kv.key.len();
            }
            // The first one always fits, or the page would stay empty for ever.
            let full = !self.page.entries.is_empty() && self.bytes + size > self.byte_limit;
            if full || self.page.entries.len() >= self.limit {
                self.page.more = true;
                self.done = true;
                return;
            }
            self.bytes += size;
            // etcd gives keys alone as well, but then without the expiry.
            self.page.entries.push(if self.keys_only {
                StoredEntry {
                    key: detached(&key),
                    stored: StoredValue::of_head(&kv.value),
                }
            } else {
                StoredEntry {
                    stored: StoredValue::decode(&key, kv.value),
                    key,
                }
            });
        }
        self.done = !more;
    }
}
