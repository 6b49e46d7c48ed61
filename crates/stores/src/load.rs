//! Filling a store from a file: fenced from the first record to the last.

use crate::StoresError;
use coeval_storage::limits::StoreLimits;
use coeval_storage::{
    AdoptionStep, AtomicWrite, Key, KeySpan, PutRevision, ReadRange, Record, RecordPut,
    StorageError, Store, Token, WriteAction, WriteCondition,
};
use std::collections::HashSet;

/// What to do with what is in the target already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadTarget {
    /// Refuse unless it is empty.
    #[default]
    MustBeEmpty,
    /// Remove everything first.
    Replace,
    /// Keep it; what is loaded goes over it.
    Merge,
}

/// A store being filled. Until [`StoreLoad::finish`] every other handle is told that a restore is
/// under way, also if this process dies: half a restore is never served.
pub(crate) struct StoreLoad<'s> {
    store: &'s dyn Store,
    write: AtomicWrite,
    keys: HashSet<Key>,
    bytes: usize,
    limits: StoreLimits,
}

impl<'s> StoreLoad<'s> {
    pub(crate) async fn begin(
        store: &'s dyn Store,
        target: LoadTarget,
    ) -> Result<Self, StoresError> {
        // Asked before the fence: a refusal must not leave the store closed.
        match (is_empty(store).await, target) {
            (Ok(true), _) | (Ok(false), LoadTarget::Replace | LoadTarget::Merge) => {}
            // What a restore left half done may be replaced, and nothing else may be done with it.
            (Err(StorageError::Restoring), LoadTarget::Replace) => {}
            (Ok(false), LoadTarget::MustBeEmpty) => return Err(StoresError::NotEmpty),
            (Err(error), _) => return Err(error.into()),
        }
        // The fence comes before the removal: nobody sees the store half empty.
        store.adopt(AdoptionStep::Begin).await?;
        if target == LoadTarget::Replace {
            store.delete_range(KeySpan::everything()).await?;
        }
        Ok(Self {
            store,
            write: AtomicWrite::new(),
            keys: HashSet::new(),
            bytes: 0,
            limits: StoreLimits::default(),
        })
    }

    pub(crate) async fn put(&mut self, key: &Key, record: Record) -> Result<(), StoresError> {
        let size = record.content.stored_size();
        let put = RecordPut {
            content: record.content,
            expires: record.expires,
            indexed: record.indexed,
            revision: PutRevision::Same(record.revision),
        };
        self.add(key, WriteAction::Put(put), size).await
    }

    pub(crate) async fn delete(&mut self, key: &Key) -> Result<(), StoresError> {
        self.add(key, WriteAction::Delete, 0).await
    }

    async fn add(
        &mut self,
        key: &Key,
        action: WriteAction,
        size: usize,
    ) -> Result<(), StoresError> {
        // An expiring put may take two operations of the store: half the actions always fit.
        let full = self.write.steps.len() >= self.limits.actions / 2
            || self.bytes + size > self.limits.values;
        // A key is in a write once, so a later item for it goes into the next write.
        if full || self.keys.contains(key) {
            self.flush().await?;
        }
        self.keys.insert(key.clone());
        self.bytes += size;
        let write = std::mem::take(&mut self.write);
        self.write = write.step(key, WriteCondition::Whatever, action);
        Ok(())
    }

    async fn flush(&mut self) -> Result<(), StoresError> {
        if !self.write.steps.is_empty() {
            let write = std::mem::take(&mut self.write);
            self.store.atomic_write(write).await?;
        }
        self.keys.clear();
        self.bytes = 0;
        Ok(())
    }

    pub(crate) async fn finish(mut self) -> Result<Token, StoresError> {
        self.flush().await?;
        Ok(self.store.adopt(AdoptionStep::Finish).await?)
    }
}

async fn is_empty(store: &dyn Store) -> Result<bool, StorageError> {
    let (_, page) = store
        .range(ReadRange::of(KeySpan::everything()).limit(1))
        .await?;
    Ok(page.entries.is_empty())
}
