//! What belongs to a resource that has expired, for the sweep of the store.

use crate::audit::{self, Deed, What};
use crate::error::EngineError;
use crate::keys::{self, TypeKey};
use crate::stored::Stored;
use crate::types::phase;
use crate::write::steps::as_read;
use crate::write::{MOST_HISTORY, ask_name, decode_acl, found_name};
use async_trait::async_trait;
use coeval_storage::maintenance::Belongings;
use coeval_storage::{
    Action, Clock, Condition, Entry, Put, ReadRequest, Step, StorageError, Store, Stored as Kept,
    SystemClock,
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
impl Belongings for ResourceBelongings {
    async fn steps(&self, store: &dyn Store, entry: &Entry) -> Result<Vec<Step>, StorageError> {
        // Of what is no resource, or can't be read, nothing is known to belong.
        let Some((of, major, id)) = keys::read_record(&entry.key) else {
            return Ok(Vec::new());
        };
        let Kept::Record(record) = &entry.stored else {
            return Ok(Vec::new());
        };
        let Ok(stored) = Stored::decode(id, record) else {
            return Ok(Vec::new());
        };
        let (org, name) = (&stored.header.org, &stored.header.name);
        let failed = |error: EngineError| StorageError::failed(error.to_string());
        let delete = |key| Step {
            key,
            condition: Condition::Whatever,
            action: Action::Delete,
        };
        let twin = twin(store, &of, major).await?;
        let mut request = ask_name(ReadRequest::default(), &of, org, name).map_err(failed)?;
        request.keys.insert(0, keys::acl(id)?);
        if let Some(twin) = twin {
            request.keys.insert(0, keys::record(&of, twin, id)?);
        }
        let mut snapshot = store.read(request).await?;
        let name = found_name(&mut snapshot, &of, org, name).map_err(failed)?;
        let acl = snapshot.keys.pop().flatten();
        let other = snapshot.keys.pop().flatten();
        let mut steps = vec![delete(keys::secrets(id, major)?)];
        let own = stored.header.index_keys(&of, id)?;
        if let Some(other) = other {
            // The resource lives on: this record was left behind in a migration.
            let record = other.stored.record();
            let live = record.and_then(|record| Stored::decode(id, record).ok());
            let needed = match &live {
                None => own.clone(),
                Some(live) => live.header.index_keys(&of, id)?,
            };
            let unneeded = own.into_iter().filter(|key| !needed.contains(key));
            steps.extend(unneeded.map(delete));
            steps.push(Step {
                condition: live.as_ref().map_or(Condition::Exists, as_read),
                key: other.key,
                action: Action::Nop,
            });
            steps.push(silent(&of)?);
            return Ok(steps);
        }
        steps.push(delete(keys::acl(id)?));
        steps.push(delete(keys::entries(id)?));
        if let Some(twin) = twin {
            // Expired too, so that it would be met once more.
            steps.push(delete(keys::record(&of, twin, id)?));
            steps.push(delete(keys::secrets(id, twin)?));
        }
        steps.extend(own.into_iter().map(delete));
        let generation = stored.header.generation;
        for old in generation.saturating_sub(MOST_HISTORY)..generation {
            steps.push(delete(keys::history(id, old)?));
        }
        steps.push(name.step(-1));
        let mut deed = Deed::of_resource(What::Expire, &of, id, &stored.header);
        deed.before = Some(stored.revision.to_string());
        deed.acl = acl.and_then(|entry| decode_acl(&entry));
        steps.push(audit::step(self.clock.now().0, "", org, &deed).map_err(failed)?);
        Ok(steps)
    }
}

/// The other major of the migration of a type, if this is one of the two.
async fn twin(store: &dyn Store, of: &TypeKey, major: u32) -> Result<Option<u32>, StorageError> {
    let snapshot = store.read(ReadRequest::keys([keys::phase(of)?])).await?;
    let entry = snapshot.keys.into_iter().next().flatten();
    let record = entry.and_then(|entry| phase::decode(&entry.stored.record()?.content.body));
    let migration = record.and_then(|(record, _)| record.migration);
    Ok(migration.and_then(|migration| match major {
        major if major == migration.from => Some(migration.to),
        major if major == migration.to => Some(migration.from),
        _ => None,
    }))
}

/// What keeps watchers from being told of the records in a write.
pub(crate) fn silent(of: &TypeKey) -> Result<Step, StorageError> {
    Ok(Step {
        key: keys::background(of, "lately")?,
        condition: Condition::Whatever,
        action: Action::Put(Put::of(b"{}".to_vec())),
    })
}
