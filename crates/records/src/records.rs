//! One store, and what is asked of every record in it: the time, new ids, and writes whose outcome is
//! found out if nobody knows it.

use crate::error::EngineError;
use crate::header::Time;
use crate::seal::keyring::Keyring;
use coeval_core::version::Uuid;
use coeval_storage::{
    AtomicWrite, Clock, CommittedWrite, DynStore, Key, ReadRequest, StorageError, SystemClock,
};
use std::sync::Arc;

/// How records are kept.
#[derive(Clone, Debug)]
pub struct RecordSettings {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// The keys for secure fields; without them secure fields are refused.
    pub keyring: Option<Arc<Keyring>>,
    /// How many earlier revisions of a resource are kept.
    pub history: u64,
    /// How long records of what was done are kept.
    pub audit_days: u32,
}

impl Default for RecordSettings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::default()),
            keyring: None,
            history: 20,
            audit_days: 90,
        }
    }
}

/// The records of a store.
#[derive(Debug)]
pub struct Records {
    /// The store.
    pub store: DynStore,
    /// How they are kept.
    pub settings: RecordSettings,
}

/// A new id.
pub fn draw_id() -> Result<Uuid, EngineError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
    // Version 4, variant 1.
    let bits = u128::from_be_bytes(bytes) & !(0xf << 76) & !(0x3 << 62);
    Ok(Uuid(bits | 4 << 76 | 2 << 62))
}

impl Records {
    /// Of a store.
    #[must_use]
    pub const fn new(store: DynStore, settings: RecordSettings) -> Self {
        Self { store, settings }
    }

    /// The store below.
    #[must_use]
    pub fn store(&self) -> &DynStore {
        &self.store
    }

    pub fn now(&self) -> Time {
        self.settings.clock.now().0
    }

    /// Writes. If nobody knows whether it happened, the record at `head` tells.
    pub async fn commit(
        &self,
        head: &Key,
        write: AtomicWrite,
    ) -> Result<CommittedWrite, StorageError> {
        match self.store.atomic_write(write).await {
            Err(StorageError::UnknownOutcome { revision, reason }) => {
                // The writer drew the revision, so finding it at one key proves that all of the
                // write happened.
                let found = self.store.read(ReadRequest::keys([head.clone()])).await;
                let unknown = StorageError::UnknownOutcome { revision, reason };
                // The error of the read says nothing of the write, which may have happened.
                let snapshot = found.map_err(|_| unknown.clone())?;
                let entry = snapshot.keys.into_iter().next().flatten();
                match entry.and_then(|entry| entry.stored.revision()) {
                    Some(found) if found == revision => Ok(CommittedWrite {
                        // Not older than the commit, which is all that a reader of one's own write
                        // needs.
                        token: snapshot.token,
                        revision,
                    }),
                    // Another revision proves nothing: the write may have happened and been
                    // overwritten since.
                    _ => Err(unknown),
                }
            }
            other => other,
        }
    }
}
