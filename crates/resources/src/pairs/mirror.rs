//! The record beside the source of truth, converted from it.

use crate::resources::Resources;
use crate::secure::Sealed;
use crate::write::moving::move_record;
use bytes::Bytes;
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::state::TypeState;
use coeval_codes::{Code, Coded};
use coeval_core::convert::ContentRecord;
use coeval_core::phases::PairStanding;
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::header::{Header, State};
use coeval_records::stored::Stored;
use coeval_storage::StoreLimits;

/// Why a resource can't have a record at the other major.
#[derive(Clone, Debug)]
pub struct Unfit {
    pub code: Code,
    pub reason: String,
}

impl Unfit {
    pub fn of(error: &impl Coded) -> Self {
        Self {
            code: error.code(),
            reason: error.to_string(),
        }
    }
}

/// What the source of truth is after a write.
#[derive(Debug)]
pub struct Truth<'a> {
    pub header: &'a Header,
    /// With its secure values; nothing: the content stays as it was found.
    pub whole: Option<&'a ContentRecord>,
    /// As it was found.
    pub before: Option<&'a Stored>,
    pub replaced: Option<Bytes>,
}

impl Resources {
    /// The record at the other major for what the source of truth becomes; or why there can be
    /// none.
    ///
    /// The outer error is the store's, or a race.
    pub(crate) async fn mirrored(
        &self,
        state: &TypeState,
        pair: &Pair,
        id: Uuid,
        at: Version,
        truth: Truth<'_>,
    ) -> Result<Result<Sealed, Unfit>, EngineError> {
        let (_, other) = pair.part.majors();
        let record = match (truth.whole, truth.before) {
            (Some(whole), _) => whole.clone(),
            // Content and secrets are there already, and stay.
            (None, Some(_)) if pair.standing() == PairStanding::Fresh => {
                // Nothing is converted: the mirror has the content already. Without this a change
                // of labels would open and seal secrets.
                if let Some(mirror) = pair.at(other) {
                    let header = Header {
                        version: mirror.header.version,
                        indexed: mirror.header.indexed.clone(),
                        secure: mirror.header.secure.clone(),
                        sealed: mirror.header.sealed,
                        ..truth.header.clone()
                    };
                    return Ok(Ok(Sealed::unchanged(mirror, header)));
                }
                return Err(EngineError::no_resource(id));
            }
            (None, Some(before)) => self.open_record(state, before).await?.record,
            (None, None) => return Err(EngineError::no_resource(id)),
        };
        Ok(self.mirror_of(state, id, truth.header, record, at, truth.replaced))
    }

    /// Converts and checks. Content that need not fit its own version need not fit the other one.
    pub fn mirror_of(
        &self,
        state: &TypeState,
        id: Uuid,
        header: &Header,
        record: ContentRecord,
        at: Version,
        replaced: Option<Bytes>,
    ) -> Result<Sealed, Unfit> {
        let moved = move_record(state, record, at, None).map_err(|error| Unfit::of(&error))?;
        let record = moved.record;
        if header.state == State::Resolved
            && let Some(definition) = state.version(at)
        {
            let fits = definition.schema.validate(&record.content);
            fits.map_err(|error| Unfit::of(&EngineError::from(error)))?;
        }
        let header = Header {
            version: at,
            ..header.clone()
        };
        let sealed = self.seal_record(state, id, header, record, replaced);
        let sealed = sealed.map_err(|error| Unfit::of(&error))?;
        let encoded = sealed.store.encode();
        let encoded = encoded.map_err(|error| Unfit::of(&error))?;
        // The store would refuse the whole write. Found out here, it is a mirror that can't be
        // made, which up to backfill does not stop the caller.
        let size = encoded.stored_size();
        if size > StoreLimits::default().record {
            return Err(Unfit {
                code: coeval_codes::TOO_LARGE,
                reason: format!("at {at} it has {size} bytes, more than a record can have"),
            });
        }
        Ok(sealed)
    }
}
