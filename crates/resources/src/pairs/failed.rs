//! The list of resources that have no mirror because they can't be converted.

use crate::pairs::mirror::Unfit;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{
    Key, RecordPut, StorageError, StoredEntry, UnixMillis, WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};

/// Why a resource is listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Listed {
    pub code: String,
    pub reason: String,
}

impl Listed {
    pub fn of(unfit: &Unfit) -> Self {
        Self {
            code: unfit.code.to_string(),
            reason: coeval_records::text::short(&unfit.reason),
        }
    }

    /// Lists a resource until it expires, and touches the record that tells: whoever moves the
    /// type on has looked at the list, and must not have missed this.
    pub fn steps(
        &self,
        of: &TypeKey,
        id: Uuid,
        expires: Option<UnixMillis>,
    ) -> Result<Vec<WriteStep>, EngineError> {
        let body = coeval_records::encode::encode("a failure", self)?;
        let put = |key, put| WriteStep {
            key,
            condition: WriteCondition::Whatever,
            action: WriteAction::Put(put),
        };
        Ok(vec![
            // The entry expires with its resource: one that is gone must not hold a migration.
            put(keys::failed(of, id)?, RecordPut::of(body).expiring(expires)),
            put(tell_key(of)?, RecordPut::of(b"{}".to_vec())),
        ])
    }
}

/// The record that changes whenever a resource is listed.
pub fn tell_key(of: &TypeKey) -> Result<Key, StorageError> {
    keys::failed_lately(of)
}

/// Takes a resource off the list.
pub(crate) fn cleared(of: &TypeKey, id: Uuid) -> Result<WriteStep, EngineError> {
    Ok(WriteStep {
        key: keys::failed(of, id)?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Delete,
    })
}

/// One of the list.
pub fn decode(entry: &StoredEntry) -> Option<(Uuid, Listed)> {
    let id = keys::id_of_entry(&entry.key)?;
    let listed = serde_json::from_slice(&entry.stored.record()?.content.body).ok()?;
    Some((id, listed))
}
