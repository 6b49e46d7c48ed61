//! The key of page tokens, which is in the store.

use crate::resources::Resources;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::error::EngineError;
use coeval_records::error::list::ListError;
use coeval_records::keys;
use coeval_records::seal::error::KeyringError;
use coeval_records::seal::keyring::{KeyId, Keyring};
use coeval_storage::{
    AtomicWrite, ReadRequest, RecordContent, RecordPut, WriteAction, WriteCondition,
};
use std::sync::{Arc, PoisonError};

/// The name of the record with the key.
pub(crate) const PAGE_KEY: &str = "page-key";

impl Resources {
    /// The key of page tokens, the same for all servers of a store.
    pub(crate) async fn page_keys(&self, again: bool) -> Result<Arc<Keyring>, EngineError> {
        if !again {
            let keys = self.lists.keys.read();
            if let Some(keys) = keys.unwrap_or_else(PoisonError::into_inner).as_ref() {
                return Ok(Arc::clone(keys));
            }
        }
        // Outside of the lock, which must not be held across a read. Two that come at once read the
        // same key.
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
    pub(crate) async fn stored_page_keys(&self) -> Result<Keyring, EngineError> {
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
