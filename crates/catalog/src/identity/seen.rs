//! What a change of users, roles or bundles is judged on: the identity record, which each of them rewrites.

use coeval_records::keys;
use coeval_storage::{
    Key, RecordPut, Revision, StorageError, WriteAction, WriteCondition, WriteStep,
};

/// What a change was judged on: the identity record as it was before anything was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen(pub Option<Revision>);

impl Seen {
    pub fn condition(self) -> WriteCondition {
        self.0
            .map_or(WriteCondition::NotExists, WriteCondition::RevisionIs)
    }

    /// The step that tells all servers of a change, on condition that none came between.
    pub fn step(self) -> Result<WriteStep, StorageError> {
        Ok(WriteStep {
            key: identity_key()?,
            condition: self.condition(),
            action: WriteAction::Put(RecordPut::of(b"{}".to_vec())),
        })
    }
}

/// The same, whatever came between: for a change that nothing else bears on.
pub fn changed() -> Result<WriteStep, StorageError> {
    Ok(WriteStep {
        key: identity_key()?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(b"{}".to_vec())),
    })
}

/// The record that every change of identity rewrites.
pub fn identity_key() -> Result<Key, StorageError> {
    keys::own("identity")
}
