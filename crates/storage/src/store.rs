//! The contract: one trait for every store.

use crate::clock::UnixMillis;
use crate::error::StorageError;
use crate::event::LogPage;
use crate::feed::{DeliveryStream, WatchRequest};
use crate::key::{Key, KeySpan};
use crate::read::{RangePage, ReadRange, ReadRequest, ReadSnapshot, StoredEntry};
use crate::record::{Record, RecordContent};
use crate::revision::{Incarnation, Revision, Token};
use crate::write::{AtomicWrite, CommittedWrite, RecordPut, WriteAction, WriteCondition};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

/// What `coeval store` and `/readyz` tell of a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreStatus {
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
pub struct EventRetention {
    /// Events older than this may go.
    pub age: Duration,
    /// The oldest go once all of them take more than this.
    pub bytes: u64,
}

impl Default for EventRetention {
    fn default() -> Self {
        Self {
            age: Duration::from_secs(60 * 60),
            bytes: 256 * 1024 * 1024,
        }
    }
}

/// A step of giving a store a new history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdoptionStep {
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
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError>;

    /// Conditions and actions, all or nothing. An `Ok` is durable.
    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError>;

    /// Events in commit order, from now or from a point in the history.
    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError>;

    /// A page of the event log after `sequence` (0: from the oldest that is kept, whatever the
    /// floor), in one snapshot with its bounds. An undecodable group is a
    /// [`StorageError::Failed`] that names its sequence.
    async fn events(&self, after: u64) -> Result<LogPage, StorageError>;

    /// Records in the expiry index whose time has passed, oldest first.
    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError>;

    /// Removes old events; returns the new floor.
    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError>;

    /// Begins a new history.
    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError>;

    /// What it is and where it stands.
    async fn status(&self) -> Result<StoreStatus, StorageError>;

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
    async fn range(&self, range: ReadRange) -> Result<(Token, RangePage), StorageError> {
        let snapshot = self.read(ReadRequest::range(range)).await?;
        let page = snapshot.pages.into_iter().next().unwrap_or_default();
        Ok((snapshot.token, page))
    }

    /// How many live keys a span has, and the sequence at which it has them. A store without a
    /// way of its own counts page by page: then the sequence is the first page's, and what was
    /// written meanwhile may be counted or not.
    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        // Keys only: contents would be read from the disk just to be dropped.
        let mut range = ReadRange::of(span).keys_only();
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
    async fn create(&self, key: &Key, put: RecordPut) -> Result<CommittedWrite, StorageError> {
        self.single(key, WriteCondition::NotExists, WriteAction::Put(put))
            .await
    }

    /// Stores a record, whatever there is.
    async fn put(&self, key: &Key, put: RecordPut) -> Result<CommittedWrite, StorageError> {
        self.single(key, WriteCondition::Whatever, WriteAction::Put(put))
            .await
    }

    /// Stores a record where there is one.
    async fn update(&self, key: &Key, put: RecordPut) -> Result<CommittedWrite, StorageError> {
        self.single(key, WriteCondition::Exists, WriteAction::Put(put))
            .await
    }

    /// Stores a record where there is one with this revision.
    async fn conditional_update(
        &self,
        key: &Key,
        revision: Revision,
        put: RecordPut,
    ) -> Result<CommittedWrite, StorageError> {
        let condition = WriteCondition::RevisionIs(revision);
        self.single(key, condition, WriteAction::Put(put)).await
    }

    /// Removes a record.
    async fn delete(&self, key: &Key) -> Result<CommittedWrite, StorageError> {
        self.single(key, WriteCondition::Exists, WriteAction::Delete)
            .await
    }

    /// Removes a record that has this revision.
    async fn conditional_delete(
        &self,
        key: &Key,
        revision: Revision,
    ) -> Result<CommittedWrite, StorageError> {
        let condition = WriteCondition::RevisionIs(revision);
        self.single(key, condition, WriteAction::Delete).await
    }

    /// Moves a record's expiry; its revision stays.
    async fn keep_alive(
        &self,
        key: &Key,
        expires: Option<UnixMillis>,
    ) -> Result<CommittedWrite, StorageError> {
        self.single(key, WriteCondition::Exists, WriteAction::KeepAlive(expires))
            .await
    }

    /// A single-key write. (The suite runs a second time with another way of saying it.)
    async fn single(
        &self,
        key: &Key,
        condition: WriteCondition,
        action: WriteAction,
    ) -> Result<CommittedWrite, StorageError> {
        self.atomic_write(AtomicWrite::new().step(key, condition, action))
            .await
    }

    /// Removes every key of a span, page by page; returns how many. Not one snapshot: what is
    /// written while it runs may stay.
    async fn delete_range(&self, span: KeySpan) -> Result<u64, StorageError> {
        const AT_ONCE: usize = 64;
        let mut range = ReadRange::of(span).keys_only().limit(AT_ONCE);
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
            // Unconditional: a key that is already gone is no reason to fail.
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
    async fn read(&self, request: ReadRequest) -> Result<ReadSnapshot, StorageError> {
        (**self).read(request).await
    }

    async fn atomic_write(&self, write: AtomicWrite) -> Result<CommittedWrite, StorageError> {
        (**self).atomic_write(write).await
    }

    async fn watch(&self, request: WatchRequest) -> Result<DeliveryStream, StorageError> {
        (**self).watch(request).await
    }

    async fn events(&self, after: u64) -> Result<LogPage, StorageError> {
        (**self).events(after).await
    }

    async fn expired(&self, limit: usize) -> Result<Vec<StoredEntry>, StorageError> {
        (**self).expired(limit).await
    }

    async fn compact(&self, keep: EventRetention) -> Result<u64, StorageError> {
        (**self).compact(keep).await
    }

    async fn adopt(&self, step: AdoptionStep) -> Result<Token, StorageError> {
        (**self).adopt(step).await
    }

    async fn status(&self) -> Result<StoreStatus, StorageError> {
        (**self).status().await
    }

    async fn close(&self) {
        (**self).close().await;
    }

    async fn count(&self, span: KeySpan) -> Result<(Token, u64), StorageError> {
        // Forwarded, or a store with a way of its own would fall back to counting page by page.
        (**self).count(span).await
    }

    async fn single(
        &self,
        key: &Key,
        condition: WriteCondition,
        action: WriteAction,
    ) -> Result<CommittedWrite, StorageError> {
        (**self).single(key, condition, action).await
    }
}

impl From<RecordContent> for RecordPut {
    fn from(content: RecordContent) -> Self {
        RecordPut::of(content)
    }
}
