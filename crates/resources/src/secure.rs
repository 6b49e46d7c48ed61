//! Secure fields: their values are encrypted, in a record of their own, bound to their resource.
//!
//! The record of a resource holds only where they are. Nothing that is shown, indexed, watched or
//! kept as history has their values; who may read them asks for them by name, and that is recorded.

use crate::content;
use crate::read::Target;
use crate::resources::Resources;
use bytes::Bytes;
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::state::TypeState;
use coeval_core::convert::{ContentRecord, RecordSecrets, join_secure};
use coeval_core::version::Uuid;
use coeval_records::attempts::unless_raced;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_records::keys::{self, TypeKey};
use coeval_records::seal::context::{Context, Purpose};
use coeval_records::seal::keyring::Keyring;
use coeval_records::seal::secret_error::SecretError;
use coeval_records::stored::{Stored, ToStore};
use coeval_storage::{
    AtomicWrite, PutRevision, ReadRange, ReadRequest, RecordPut, Revision, StorageError,
    StoredEntry, UnixMillis, WriteAction, WriteCondition,
};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A record with its secure values in place.
pub struct Opened {
    pub record: ContentRecord,
    /// The sealed bytes that they came from.
    pub sealed: Option<Bytes>,
}

/// Without the values: they are never to be in a log.
impl std::fmt::Debug for Opened {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Opened")
            .field("version", &self.record.version)
            .finish_non_exhaustive()
    }
}

/// What is to be stored, with its secure values taken out.
#[derive(Clone, Debug)]
pub struct Sealed {
    pub store: ToStore,
    secrets: Secured,
}

/// What becomes of the secrets.
#[derive(Clone, Debug)]
enum Secured {
    /// They stay as they are.
    AsTheyAre,
    /// These, or none.
    Anew(Option<Vec<u8>>),
}

impl Sealed {
    /// The content and its secrets as they are, under another header.
    pub fn unchanged(stored: &Stored, header: Header) -> Self {
        Self {
            store: ToStore {
                header,
                ..stored.to_store()
            },
            secrets: Secured::AsTheyAre,
        }
    }

    /// As it will be read back; the revision is not known yet.
    pub fn stored(&self, id: Uuid, expires: Option<UnixMillis>) -> Stored {
        Stored {
            id,
            revision: Revision::NEVER,
            expires,
            header: self.store.header.clone(),
            content: self.store.content.clone(),
            kept: self.store.kept.clone(),
            replaced: self.store.replaced.clone(),
            paired: self.store.paired,
        }
    }

    /// Adds the secrets to the write of their record: what was there before is replaced, or goes.
    pub fn add_to(
        &self,
        write: AtomicWrite,
        id: Uuid,
        expires: Option<UnixMillis>,
        had: bool,
    ) -> Result<AtomicWrite, EngineError> {
        let key = keys::secrets(id, self.store.header.version.major)?;
        Ok(match (&self.secrets, had) {
            (Secured::Anew(Some(secrets)), _) => {
                let put = RecordPut {
                    indexed: false,
                    expires,
                    ..RecordPut::of(secrets.clone())
                };
                write.step(&key, WriteCondition::Whatever, WriteAction::Put(put))
            }
            (Secured::Anew(None), true) => write.delete(&key),
            (Secured::Anew(None), false) | (Secured::AsTheyAre, _) => write,
        })
    }
}

impl Resources {
    fn keyring(&self) -> Result<&Keyring, SecretError> {
        self.settings.keyring.as_deref().ok_or(SecretError::NoKey)
    }

    /// The record with its secure values. If it changed since it was read, that is a race.
    pub async fn open_record(
        &self,
        state: &TypeState,
        stored: &Stored,
    ) -> Result<Opened, EngineError> {
        let record = stored.core_record()?;
        if !stored.header.has_secrets() {
            let sealed = None;
            return Ok(Opened { record, sealed });
        }
        let major = stored.header.version.major;
        let key = keys::record(&state.key, major, stored.id)?;
        // In one snapshot: the secrets of another revision must not be joined with this content.
        let request = ReadRequest::keys([key.clone(), keys::secrets(stored.id, major)?]);
        let mut snapshot = self.store.read(request).await?;
        let secrets = snapshot.keys.pop().flatten();
        let now = snapshot
            .keys
            .pop()
            .flatten()
            .and_then(|entry| entry.stored.revision());
        if now != Some(stored.revision) {
            let current = now.unwrap_or(Revision::NEVER);
            return Err(StorageError::Conflict { key, current }.into());
        }
        let sealed = secrets
            .ok_or(SecretError::Mismatch)?
            .into_record()?
            .content
            .body;
        let secrets = self.open_secrets(stored.id, &sealed)?;
        let record = join_secure(record, secrets).map_err(|_| SecretError::Mismatch)?;
        Ok(Opened {
            record,
            sealed: Some(sealed),
        })
    }

    fn open_secrets(&self, id: Uuid, sealed: &[u8]) -> Result<RecordSecrets, SecretError> {
        let plain = Bound::to(id).open(self.keyring()?, sealed)?;
        let json: Value = serde_json::from_slice(&plain).map_err(|_| SecretError::Mismatch)?;
        decode(&json).ok_or(SecretError::Mismatch)
    }

    /// Takes the secure values out of a record, and notes in the header what it then holds.
    pub fn seal_record(
        &self,
        state: &TypeState,
        id: Uuid,
        mut header: Header,
        record: ContentRecord,
        replaced: Option<Bytes>,
    ) -> Result<Sealed, EngineError> {
        let (record, secrets) = state.versions.split_secure(record)?;
        header.secure = secrets.content.keys().cloned().collect();
        header.sealed = secrets.kept.is_some();
        if let Some(definition) = state.version(record.version) {
            // After the split: no secure value ever gets into an index.
            header.indexed = content::indexed(definition, &record.content);
        }
        coeval_records::header::check(&header)?;
        let secrets = if secrets.is_empty() {
            None
        } else {
            let plain = coeval_records::encode::encode("secrets", &encode(&secrets))?;
            Some(Bound::to(id).seal(self.keyring()?, &plain)?)
        };
        Ok(Sealed {
            store: ToStore::of(header, &record, replaced),
            secrets: Secured::Anew(secrets),
        })
    }

    /// The secure fields of a resource, by their pointers into its stored content. That they were
    /// read is recorded before they are handed out.
    ///
    /// # Errors
    /// If the caller may not, or they can't be opened.
    pub async fn secrets(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<BTreeMap<String, Value>, EngineError> {
        let found = self
            .find(caller, of, target, ResourceAction::ReadSecrets)
            .await?;
        let opened = self
            .open_record(&found.fetched.state, &found.stored)
            .await?;
        let secrets = match &opened.sealed {
            Some(sealed) => self.open_secrets(found.stored.id, sealed)?,
            None => return Ok(BTreeMap::new()),
        };
        let header = &found.stored.header;
        let deed = Deed::of_resource(What::ReadSecrets, of, found.stored.id, header);
        // Written before the values are handed out: if the record can't be written, nobody gets
        // them.
        let step = self.audit_step(caller, &deed)?;
        self.store
            .atomic_write(AtomicWrite { steps: vec![step] })
            .await?;
        Ok(secrets.content)
    }

    /// Seals all secrets anew that another key than the current one sealed. It can be cut at any
    /// moment and run again; while it runs everything works.
    ///
    /// # Errors
    /// If there is no keyring, or the store fails. What can't be opened is counted.
    pub async fn rotate_secrets(
        &self,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Rotated, EngineError> {
        let keyring = self.keyring()?;
        let mut rotated = Rotated::default();
        let mut range = ReadRange::of(keys::all_secrets()?);
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            for entry in &page.entries {
                self.rotate_one(keyring, entry, &mut rotated).await?;
            }
            progress(rotated.sealed + rotated.current + rotated.failed);
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(rotated),
            }
        }
    }

    async fn rotate_one(
        &self,
        keyring: &Keyring,
        entry: &StoredEntry,
        rotated: &mut Rotated,
    ) -> Result<(), EngineError> {
        let id = keys::id_of_belonging(&entry.key);
        let (Some(id), Some(record)) = (id, entry.stored.record()) else {
            rotated.failed += 1;
            return Ok(());
        };
        let sealed = &record.content.body;
        // This makes a rotation that was cut cheap to run again.
        if keyring.sealed_by_current(sealed) {
            rotated.current += 1;
            return Ok(());
        }
        let Ok(plain) = Bound::to(id).open(keyring, sealed) else {
            rotated.failed += 1;
            return Ok(());
        };
        let again = Bound::to(id).seal(keyring, &plain)?;
        // Nobody sees a difference: the revision and the expiry stay.
        let put = RecordPut {
            indexed: false,
            expires: record.expires,
            revision: PutRevision::Same(record.revision),
            ..RecordPut::of(again)
        };
        let condition = WriteCondition::AsRead {
            revision: record.revision,
            expires: record.expires,
            flags: record.content.flags,
        };
        let write = AtomicWrite::new().step(&entry.key, condition, WriteAction::Put(put));
        match unless_raced(self.store.atomic_write(write).await)? {
            Some(_) => rotated.sealed += 1,
            // Written or deleted meanwhile: by the current key, if this server's is current.
            None => rotated.current += 1,
        }
        Ok(())
    }
}

/// How a rotation went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rotated {
    /// Sealed anew.
    pub sealed: u64,
    /// Sealed by the current key already.
    pub current: u64,
    /// Could not be opened.
    pub failed: u64,
}

/// What secrets are bound to: moved to another resource they do not open.
struct Bound([u8; 16]);

impl Bound {
    fn to(id: Uuid) -> Self {
        Self(id.0.to_be_bytes())
    }

    fn seal(&self, keyring: &Keyring, plain: &[u8]) -> Result<Vec<u8>, SecretError> {
        Ok(keyring.seal(&Context::new(Purpose::Secret, &[&self.0]), plain)?)
    }

    fn open(&self, keyring: &Keyring, sealed: &[u8]) -> Result<Vec<u8>, SecretError> {
        Ok(keyring.open(&Context::new(Purpose::Secret, &[&self.0]), sealed)?)
    }
}

fn encode(secrets: &RecordSecrets) -> Value {
    let content: Map<String, Value> = secrets.content.clone().into_iter().collect();
    match &secrets.kept {
        None => json!({"content": content}),
        Some(kept) => json!({"content": content, "kept": kept}),
    }
}

fn decode(json: &Value) -> Option<RecordSecrets> {
    let content = json.get("content")?.as_object()?;
    Some(RecordSecrets {
        content: content.clone().into_iter().collect(),
        kept: json.get("kept").cloned(),
    })
}
