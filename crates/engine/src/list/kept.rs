//! What a server keeps for its listings: the key of page tokens, which is in the store, and sorted
//! lists, which can be made again.

use super::error::ListError;
use super::numbered::Numbered;
use crate::attempts::{Attempts, unless_raced};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::seal::{KeyId, Keyring, KeyringError};
use coeval_core::version::Uuid;
use coeval_storage::{
    AtomicWrite, ReadRequest, RecordContent, RecordPut, StorageError, WriteAction, WriteCondition,
};
use moka::sync::Cache;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// Bytes of sorted lists that are kept in memory.
const LIST_BYTES: u64 = 128 * 1024 * 1024;
/// For how long after it was last used.
const LIST_AGE: Duration = Duration::from_secs(10 * 60);
/// About what an entry of a list takes beside its key.
pub(super) const OVERHEAD: usize = 56;
/// The name of the record with the key.
const PAGE_KEY: &str = "page-key";

/// A resource in a sorted list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    /// Bytes that compare as the order does; they end in the id.
    pub(super) key: Box<[u8]>,
    /// The number of its type in the list.
    pub(super) of: usize,
    pub(super) id: Uuid,
}

/// All resources of a listing, sorted.
#[derive(Debug)]
pub(crate) struct Sorted {
    pub(super) types: Vec<TypeKey>,
    pub(super) all: Vec<Listed>,
}

impl Sorted {
    fn weight(&self) -> u32 {
        let bytes: usize = self.all.iter().map(|one| one.key.len() + OVERHEAD).sum();
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// What is kept for listings.
#[derive(Debug)]
pub(crate) struct Lists {
    keys: RwLock<Option<Arc<Keyring>>>,
    sorted: Cache<u64, Arc<Sorted>>,
    pub(super) numbered: Numbered,
}

impl Lists {
    pub(crate) fn new() -> Self {
        let sorted = Cache::builder()
            .max_capacity(LIST_BYTES)
            .weigher(|_: &u64, sorted: &Arc<Sorted>| sorted.weight())
            .time_to_idle(LIST_AGE)
            .build();
        Self {
            keys: RwLock::default(),
            sorted,
            numbered: Numbered::new(),
        }
    }

    /// Keeps a list; the number leads back to it as long as there is room.
    pub(super) fn keep(&self, sorted: Arc<Sorted>) -> Result<u64, StorageError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
        let number = u64::from_be_bytes(bytes);
        self.sorted.insert(number, sorted);
        Ok(number)
    }

    pub(super) fn kept(&self, number: u64) -> Option<Arc<Sorted>> {
        self.sorted.get(&number)
    }
}

impl Engine {
    /// The key of page tokens, the same for all servers of a store.
    pub(super) async fn page_keys(&self, again: bool) -> Result<Arc<Keyring>, EngineError> {
        if !again {
            let keys = self.lists.keys.read();
            if let Some(keys) = keys.unwrap_or_else(PoisonError::into_inner).as_ref() {
                return Ok(Arc::clone(keys));
            }
        }
        let keys = Arc::new(self.stored_page_keys().await?);
        let mut kept = self
            .lists
            .keys
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(Arc::clone(&keys));
        Ok(keys)
    }

    /// Read from the store, or made there by whoever comes first.
    async fn stored_page_keys(&self) -> Result<Keyring, EngineError> {
        let key = keys::own(PAGE_KEY)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let snapshot = self.store.read(ReadRequest::keys([key.clone()])).await?;
            let found = snapshot.keys.into_iter().next().flatten();
            let text = found.as_ref().and_then(|entry| entry.stored.record());
            let text = text.and_then(|record| std::str::from_utf8(&record.content.body).ok());
            if let Some(keys) = text.and_then(|text| Keyring::parse(text).ok()) {
                return Ok(keys);
            }
            // None, or damaged: with a new one, listings that are under way begin anew.
            let condition = match found.and_then(|entry| entry.stored.revision()) {
                Some(revision) => WriteCondition::RevisionIs(revision),
                None => WriteCondition::NotExists,
            };
            let id = KeyId::new("page-1").ok_or(ListError::Key(KeyringError::Empty))?;
            let line = Keyring::generate_line(&id).map_err(ListError::from)?;
            let put = RecordPut::of(RecordContent::of(line.as_bytes().to_vec()));
            let write = AtomicWrite::new().step(&key, condition, WriteAction::Put(put));
            // Read again either way: what is in the store is what counts.
            unless_raced(self.commit(&key, write).await)?;
        }
    }
}
