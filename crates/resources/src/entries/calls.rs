//! Reading and writing the entries of a resource.

use crate::entries::{EntryValue, MetadataEntry, NewEntry, check_value, may_change};
use crate::read::{Found, Target};
use crate::resources::Resources;
use crate::write::steps::{as_read, fenced};
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::{Deed, What};
use coeval_records::entry_domain::{Domain, MOST_ENTRIES};
use coeval_records::error::EngineError;
use coeval_records::error::entries::EntryError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::records::draw_id;
use coeval_records::stored::Stored;
use coeval_storage::{
    ReadRequest, RecordPut, Revision, WriteAction as KeyAction, WriteCondition, WriteStep,
};

/// The domain that a caller operates in.
fn own_domain(caller: &Caller) -> Domain {
    if caller.subject.is_provider() {
        Domain::Provider
    } else {
        Domain::Tenant
    }
}

/// The record of a resource's entries, as it was read.
struct Kept {
    revision: Option<Revision>,
    entries: Vec<MetadataEntry>,
}

fn position(entries: &[MetadataEntry], id: Uuid, own: Domain) -> Result<usize, EntryError> {
    let mut all = entries.iter();
    // An entry above the own domain is unknown, not forbidden: whether it is there tells something.
    let found = all.position(|entry| entry.id == id && entry.key.domain <= own);
    found.ok_or(EntryError::Unknown { id })
}

fn check_revision(entry: &MetadataEntry, said: Option<Revision>) -> Result<(), EngineError> {
    match said {
        Some(said) if said != entry.revision() => Err(EngineError::Conflict {
            current: entry.revision(),
            paths: Vec::new(),
        }),
        _ => Ok(()),
    }
}

impl Resources {
    /// The entries of a resource that the caller may see, in the order in which they were made.
    ///
    /// # Errors
    /// If the caller may not see the resource.
    pub async fn entries(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
    ) -> Result<Vec<MetadataEntry>, EngineError> {
        let found = self.find(caller, of, target, ResourceAction::Read).await?;
        let mut entries = self.kept_entries(&found.stored).await?.entries;
        let own = own_domain(caller);
        entries.retain(|entry| entry.key.domain <= own);
        Ok(entries)
    }

    /// One of them.
    ///
    /// # Errors
    /// If there is none, or the caller may not see it.
    pub async fn entry(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        id: Uuid,
    ) -> Result<MetadataEntry, EngineError> {
        let entries = self.entries(caller, of, target).await?;
        let found = entries.into_iter().find(|entry| entry.id == id);
        found.ok_or(EngineError::Entry(EntryError::Unknown { id }))
    }

    /// Makes an entry.
    ///
    /// # Errors
    /// If its key is taken, it can't be kept, or the caller may not.
    pub async fn add_entry(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        new: &NewEntry,
    ) -> Result<MetadataEntry, EngineError> {
        let id = draw_id()?;
        let own = own_domain(caller);
        // Judged anew in each attempt, on the entries that are there then.
        let edit = |entries: &mut Vec<MetadataEntry>, revision: Revision| {
            new.check(own)?;
            // The domain is a part of the key, so this tells nothing of entries above the caller's
            // own.
            if entries.iter().any(|entry| entry.key == new.key) {
                let key = new.key.key.clone();
                return Err(EntryError::Exists { key }.into());
            }
            if entries.len() >= MOST_ENTRIES {
                return Err(EntryError::TooMany.into());
            }
            let made = MetadataEntry {
                id,
                key: new.key.clone(),
                value: new.value.clone(),
                persistent: new.persistent,
                read_only: new.read_only,
                revision_text: revision.to_string(),
            };
            entries.push(made.clone());
            Ok(made)
        };
        self.edit_entries(caller, of, target, "made", edit).await
    }

    /// Changes the value of an entry, and whether copies get it.
    ///
    /// # Errors
    /// If it has another revision, or the caller may not.
    pub async fn update_entry(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        id: Uuid,
        revision: Option<Revision>,
        to: (&EntryValue, bool),
    ) -> Result<MetadataEntry, EngineError> {
        let own = own_domain(caller);
        let edit = |entries: &mut Vec<MetadataEntry>, fresh: Revision| {
            let at = position(entries, id, own)?;
            let Some(entry) = entries.get_mut(at) else {
                return Err(EntryError::Unknown { id }.into());
            };
            check_revision(entry, revision)?;
            if !may_change(entry, own) {
                return Err(EntryError::ReadOnly.into());
            }
            check_value(to.0)?;
            entry.value = to.0.clone();
            entry.persistent = to.1;
            entry.revision_text = fresh.to_string();
            Ok(entry.clone())
        };
        self.edit_entries(caller, of, target, "changed", edit).await
    }

    /// Takes an entry away.
    ///
    /// # Errors
    /// If it has another revision, or the caller may not.
    pub async fn delete_entry(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        id: Uuid,
        revision: Option<Revision>,
    ) -> Result<MetadataEntry, EngineError> {
        let own = own_domain(caller);
        let edit = |entries: &mut Vec<MetadataEntry>, _: Revision| {
            let at = position(entries, id, own)?;
            let entry = entries.remove(at);
            check_revision(&entry, revision)?;
            if may_change(&entry, own) {
                Ok(entry)
            } else {
                Err(EntryError::ReadOnly.into())
            }
        };
        self.edit_entries(caller, of, target, "deleted", edit).await
    }

    async fn kept_entries(&self, stored: &Stored) -> Result<Kept, EngineError> {
        let request = ReadRequest::keys([keys::entries(stored.id)?]);
        let snapshot = self.store.read(request).await?;
        let Some(entry) = snapshot.keys.into_iter().next().flatten() else {
            return Ok(Kept {
                revision: None,
                entries: Vec::new(),
            });
        };
        let revision = entry.stored.revision();
        let record = entry.into_record()?;
        let entries = serde_json::from_slice(&record.content.body);
        let entries = entries.map_err(|error| EngineError::Unreadable {
            id: stored.id,
            reason: format!("its metadata entries can't be read: {error}"),
        })?;
        Ok(Kept { revision, entries })
    }

    /// One atomic write of all entries, on condition that neither they nor the resource changed.
    async fn edit_entries(
        &self,
        caller: &Caller,
        of: &TypeKey,
        target: &Target,
        done: &str,
        edit: impl Fn(&mut Vec<MetadataEntry>, Revision) -> Result<MetadataEntry, EngineError>,
    ) -> Result<MetadataEntry, EngineError> {
        coeval_catalog::kinds::not_own(of)?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let found = self
                .find(caller, of, target, ResourceAction::Modify)
                .await?;
            let Found {
                fetched, stored, ..
            } = found;
            let mut kept = self.kept_entries(&stored).await?;
            let edited = edit(&mut kept.entries, Revision::draw()?)?;
            // The resource stays as it is, but must be there as it was read: its expiry is copied
            // below, and entries of a deleted one would be left over.
            let mut write = fenced(&fetched.state).when(&fetched.key, as_read(&stored));
            write.steps.push(step(&stored, &kept)?);
            let mut deed = Deed::of_resource(What::ChangeEntries, of, stored.id, &stored.header);
            deed.note = Some(format!("metadata entry {} {done}", edited.key.key));
            let audit = self.audit_step(caller, &deed)?;
            let head = audit.key.clone();
            write.steps.push(audit);
            // The audit record is the head: it is put by every edit, while the entries may be
            // deleted by one.
            if unless_raced(self.commit(&head, write).await)?.is_some() {
                return Ok(edited);
            }
        }
    }
}

fn step(stored: &Stored, kept: &Kept) -> Result<WriteStep, EngineError> {
    let body = coeval_records::encode::encode("metadata entries", &kept.entries)?;
    // No empty record is left, so a resource without entries costs nothing.
    let action = if kept.entries.is_empty() {
        KeyAction::Delete
    } else {
        KeyAction::Put(RecordPut {
            // The resource alone is in the index of expiries; this goes with it.
            indexed: false,
            expires: stored.expires,
            ..RecordPut::of(body)
        })
    };
    Ok(WriteStep {
        key: keys::entries(stored.id)?,
        condition: kept
            .revision
            .map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
        action,
    })
}
