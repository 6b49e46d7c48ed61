//! Secure fields: their values are encrypted, in a record of their own.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::Header;
use crate::stored::{Stored, ToStore};
use crate::types::state::TypeState;
use bytes::Bytes;
use coeval_core::convert::Record;
use coeval_core::version::Uuid;
use coeval_storage::{AtomicWrite, Millis, Revision};

/// A record with its secure values in place.
pub(crate) struct Opened {
    pub(crate) record: Record,
}

/// What is to be stored, with its secure values taken out.
pub(crate) struct Sealed {
    pub(crate) store: ToStore,
}

impl Sealed {
    /// As it will be read back; the revision is not known yet.
    pub(crate) fn stored(&self, id: Uuid, expires: Option<Millis>) -> Stored {
        Stored {
            id,
            revision: Revision::NEVER,
            expires,
            header: self.store.header.clone(),
            content: self.store.content.clone(),
            kept: self.store.kept.clone(),
            replaced: self.store.replaced.clone(),
        }
    }

    /// Adds the secrets of a new resource to its write.
    pub(crate) fn add_to(
        &self,
        write: AtomicWrite,
        _id: Uuid,
        _expires: Option<Millis>,
    ) -> Result<AtomicWrite, EngineError> {
        Ok(write)
    }

    /// Adds the secrets of a changed resource to its write.
    pub(crate) fn replace_in(
        &self,
        write: AtomicWrite,
        _id: Uuid,
        _expires: Option<Millis>,
        _before: &Opened,
    ) -> Result<AtomicWrite, EngineError> {
        Ok(write)
    }
}

impl Engine {
    pub(crate) async fn open_record(
        &self,
        _state: &TypeState,
        stored: &Stored,
    ) -> Result<Opened, EngineError> {
        Ok(Opened {
            record: stored.core_record()?,
        })
    }

    pub(crate) fn seal_record(
        &self,
        _state: &TypeState,
        _id: Uuid,
        header: Header,
        record: Record,
        replaced: Option<Bytes>,
    ) -> Result<Sealed, EngineError> {
        Ok(Sealed {
            store: ToStore::of(header, &record, replaced),
        })
    }
}
