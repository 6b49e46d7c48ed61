//! What a server keeps for its listings: the key of page tokens, which is in the store, and sorted
//! lists, which can be made again.

use crate::list::numbered::Numbered;
use crate::resources::Resources;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::seal::error::KeyringError;
use coeval_records::seal::keyring::{KeyId, Keyring};
use coeval_storage::{Action, AtomicWrite, Condition, Content, Put, ReadRequest, StorageError};
use moka::sync::Cache;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// Bytes of sorted lists that are kept in memory.
const LIST_BYTES: u64 = 128 * 1024 * 1024;
/// For how long after it was last used.
const LIST_AGE: Duration = Duration::from_secs(10 * 60);
/// About what an entry of a list takes beside its key.
pub(crate) const OVERHEAD: usize = 56;
/// The name of the record with the key.
const PAGE_KEY: &str = "page-key";

/// A resource in a sorted list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Bytes that compare as the order does; they end in the id.
    pub key: Box<[u8]>,
    /// The number of its type in the list.
    pub of: usize,
    pub id: Uuid,
}

/// All resources of a listing, sorted.
#[derive(Debug)]
pub struct Sorted {
    pub types: Vec<TypeKey>,
    pub all: Vec<Listed>,
}

impl Sorted {
    fn weight(&self) -> u32 {
        let bytes: usize = self.all.iter().map(|one| one.key.len() + OVERHEAD).sum();
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// What is kept for listings.
#[derive(Debug)]
pub struct Lists {
    keys: RwLock<Option<Arc<Keyring>>>,
    sorted: Cache<u64, Arc<Sorted>>,
    pub numbered: Numbered,
}

impl Lists {
    pub fn new() -> Self {
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
    pub fn keep(&self, sorted: Arc<Sorted>) -> Result<u64, StorageError> {
        let mut bytes = [0; 8];
        getrandom::fill(&mut bytes)
            .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
        let number = u64::from_be_bytes(bytes);
        self.sorted.insert(number, sorted);
        Ok(number)
    }

    pub fn kept(&self, number: u64) -> Option<Arc<Sorted>> {
        self.sorted.get(&number)
    }
}

impl Resources {
    /// The key of page tokens, the same for all servers of a store.
    pub(crate) async fn page_keys(&self, again: bool) -> Result<Arc<Keyring>, EngineError> {
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
                Some(revision) => Condition::RevisionIs(revision),
                None => Condition::NotExists,
            };
            let id = KeyId::new("page-1").ok_or(ListError::Key(KeyringError::Empty))?;
            let line = Keyring::generate_line(&id).map_err(ListError::from)?;
            let put = Put::of(Content::of(line.as_bytes().to_vec()));
            let write = AtomicWrite::new().step(&key, condition, Action::Put(put));
            // Read again either way: what is in the store is what counts.
            unless_raced(self.commit(&key, write).await)?;
        }
    }
}
