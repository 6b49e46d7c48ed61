//! The limits, the same on every store, so that export, import and migration can't fail on them.

use crate::error::StorageError;

/// Bounds on what is written and on what one read returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreLimits {
    /// Bytes of one stored record, its header included.
    pub record: usize,
    /// Bytes of all values of one atomic write.
    pub values: usize,
    /// Bytes of all keys of one atomic write: with the values they fit into one request to any
    /// store.
    pub keys: usize,
    /// Conditions in one atomic write.
    pub conditions: usize,
    /// Actions in one atomic write.
    pub actions: usize,
    /// Items that one range of a read returns.
    pub page_items: usize,
    /// Items that one range of a read returns if it asks for the keys only.
    pub page_keys: usize,
    /// Bytes that one range of a read returns, of keys only their own; one item always fits.
    pub page_bytes: usize,
    /// Keys and ranges that one read may name.
    pub read_parts: usize,
}

impl Default for StoreLimits {
    fn default() -> Self {
        Self {
            record: 384 * 1024,
            values: 1_400 * 1024,
            keys: 40 * 1024,
            conditions: 64,
            actions: 96,
            page_items: 1_000,
            page_keys: 10_000,
            page_bytes: 4 * 1024 * 1024,
            read_parts: 96,
        }
    }
}

impl StoreLimits {
    pub(crate) fn check(
        &self,
        what: &'static str,
        size: usize,
        limit: usize,
    ) -> Result<(), StorageError> {
        if size > limit {
            return Err(StorageError::TooLarge { what, size, limit });
        }
        Ok(())
    }
}
