//! The level up to which records are written, and that which this server reads.

use crate::catalog::Catalog;
use crate::kinds::VENDOR;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::record::LEVEL;
use coeval_storage::{ReadRequest, Revision, StorageError};
use serde::{Deserialize, Serialize};
use std::sync::atomic::Ordering;

/// The record that says up to which level records are written.
#[derive(Debug, Serialize, Deserialize)]
pub struct Level {
    pub level: u8,
}

impl Catalog {
    /// The level up to which this server writes records.
    pub fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed).min(self.known_level())
    }

    /// The level that this server reads: that of its release, or what it is told to be.
    pub fn known_level(&self) -> u8 {
        let told = self.emulate.get(&TypeKey::new(VENDOR, "record"));
        let told = told.and_then(|version| u8::try_from(version.major).ok());
        told.map_or(LEVEL, |told| told.min(LEVEL))
    }

    /// Reads the level up to which records are written.
    ///
    /// # Errors
    /// If this server can't read all of them.
    pub async fn look_at_level(&self) -> Result<Option<Revision>, EngineError> {
        let key = keys::own("level")?;
        let snapshot = self.store.read(ReadRequest::keys([key])).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        let Some(entry) = entry else {
            return Ok(None);
        };
        let record = entry.into_record()?;
        let read = serde_json::from_slice(&record.content.body);
        let Level { level } = read.map_err(|error| {
            StorageError::failed(format!("the record of the level can't be read: {error}"))
        })?;
        // Also if it is too high: what is written stays at what this server knows.
        self.level.store(level, Ordering::Relaxed);
        let known = self.known_level();
        if level > known {
            let (found, known) = (u32::from(level), u32::from(known));
            return Err(StorageError::UnknownLevel { found, known }.into());
        }
        Ok(Some(record.revision))
    }
}
