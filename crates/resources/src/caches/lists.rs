//! What a server keeps for its listings: the key of page tokens, which is in the store, and sorted
//! lists, which can be made again.

use crate::caches::numbered::Numbered;
use coeval_core::version::Uuid;
use coeval_records::keys::TypeKey;
use coeval_records::seal::keyring::Keyring;
use coeval_storage::StorageError;
use moka::sync::Cache;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Bytes of sorted lists that are kept in memory.
const LIST_BYTES: u64 = 128 * 1024 * 1024;
/// For how long after it was last used.
const LIST_AGE: Duration = Duration::from_secs(10 * 60);
/// About what an entry of a list takes beside its key.
pub(crate) const OVERHEAD: usize = 56;
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
    pub keys: RwLock<Option<Arc<Keyring>>>,
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
        // Drawn, not counted: a number from before a restart, or of another server, must not lead
        // to a different list.
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
