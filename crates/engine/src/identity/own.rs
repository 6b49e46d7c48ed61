//! Reading and writing resources of the engine's own kinds, without asking whether the caller may:
//! who calls this has asked.

use super::directory::identity_key;
use crate::allow::SYSTEM_ORG;
use crate::audit::{Deed, What};
use crate::caller::Caller;
use crate::engine::{Engine, Fetched};
use crate::error::EngineError;
use crate::identity::open::SYSTEM_USER;
use crate::keys::{self, index};
use crate::kinds::{OwnKind, WRITTEN_AT};
use crate::read::Found;
use crate::seen::text_key;
use crate::stored::Stored;
use crate::write::steps::{ask_name, fenced, found_name};
use crate::write::{Create, Update, is_race};
use coeval_access::Level;
use coeval_core::version::Uuid;
use coeval_storage::{
    Action, AtomicWrite, Condition, Key, Put, Range, ReadRequest, Revision, Step, StorageError,
};
use serde_json::Value;

/// What a change was judged on: the identity record as it was before anything was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen(pub(crate) Option<Revision>);

impl Seen {
    pub(crate) fn condition(self) -> Condition {
        self.0.map_or(Condition::NotExists, Condition::RevisionIs)
    }

    /// The step that tells all servers of a change, on condition that none came between.
    pub(crate) fn step(self) -> Result<Step, StorageError> {
        Ok(Step {
            key: identity_key()?,
            condition: self.condition(),
            action: Action::Put(Put::of(b"{}".to_vec())),
        })
    }
}

/// The same, whatever came between: for a change that nothing else bears on.
pub(crate) fn changed() -> Result<Step, StorageError> {
    Ok(Step {
        key: identity_key()?,
        condition: Condition::Whatever,
        action: Action::Put(Put::of(b"{}".to_vec())),
    })
}

/// A resource of an own kind, and where it was found.
pub(crate) struct Own {
    pub(crate) fetched: Fetched,
    pub(crate) stored: Stored,
}

/// One to be made.
pub(crate) struct NewOwn<'a> {
    pub(crate) kind: OwnKind,
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) content: Value,
    /// For the audit and for who made it.
    pub(crate) caller: &'a Caller,
}

impl NewOwn<'_> {
    pub(crate) fn create(&self) -> Create {
        let mut create = Create::new(WRITTEN_AT, self.name.clone(), self.content.clone());
        create.org = Some(SYSTEM_ORG.to_owned());
        create.owner = Some(SYSTEM_USER.to_owned());
        create.description.clone_from(&self.description);
        create
    }
}

impl Engine {
    /// How identity is now.
    pub(crate) async fn seen(&self) -> Result<Seen, EngineError> {
        let snapshot = self
            .store
            .read(ReadRequest::keys([identity_key()?]))
            .await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        Ok(Seen(entry.and_then(|entry| entry.stored.revision())))
    }

    /// One by id, in one snapshot with more keys.
    pub(crate) async fn own_with(
        &self,
        kind: OwnKind,
        id: Uuid,
        more: Vec<Key>,
    ) -> Result<Option<Own>, EngineError> {
        let fetched = self.fetch(&kind.of(), id, ReadRequest::keys(more)).await;
        let mut fetched = match fetched {
            // The kinds are not installed: nothing of them is there.
            Err(EngineError::TypeUnknown { .. }) => return Ok(None),
            other => other?,
        };
        Ok(fetched.stored.take().map(|stored| Own { fetched, stored }))
    }

    pub(crate) async fn own(&self, kind: OwnKind, id: Uuid) -> Result<Option<Own>, EngineError> {
        self.own_with(kind, id, Vec::new()).await
    }

    /// One by the name of its resource.
    pub(crate) async fn own_named(
        &self,
        kind: OwnKind,
        name: &str,
    ) -> Result<Option<Own>, EngineError> {
        let value = text_key(name);
        for id in self.own_ids(kind, index::NAME, &value, None, 8).await? {
            // A long name is cut in its index.
            if let Some(own) = self.own(kind, id).await?
                && own.stored.header.name == name
            {
                return Ok(Some(own));
            }
        }
        Ok(None)
    }

    /// The ids that an index has under a value, in order, after one.
    pub(crate) async fn own_ids(
        &self,
        kind: OwnKind,
        index: &str,
        value: &[u8],
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<Uuid>, EngineError> {
        let of = kind.of();
        let mut span = keys::index_point(&of, index, SYSTEM_ORG, value)?;
        if let Some(after) = after {
            span = span.after(&keys::index_entry(&of, index, SYSTEM_ORG, value, after)?);
        }
        let (_, page) = self.store.range(Range::of(span).limit(limit)).await?;
        let ids = page.entries.iter();
        Ok(ids
            .filter_map(|entry| keys::id_of_entry(&entry.key))
            .collect())
    }

    /// A page of a kind by id, after one. What can't be read is left out and told in the log.
    pub(crate) async fn own_page(
        &self,
        kind: OwnKind,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<Vec<Stored>, EngineError> {
        let of = kind.of();
        let mut span = keys::records(&of)?;
        if let Some(after) = after {
            span = span.after(&keys::record(&of, WRITTEN_AT.major, after)?);
        }
        let (_, page) = self.store.range(Range::of(span).limit(limit)).await?;
        Ok(decode(page.entries))
    }

    /// Makes one; `None` if somebody else changed something meanwhile.
    pub(crate) async fn make_own(
        &self,
        new: &NewOwn<'_>,
        seen: Seen,
        more: Vec<Step>,
    ) -> Result<Option<Stored>, EngineError> {
        let of = new.kind.of();
        let state = self.types.current(&of).await?;
        let create = new.create();
        let planned = self.plan_create(new.caller, &state, &create, new.id);
        let Some(planned) = planned.await? else {
            return Ok(None);
        };
        let mut write = planned.write;
        write.steps.push(seen.step()?);
        write.steps.extend(more);
        match self.commit(&planned.key, write).await {
            Ok(written) => {
                let mut stored = planned.stored;
                stored.revision = written.revision;
                Ok(Some(stored))
            }
            Err(error) if is_race(&error) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Changes one; `None` if somebody else changed something meanwhile.
    pub(crate) async fn change_own(
        &self,
        caller: &Caller,
        own: Own,
        content: Value,
        edit: impl FnOnce(&mut Update),
        seen: Seen,
        more: Vec<Step>,
    ) -> Result<Option<Stored>, EngineError> {
        let id = own.stored.id;
        let of = own.fetched.state.key.clone();
        let found = Found {
            fetched: own.fetched,
            stored: own.stored,
            level: Level::FullControl,
        };
        let mut update = Update::new(WRITTEN_AT, content);
        edit(&mut update);
        let mut steps = more;
        steps.push(seen.step()?);
        match self.attempt(caller, found, &update, steps).await {
            Ok(_) => {}
            Err(EngineError::Storage(error)) if is_race(&error) => return Ok(None),
            Err(EngineError::TypeEditing { .. }) => return Ok(None),
            Err(error) => return Err(error),
        }
        let after = self.fetch(&of, id, ReadRequest::default()).await?;
        // Gone again already: it was changed all the same.
        let gone = || EngineError::no_resource(id);
        after.stored.map(Some).ok_or_else(gone)
    }

    /// The steps that remove one.
    pub(crate) async fn removal(
        &self,
        caller: &Caller,
        own: &Own,
    ) -> Result<AtomicWrite, EngineError> {
        let (state, stored) = (&*own.fetched.state, &own.stored);
        let (of, name) = (&state.key, &stored.header.name);
        let request = ask_name(ReadRequest::default(), of, &stored.header.org, name)?;
        let mut snapshot = self.store.read(request).await?;
        let name = found_name(&mut snapshot, of, &stored.header.org, name)?;
        let mut write = self.remove_object(fenced(state), &own.fetched, stored)?;
        write.steps.push(name.step(-1));
        let mut deed = Deed::of_resource(What::Delete, of, stored.id, &stored.header);
        deed.before = Some(stored.revision.to_string());
        write.steps.push(self.audit_step(caller, &deed)?);
        Ok(write)
    }

    /// Removes one; whether it happened, and not somebody else changed something meanwhile.
    pub(crate) async fn remove_own(
        &self,
        caller: &Caller,
        own: &Own,
        seen: Seen,
        more: Vec<Step>,
    ) -> Result<bool, EngineError> {
        let mut write = self.removal(caller, own).await?;
        let step = seen.step()?;
        // The audit record is what is left, so it tells whether it happened.
        let audit = write.steps.last().map(|audit| audit.key.clone());
        let head = audit.unwrap_or_else(|| step.key.clone());
        write.steps.push(step);
        write.steps.extend(more);
        match self.commit(&head, write).await {
            Ok(_) => Ok(true),
            Err(error) if is_race(&error) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The resources of a page. One that can't be read hides no other.
pub(crate) fn decode(entries: Vec<coeval_storage::Entry>) -> Vec<Stored> {
    let read = |entry: coeval_storage::Entry| {
        let key = entry.key.clone();
        let (_, _, id) = keys::read_record(&key)?;
        let record = entry.into_record();
        let stored = record.map_err(EngineError::from);
        let stored = stored.and_then(|record| Stored::decode(id, &record));
        stored
            .inspect_err(|error| tracing::error!(%key, %error, "left out"))
            .ok()
    };
    entries.into_iter().filter_map(read).collect()
}
