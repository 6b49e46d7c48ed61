//! The record of a resource: its header, its content as JSON text, and what is kept beside it.
//!
//! The body of the record is the content and nothing else, so a view at the stored version can pass
//! these bytes on. Header and kept values are fields with a tag each. Whether it
//! takes part in a migration is a flag, which a write can be conditioned on without decoding it.

use crate::encode::{EncodeError, encode};
use crate::error::EngineError;
use crate::header::Header;
use bytes::Bytes;
use coeval_core::convert::{ContentRecord, KeptValues};
use coeval_core::phases::RecordHome;
use coeval_core::version::Uuid;
use coeval_storage::{Record, RecordContent, Revision, UnixMillis};
use serde_json::Value;

/// The tags of a record's fields.
mod tag {
    /// The header, JSON.
    pub(crate) const HEADER: u8 = 1;
    /// What is kept, JSON.
    pub(super) const KEPT: u8 = 2;
    /// In the history: the revision that the record had.
    pub(crate) const REVISION: u8 = 3;
    /// A record of a version that nobody here knew, kept whole when force wrote over it.
    pub(crate) const REPLACED: u8 = 4;
}

/// The flags of a record.
mod flag {
    /// It takes part in the migration of its type, at the new major.
    pub(crate) const PAIRED: u8 = 1;
}

/// A resource as it is stored.
#[derive(Clone, Debug)]
pub struct Stored {
    pub id: Uuid,
    pub revision: Revision,
    pub expires: Option<UnixMillis>,
    pub header: Header,
    /// JSON text.
    pub content: Bytes,
    /// JSON text, if anything is kept.
    pub kept: Option<Bytes>,
    /// What force wrote over, if this server did not know its version.
    pub replaced: Option<Bytes>,
    /// It takes part in the migration of its type, at the new major.
    pub paired: bool,
}

/// What is to be stored of a resource.
#[derive(Clone, Debug)]
pub struct ToStore {
    pub header: Header,
    pub content: Bytes,
    pub kept: Option<Bytes>,
    pub replaced: Option<Bytes>,
    pub paired: bool,
}

fn field(content: &RecordContent, tag: u8) -> Option<Bytes> {
    let found = content.fields.iter().find(|(own, _)| *own == tag);
    found.map(|(_, value)| value.clone())
}

fn unreadable(id: Uuid, what: &str) -> EngineError {
    EngineError::Unreadable {
        id,
        reason: what.to_owned(),
    }
}

impl Stored {
    /// Whether it takes part in the migration of its type, as the rules look at a record at the new
    /// major.
    pub const fn home(&self) -> RecordHome {
        if self.paired {
            RecordHome::Paired
        } else {
            RecordHome::Alone
        }
    }

    pub fn decode(id: Uuid, record: &Record) -> Result<Self, EngineError> {
        let content = &record.content;
        let header =
            field(content, tag::HEADER).ok_or_else(|| unreadable(id, "it has no header"))?;
        let header = serde_json::from_slice(&header)
            .map_err(|error| unreadable(id, &format!("its header can't be read: {error}")))?;
        Ok(Self {
            id,
            // An entry of the history was put by a later write, whose revision its record has; the
            // one that the resource had then is a field.
            revision: match field(content, tag::REVISION) {
                Some(bytes) => match <[u8; 16]>::try_from(bytes.as_ref()) {
                    Ok(bytes) => Revision::from_bytes(bytes),
                    Err(_) => return Err(unreadable(id, "its revision can't be read")),
                },
                None => record.revision,
            },
            expires: record.expires,
            header,
            content: content.body.clone(),
            kept: field(content, tag::KEPT),
            replaced: field(content, tag::REPLACED),
            paired: content.flags & flag::PAIRED != 0,
        })
    }

    /// With a tree, for conversions and writes.
    pub fn core_record(&self) -> Result<ContentRecord, EngineError> {
        let content = serde_json::from_slice(&self.content)
            .map_err(|error| unreadable(self.id, &format!("its content is no JSON: {error}")))?;
        Ok(ContentRecord {
            version: self.header.version,
            content,
            kept: self.kept_beside()?,
        })
    }

    /// What is kept beside the content. What is kept with the secrets is not among it.
    pub fn kept_beside(&self) -> Result<KeptValues, EngineError> {
        let Some(kept) = &self.kept else {
            return Ok(KeptValues::default());
        };
        let kept = serde_json::from_slice::<Value>(kept).ok();
        let kept = kept.as_ref().and_then(KeptValues::from_json);
        // Never taken for nothing: the next write would drop for good what could not be read once.
        kept.ok_or_else(|| unreadable(self.id, "what is kept can't be read"))
    }

    /// To be stored as it is.
    pub fn to_store(&self) -> ToStore {
        ToStore {
            header: self.header.clone(),
            content: self.content.clone(),
            kept: self.kept.clone(),
            replaced: self.replaced.clone(),
            paired: self.paired,
        }
    }

    /// The flags of its record.
    pub const fn flags(&self) -> u8 {
        if self.paired { flag::PAIRED } else { 0 }
    }

    /// As an entry of the history. Those are many and seldom read, so they are packed where all
    /// servers can read that.
    pub fn to_history(&self, packed: bool) -> Result<RecordContent, EncodeError> {
        let mut content = self.to_store().encode()?;
        content.packed = packed;
        let revision = Bytes::copy_from_slice(self.revision.as_bytes());
        content.fields.push((tag::REVISION, revision));
        Ok(content)
    }
}

impl ToStore {
    pub fn of(header: Header, record: &ContentRecord, replaced: Option<Bytes>) -> Self {
        let kept = (!record.kept.is_empty()).then(|| json(&record.kept.to_json()));
        Self {
            header,
            content: json(&record.content),
            kept,
            replaced,
            paired: false,
        }
    }

    pub fn encode(&self) -> Result<RecordContent, EncodeError> {
        let header = encode("a header", &self.header)?;
        let mut fields = vec![(tag::HEADER, header.into())];
        fields.extend(self.kept.clone().map(|kept| (tag::KEPT, kept)));
        fields.extend(self.replaced.clone().map(|bytes| (tag::REPLACED, bytes)));
        Ok(RecordContent {
            flags: if self.paired { flag::PAIRED } else { 0 },
            fields,
            body: self.content.clone(),
            // What is read with every request stays as it is; only histories are packed.
            packed: false,
        })
    }
}

/// The text of a JSON value. It may be kept for long, so it takes no more room than it needs.
pub fn json(value: &Value) -> Bytes {
    value.to_string().into_bytes().into_boxed_slice().into()
}
