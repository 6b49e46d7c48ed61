//! The contract: one trait for every store.

use crate::clock::Millis;
use crate::error::StorageError;
use crate::event::LogPage;
use crate::feed::{Watch, WatchRequest};
use crate::key::{Key, Span};
use crate::read::{Entry, Page, Range, ReadRequest, Snapshot};
use crate::record::{Content, Record};
use crate::revision::{Incarnation, Revision, Token};
use crate::write::{Action, AtomicWrite, Condition, Put, Written};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// What `coeval store` and `/readyz` tell of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// `sqlite`, `postgres` or `etcd`.
    pub kind: &'static str,
    /// Which history.
    pub incarnation: Incarnation,
    /// Events up to here are compacted.
    pub floor: u64,
    /// The last write.
    pub head: u64,
    /// Bytes that the store takes, as far as it tells.
    pub bytes: Option<u64>,
}

/// How many events are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Events older than this may go.
    pub age: Duration,
    /// The oldest go once all of them take more than this.
    pub bytes: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            age: Duration::from_secs(60 * 60),
            bytes: 256 * 1024 * 1024,
        }
    }
}

/// A step of giving a store a new history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adoption {
    /// A new incarnation, at once (`coeval store adopt`); refused with
    /// [`StorageError::Restoring`] while another handle restores.
    Now,
    /// Fences every other handle with [`StorageError::Restoring`]; this one may write. Takes over
    /// from a restore that was cut short.
    Begin,
    /// Ends what this handle's `Begin` began, with a new incarnation;
    /// [`StorageError::InvalidWrite`] without one.
    Finish,
}

/// An ordered key-value store with transactions and a history.
///
/// A store implements reads, atomic writes and watches; the single-key operations are cases of
/// these, the same on every store.
#[async_trait]
pub trait Store: Send + Sync + std::fmt::Debug + 'static {
    /// Any number of keys and ranges in one snapshot.
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError>;

    /// Conditions and actions, all or nothing. An `Ok` is durable.
    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError>;

    /// Events in commit order, from now or from a point in the history.
    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError>;

    /// A page of the event log after `sequence` (0: from the oldest that is kept, whatever the
    /// floor), in one snapshot with its bounds. An undecodable group is a
    /// [`StorageError::Failed`] that names its sequence.
    async fn events(&self, after: u64) -> Result<LogPage, StorageError>;

    /// Records in the expiry index whose time has passed, oldest first.
    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError>;

    /// Removes old events; returns the new floor.
    async fn compact(&self, keep: Retention) -> Result<u64, StorageError>;

    /// Begins a new history.
    async fn adopt(&self, step: Adoption) -> Result<Token, StorageError>;

    /// What it is and where it stands.
    async fn status(&self) -> Result<Status, StorageError>;

    /// Ends watches and background work; later calls answer [`StorageError::Closed`].
    async fn close(&self);

    /// One record.
    async fn get(&self, key: &Key) -> Result<Record, StorageError> {
        let snapshot = self.read(ReadRequest::keys([key.clone()])).await?;
        match snapshot.keys.into_iter().next().flatten() {
            Some(entry) => entry.into_record(),
            None => Err(StorageError::NotFound { key: key.clone() }),
        }
    }

    /// One page of a range, and the sequence that it shows.
    async fn range(&self, range: Range) -> Result<(Token, Page), StorageError> {
        let snapshot = self.read(ReadRequest::range(range)).await?;
        let page = snapshot.pages.into_iter().next().unwrap_or_default();
        Ok((snapshot.token, page))
    }

    /// How many live keys a span has, and the sequence at which it has them. A store without a
    /// way of its own counts page by page: then the sequence is the first page's, and what was
    /// written meanwhile may be counted or not.
    async fn count(&self, span: Span) -> Result<(Token, u64), StorageError> {
        // Keys only: contents would be read from the disk just to be dropped.
        let mut range = Range::of(span).keys_only();
        let (token, mut page) = self.range(range.clone()).await?;
        let mut count = page.entries.len() as u64;
        while page.more
            && let Some(last) = page.entries.last()
        {
            range = range.after(&last.key);
            (_, page) = self.range(range.clone()).await?;
            count += page.entries.len() as u64;
        }
        Ok((token, count))
    }

    /// Stores a record where there is none.
    async fn create(&self, key: &Key, put: Put) -> Result<Written, StorageError> {
        self.single(key, Condition::NotExists, Action::Put(put))
            .await
    }

    /// Stores a record, whatever there is.
    async fn put(&self, key: &Key, put: Put) -> Result<Written, StorageError> {
        self.single(key, Condition::Whatever, Action::Put(put))
            .await
    }

    /// Stores a record where there is one.
    async fn update(&self, key: &Key, put: Put) -> Result<Written, StorageError> {
        self.single(key, Condition::Exists, Action::Put(put)).await
    }

    /// Stores a record where there is one with this revision.
    async fn conditional_update(
        &self,
        key: &Key,
        revision: Revision,
        put: Put,
    ) -> Result<Written, StorageError> {
        let condition = Condition::RevisionIs(revision);
        self.single(key, condition, Action::Put(put)).await
    }

    /// Removes a record.
    async fn delete(&self, key: &Key) -> Result<Written, StorageError> {
        self.single(key, Condition::Exists, Action::Delete).await
    }

    /// Removes a record that has this revision.
    async fn conditional_delete(
        &self,
        key: &Key,
        revision: Revision,
    ) -> Result<Written, StorageError> {
        let condition = Condition::RevisionIs(revision);
        self.single(key, condition, Action::Delete).await
    }

    /// Moves a record's expiry; its revision stays.
    async fn keep_alive(
        &self,
        key: &Key,
        expires: Option<Millis>,
    ) -> Result<Written, StorageError> {
        self.single(key, Condition::Exists, Action::KeepAlive(expires))
            .await
    }

    /// A single-key write. (The suite runs a second time with another way of saying it.)
    async fn single(
        &self,
        key: &Key,
        condition: Condition,
        action: Action,
    ) -> Result<Written, StorageError> {
        self.atomic_write(AtomicWrite::new().step(key, condition, action))
            .await
    }

    /// Removes every key of a span, page by page; returns how many. Not one snapshot: what is
    /// written while it runs may stay.
    async fn delete_range(&self, span: Span) -> Result<u64, StorageError> {
        const AT_ONCE: usize = 64;
        let mut range = Range::of(span).keys_only().limit(AT_ONCE);
        let mut deleted = 0;
        loop {
            let (_, page) = self.range(range.clone()).await?;
            let Some(last) = page.entries.last() else {
                return Ok(deleted);
            };
            // Not from the start again: a key that is written over and over would keep this running
            // for ever.
            range = range.after(&last.key);
            let keys = page.entries.iter().map(|entry| &entry.key);
            let write = keys.fold(AtomicWrite::new(), AtomicWrite::delete);
            deleted += write.steps.len() as u64;
            self.atomic_write(write).await?;
            if !page.more {
                return Ok(deleted);
            }
        }
    }
}

/// Any store, shared.
pub type DynStore = Arc<dyn Store>;

#[async_trait]
impl<S: Store + ?Sized> Store for Arc<S> {
    async fn read(&self, request: ReadRequest) -> Result<Snapshot, StorageError> {
        (**self).read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<Written, StorageError> {
        (**self).atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<Watch, StorageError> {
        (**self).watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        (**self).events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<Entry>, StorageError> {
        (**self).expired(limit).await
    }

    async fn compact(&self, keep: Retention) -> Result<u64, StorageError> {
        (**self).compact(keep).await
    }

    async fn adopt(&self, step: Adoption) -> Result<Token, StorageError> {
        (**self).adopt(step).await
    }

    async fn status(&self) -> Result<Status, StorageError> {
        (**self).status().await
    }

    async fn close(&self) {
        (**self).close().await;
    }

    async fn count(&self, span: Span) -> Result<(Token, u64), StorageError> {
        // Forwarded, or a store with a way of its own would fall back to counting page by page.
        (**self).count(span).await
    }

    async fn single(
        &self,
        key: &Key,
        condition: Condition,
        action: Action,
    ) -> Result<Written, StorageError> {
        (**self).single(key, condition, action).await
    }
}

impl From<Content> for Put {
    fn from(content: Content) -> Self {
        Put::of(content)
    }
}
