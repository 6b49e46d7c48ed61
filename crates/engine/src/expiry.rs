//! What belongs to a resource that has expired, for the sweep of the store.

use crate::audit::{self, Deed, What};
use crate::error::EngineError;
use crate::keys;
use crate::stored::Stored;
use crate::write::{MOST_HISTORY, ask_name, decode_acl, found_name};
use async_trait::async_trait;
use coeval_storage::maintenance::Belongings;
use coeval_storage::{
    Action, Clock, Condition, Entry, ReadRequest, Step, StorageError, Store, Stored as Kept,
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
        let Some((of, _, id)) = keys::read_record(&entry.key) else {
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
        let mut request = ask_name(ReadRequest::default(), &of, org, name).map_err(failed)?;
        request.keys.insert(0, keys::acl(id)?);
        let mut snapshot = store.read(request).await?;
        let name = found_name(&mut snapshot, &of, org, name).map_err(failed)?;
        let acl = snapshot.keys.pop().flatten();
        let delete = |key| Step {
            key,
            condition: Condition::Whatever,
            action: Action::Delete,
        };
        let mut steps = vec![
            delete(keys::acl(id)?),
            delete(keys::secrets(id)?),
            delete(keys::entries(id)?),
        ];
        steps.extend(stored.header.index_keys(&of, id)?.into_iter().map(delete));
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
