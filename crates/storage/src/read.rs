//! Reads: any number of keys and ranges in one snapshot.

use crate::error::StorageError;
use crate::key::{Key, KeySpan};
use crate::limits::StoreLimits;
use crate::record::{Record, StoredValue};
use crate::revision::Token;

/// How new an answer must be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadFreshness {
    /// It shows every write that was acknowledged before the read began, by whatever server.
    #[default]
    Linearizable,
    /// It may be a little old, if that is cheaper for the store.
    Relaxed,
}

/// Which way a range is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOrder {
    /// From the smallest key on.
    #[default]
    Ascending,
    /// The exact reverse.
    Descending,
}

/// One range of a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadRange {
    /// Which keys.
    pub span: KeySpan,
    /// Which way.
    pub order: ReadOrder,
    /// How many live items at most; the store's page limits hold too.
    pub limit: usize,
    /// Whether the entries come without what the caller stored: each record has its revision,
    /// expiry and mark, and an empty content. The rest of its bytes is not looked at, so no
    /// checksum is verified and damage is not found.
    pub keys_only: bool,
}

impl ReadRange {
    /// All keys of the span, ascending, as many as a page holds.
    #[must_use]
    pub fn of(span: KeySpan) -> Self {
        Self {
            span,
            order: ReadOrder::Ascending,
            limit: usize::MAX,
            keys_only: false,
        }
    }

    /// The keys below `prefix`.
    #[must_use]
    pub fn below(prefix: &Key) -> Self {
        Self::of(KeySpan::below(prefix))
    }

    /// The same, descending.
    #[must_use]
    pub fn descending(mut self) -> Self {
        self.order = ReadOrder::Descending;
        self
    }

    /// The same, with at most `limit` items.
    #[must_use]
    pub fn limit(mut self, limit: usize) -> Self {
        self.limit = limit;
        self
    }

    /// The same, without what the caller stored.
    #[must_use]
    pub fn keys_only(mut self) -> Self {
        self.keys_only = true;
        self
    }

    /// How many items one page of it holds at most.
    #[must_use]
    pub fn page_items(&self, limits: &StoreLimits) -> usize {
        self.limit.min(if self.keys_only {
            limits.page_keys
        } else {
            limits.page_items
        })
    }

    /// What follows `last` in it.
    #[must_use]
    pub fn after(&self, last: &Key) -> Self {
        let span = match self.order {
            ReadOrder::Ascending => self.span.after(last),
            ReadOrder::Descending => self.span.before(last),
        };
        Self { span, ..*self }
    }

    /// What follows a page of it, if anything does.
    ///
    /// ```
    /// # use coeval_storage::{RecordContent, StoredEntry, Key, RangePage, ReadRange, Record, Revision, StoredValue};
    /// # let key = |text: &str| Key::try_from(text).unwrap();
    /// # let (revision, content) = (Revision::from_bytes([1; 16]), RecordContent::of("{}"));
    /// # let stored = StoredValue::Record(Record { revision, expires: None, indexed: false, content });
    /// let range = ReadRange::below(&key("app"));
    /// let page = RangePage { entries: vec![StoredEntry { key: key("app/b"), stored }], more: true };
    /// let next = range.following(&page).unwrap();
    /// assert!(next.span.contains(&key("app/c")) && !next.span.contains(&key("app/b")));
    /// assert_eq!(next.following(&RangePage::default()), None, "that was the last page");
    /// ```
    #[must_use]
    pub fn following(&self, page: &RangePage) -> Option<Self> {
        let last = page.entries.last().filter(|_| page.more)?;
        Some(self.after(&last.key))
    }
}

/// What to read, all of it in one snapshot.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadRequest {
    /// Single keys.
    pub keys: Vec<Key>,
    /// Ranges.
    pub ranges: Vec<ReadRange>,
    /// The snapshot must show at least this.
    pub at_least: Option<Token>,
    /// How new it must be.
    pub freshness: ReadFreshness,
}

impl ReadRequest {
    /// Of single keys.
    #[must_use]
    pub fn keys(keys: impl IntoIterator<Item = Key>) -> Self {
        Self {
            keys: keys.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Of one range.
    #[must_use]
    pub fn range(range: ReadRange) -> Self {
        Self {
            ranges: vec![range],
            ..Self::default()
        }
    }

    /// With one more range.
    #[must_use]
    pub fn and_range(mut self, range: ReadRange) -> Self {
        self.ranges.push(range);
        self
    }

    /// Showing at least `token`.
    #[must_use]
    pub fn at_least(mut self, token: Token) -> Self {
        self.at_least = Some(token);
        self
    }

    /// Refuses what is over the limits, before any I/O.
    ///
    /// # Errors
    /// [`StorageError::TooLarge`].
    pub fn check(&self, limits: &StoreLimits) -> Result<(), StorageError> {
        let parts = self.keys.len() + self.ranges.len();
        limits.check("keys and ranges in one read", parts, limits.read_parts)
    }
}

/// One stored thing and its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredEntry {
    /// Where.
    pub key: Key,
    /// What.
    pub stored: StoredValue,
}

impl StoredEntry {
    /// The record.
    ///
    /// # Errors
    /// [`StorageError::Damaged`] if it is none.
    pub fn into_record(self) -> Result<Record, StorageError> {
        match self.stored {
            StoredValue::Record(record) => Ok(record),
            StoredValue::Damaged { damage, .. } => Err(StorageError::Damaged {
                key: self.key,
                damage,
            }),
        }
    }
}

/// The answer to one range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangePage {
    /// In the range's order.
    pub entries: Vec<StoredEntry>,
    /// Whether the range goes on after the last of them.
    pub more: bool,
}

/// The answer to a read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadSnapshot {
    /// What it shows: everything up to here, nothing after.
    pub token: Token,
    /// One for each key that was asked for; expired is absent.
    pub keys: Vec<Option<StoredEntry>>,
    /// One for each range.
    pub pages: Vec<RangePage>,
}
