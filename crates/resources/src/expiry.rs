//! What belongs to a resource that has expired, for the sweep of the store.
//!
//! An expired record is absent for every reader already; the sweep only removes what is left. It
//! asks here what goes with a record, and writes all of it in one atomic write. No caller is
//! involved, so everything is found out from the record itself: there are no rights to ask for and
//! no type to be loaded, and a sweep works for types that this server does not know.
//!
//! In a migration the answer depends on the other record. The rules of the phase say whether the
//! resource was there before and is not any more; only then do its ACL, its entries, its history
//! and its place in the count of its name go too. The phase, the other record, the ACL and the
//! count are conditions of the write: what changes meanwhile stops it.

use crate::write::acl::removal as acl_removal;
use crate::write::steps::{MOST_HISTORY, as_read, ask_name, found_name};
use async_trait::async_trait;
use coeval_catalog::types::pair::found;
use coeval_catalog::types::part::PHASES;
use coeval_catalog::types::phase;
use coeval_core::phases::SourceOfTruth;
use coeval_records::acl::decode_acl;
use coeval_records::audit::{self, Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::maintenance::DependentRecords;
use coeval_storage::{
    Clock, ReadRequest, RecordPut, StorageError, Store, StoredEntry, StoredValue, SystemClock,
    WriteAction, WriteCondition, WriteStep,
};
use std::sync::Arc;

/// Knows what belongs to an expired resource: its index entries, ACL, secrets, entries and
/// history, and one in the count of its name. A record of what happened is part of it, so that watchers can be told.
#[derive(Debug)]
pub struct ResourceBelongings {
    clock: Arc<dyn Clock>,
}

impl Default for ResourceBelongings {
    fn default() -> Self {
        Self {
            clock: Arc::new(SystemClock::default()),
        }
    }
}

#[async_trait]
impl DependentRecords for ResourceBelongings {
    async fn steps(
        &self,
        store: &dyn Store,
        entry: &StoredEntry,
    ) -> Result<Vec<WriteStep>, StorageError> {
        // Of what is no resource, or can't be read, nothing is known to belong.
        let Some((of, major, id)) = keys::read_record(&entry.key) else {
            return Ok(Vec::new());
        };
        let StoredValue::Record(record) = &entry.stored else {
            return Ok(Vec::new());
        };
        let Ok(stored) = Stored::decode(id, record) else {
            return Ok(Vec::new());
        };
        let (org, name) = (&stored.header.org, &stored.header.name);
        let failed = |error: EngineError| StorageError::failed(error.to_string());
        let delete = |key| WriteStep {
            key,
            condition: WriteCondition::Whatever,
            action: WriteAction::Delete,
        };
        // In a migration the record that expires may be a copy, or one that was left behind: then
        // the resource itself stays.
        let migration = migrating(store, &of, major).await?;
        let mut request = ask_name(ReadRequest::default(), &of, org, name).map_err(failed)?;
        request.keys.insert(0, keys::acl(id)?);
        if let Some(migration) = &migration {
            request
                .keys
                .insert(0, keys::record(&of, migration.twin, id)?);
        }
        let mut snapshot = store.read(request).await?;
        let name = found_name(&mut snapshot, &of, org, name).map_err(failed)?;
        let acl = snapshot.keys.pop().flatten();
        let other = snapshot.keys.pop().flatten();
        let live = other.as_ref().and_then(|other| other.stored.record());
        let live = live.and_then(|record| Stored::decode(id, record).ok());
        let goes = match (&migration, &other, &live) {
            (None, ..) => true,
            // What can't be read is not judged.
            (Some(_), Some(_), None) => false,
            (Some(migration), _, live) => migration.goes(&stored, live.as_ref()),
        };
        let mut steps = vec![delete(keys::secrets(id, major)?)];
        if goes && migration.is_some() {
            steps.push(delete(keys::failed(&of, id)?));
        }
        steps.extend(migration.map(|migration| migration.unchanged));
        let own = stored.header.index_keys(&of, id)?;
        if !goes {
            // This record does not count: it was left behind, or its resource is gone already.
            // Entries are shared by both records: what the other one still needs must stay.
            let needed = match (&other, &live) {
                (None, _) => Vec::new(),
                (Some(_), None) => own.clone(),
                (Some(_), Some(live)) => live.header.index_keys(&of, id)?,
            };
            let unneeded = own.into_iter().filter(|key| !needed.contains(key));
            steps.extend(unneeded.map(delete));
            steps.extend(other.map(|other| WriteStep {
                condition: live.as_ref().map_or(WriteCondition::Exists, as_read),
                key: other.key,
                action: WriteAction::Nop,
            }));
            // Nothing happened to the resource, so no watcher is told.
            steps.push(silent(&of)?);
            return Ok(steps);
        }
        steps.push(acl_removal(id, acl.as_ref())?);
        steps.push(delete(keys::entries(id)?));
        let mut indexed = own;
        if let (Some(other), Some(live)) = (other, live) {
            // It was left behind, and goes with what counts.
            indexed.extend(live.header.index_keys(&of, id)?);
            indexed.sort();
            indexed.dedup();
            steps.push(delete(keys::secrets(id, live.header.version.major)?));
            steps.push(WriteStep {
                condition: as_read(&live),
                key: other.key,
                action: WriteAction::Delete,
            });
        }
        steps.extend(indexed.into_iter().map(delete));
        let generation = stored.header.generation;
        // The settings of the server that wrote it are not known here, so as many are removed as
        // any can have kept.
        for old in generation.saturating_sub(MOST_HISTORY)..generation {
            steps.push(delete(keys::history(id, old)?));
        }
        steps.push(name.step(-1).map_err(|error| failed(error.into()))?);
        // Without it watchers would see records vanish and not know whose they were, nor who could
        // see them.
        let mut deed = Deed::of_resource(What::Expire, &of, id, &stored.header);
        deed.before = Some(stored.revision.to_string());
        deed.paired = stored.paired;
        deed.acl = acl.and_then(|entry| decode_acl(&entry));
        steps.push(audit::step(self.clock.now().0, "", org, &deed).map_err(failed)?);
        Ok(steps)
    }
}

/// What the migration of a type says of a record of one of its majors.
struct Migrating {
    /// The other major.
    twin: u32,
    is_old: bool,
    /// The source of truth. Where two phases disagree, both records are the same.
    truth: SourceOfTruth,
    /// The phases are as they were read.
    unchanged: WriteStep,
}

impl Migrating {
    /// Whether a resource goes with this record: it was there, and is not without it.
    fn goes(&self, stored: &Stored, other: Option<&Stored>) -> bool {
        let (was, is) = if self.is_old {
            (found(Some(stored), other), found(None, other))
        } else {
            (found(other, Some(stored)), found(other, None))
        };
        was.exists(self.truth) && !is.exists(self.truth)
    }
}

/// Nothing, if the major is not one of the two.
async fn migrating(
    store: &dyn Store,
    of: &TypeKey,
    major: u32,
) -> Result<Option<Migrating>, StorageError> {
    let key = keys::phase(of)?;
    let snapshot = store.read(ReadRequest::keys([key.clone()])).await?;
    let entry = snapshot.keys.into_iter().next().flatten();
    let Some(record) = entry.as_ref().and_then(|entry| entry.stored.record()) else {
        return Ok(None);
    };
    let migration = phase::decode(&record.content.body);
    let Some(migration) = migration.and_then(|(record, _)| record.migration) else {
        return Ok(None);
    };
    let twin = match major {
        major if major == migration.from => migration.to,
        major if major == migration.to => migration.from,
        _ => return Ok(None),
    };
    Ok(Some(Migrating {
        twin,
        is_old: major == migration.from,
        truth: PHASES.row(migration.live.low).truth,
        unchanged: WriteStep {
            key,
            condition: WriteCondition::RevisionIs(record.revision),
            action: WriteAction::Nop,
        },
    }))
}

/// What keeps watchers from being told of the records in a write.
pub fn silent(of: &TypeKey) -> Result<WriteStep, StorageError> {
    Ok(WriteStep {
        key: keys::background(of, "lately")?,
        condition: WriteCondition::Whatever,
        action: WriteAction::Put(RecordPut::of(b"{}".to_vec())),
    })
}
