//! What belongs to a resource that has expired, for the sweep of the store.

use crate::audit::{Deed, What};
use crate::engine::Engine;
use crate::keys;
use crate::stored::Stored;
use crate::write::{ask_name, decode_acl, found_name};
use coeval_storage::{Action, Condition, Entry, ReadRequest, Step, StorageError, Stored as Kept};

impl Engine {
    /// The steps that remove, together with an expired record, all that belongs to it. Of what is
    /// no resource, or can't be read, nothing is known to belong.
    pub(crate) async fn expiring(&self, entry: &Entry) -> Result<Vec<Step>, StorageError> {
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
        let failed = |error: crate::EngineError| StorageError::failed(error.to_string());
        let mut request = ask_name(ReadRequest::default(), &of, org, name).map_err(failed)?;
        request.keys.insert(0, keys::acl(id)?);
        let mut snapshot = self.store.read(request).await?;
        let name = found_name(&mut snapshot, &of, org, name).map_err(failed)?;
        let acl = snapshot.keys.pop().flatten();
        let delete = |key| Step {
            key,
            condition: Condition::Whatever,
            action: Action::Delete,
        };
        let mut steps = vec![delete(keys::acl(id)?), delete(keys::secrets(id)?)];
        steps.extend(stored.header.index_keys(&of, id)?.into_iter().map(delete));
        let generation = stored.header.generation;
        for old in generation.saturating_sub(self.history_length())..generation {
            steps.push(delete(keys::history(id, old)?));
        }
        steps.push(name.step(-1));
        let mut deed = Deed::of_resource(What::Expire, &of, id, &stored.header);
        deed.before = Some(stored.revision.to_string());
        deed.acl = acl.and_then(|entry| decode_acl(&entry));
        let audit = self
            .audit_step_by("", &stored.header.org, &deed)
            .map_err(failed)?;
        steps.push(audit);
        Ok(steps)
    }
}
