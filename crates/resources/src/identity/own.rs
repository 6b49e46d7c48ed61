//! Reading and writing resources of the engine's own kinds, without asking whether the caller may:
//! who calls this has asked.

use crate::caches::directory::Held;
use crate::identity::open::SYSTEM_USER;
use crate::read::Found;
use crate::resources::Resources;
use crate::write::request::{Create, Update};
use crate::write::steps::{ask_name, fenced, found_name};
use coeval_access::AccessLevel;
use coeval_catalog::allow::SYSTEM_ORG;
use coeval_catalog::caller::Caller;
use coeval_catalog::fetched::Fetched;
use coeval_catalog::identity::content::Spoken;
use coeval_catalog::identity::seen::{Seen, identity_key};
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::state::TypeState;
use coeval_catalog::visible_versions::WantedView;
use coeval_core::decide::WantedVersion;
use coeval_core::types::Visibility;
use coeval_core::version::{Uuid, Version};
use coeval_records::attempts::unless_raced;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::header::index_values::text_key;
use coeval_records::keys::{self, index};
use coeval_records::stored::Stored;
use coeval_storage::{AtomicWrite, Key, ReadRange, ReadRequest, WriteStep};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// A resource of an own kind, and where it was found.
#[derive(Debug)]
pub struct Own {
    pub fetched: Fetched,
    pub stored: Stored,
}

/// One to be made.
#[derive(Debug)]
pub struct NewOwn<'a> {
    pub kind: OwnKind,
    pub id: Uuid,
    pub name: String,
    pub description: Option<String>,
    pub content: Value,
    /// For the audit and for who made it.
    pub caller: &'a Caller,
}

impl NewOwn<'_> {
    /// With its content at the version that the code speaks.
    pub fn create(&self, at: Version) -> Create {
        let mut create = Create::new(at, self.name.clone(), self.content.clone());
        create.org = Some(SYSTEM_ORG.to_owned());
        create.owner = Some(SYSTEM_USER.to_owned());
        create.description.clone_from(&self.description);
        create
    }
}

impl Resources {
    /// How identity is now.
    pub async fn seen(&self) -> Result<Seen, EngineError> {
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
        // Whoever looks may write next, and writes are put onto the source of truth.
        fetched.turn_to_truth()?;
        Ok(fetched.stored.take().map(|stored| Own { fetched, stored }))
    }

    pub async fn own(&self, kind: OwnKind, id: Uuid) -> Result<Option<Own>, EngineError> {
        self.own_with(kind, id, Vec::new()).await
    }

    /// One by the name of its resource.
    pub async fn own_named(&self, kind: OwnKind, name: &str) -> Result<Option<Own>, EngineError> {
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
        let (_, page) = self.store.range(ReadRange::of(span).limit(limit)).await?;
        let ids = page.entries.iter();
        Ok(ids
            .filter_map(|entry| keys::id_of_entry(&entry.key))
            .collect())
    }

    /// As this release's code speaks of it.
    ///
    /// # Errors
    /// If its version is not known here: nothing is guessed about who may do what.
    pub fn spoken(&self, state: &TypeState, stored: &Stored) -> Result<Spoken, EngineError> {
        let at = self.types.own().speaks(&state.key);
        let content = if stored.header.version == at {
            stored.content.clone()
        } else {
            let wanted = WantedView::of_all(WantedVersion::Exactly(at));
            let shown = self
                .show(state, stored, &wanted, Visibility::Private, None)?
                .shown;
            shown.content
        };
        Ok(Spoken {
            id: stored.id,
            revision: stored.revision,
            header: stored.header.clone(),
            content,
        })
    }

    /// The content of one.
    pub fn read_own<T: DeserializeOwned>(&self, own: &Own) -> Result<T, EngineError> {
        coeval_catalog::identity::content::read(&self.spoken(&own.fetched.state, &own.stored)?)
    }

    /// One with its content read.
    pub fn held<T: DeserializeOwned>(&self, own: &Own) -> Result<Held<T>, EngineError> {
        Held::of(self.spoken(&own.fetched.state, &own.stored)?)
    }

    /// Makes one; `None` if somebody else changed something meanwhile.
    pub(crate) async fn make_own(
        &self,
        new: &NewOwn<'_>,
        seen: Seen,
        more: Vec<WriteStep>,
    ) -> Result<Option<Spoken>, EngineError> {
        let of = new.kind.of();
        let state = self.types.current(&of).await?;
        let create = new.create(self.types.own().speaks(&of));
        let planned = self.plan_create(new.caller, &state, &create, new.id);
        // Nothing is planned if the type changed while it was.
        let Some(planned) = planned.await? else {
            return Ok(None);
        };
        let mut write = planned.write;
        // If identity is another by now than what this was judged on, the write loses.
        write.steps.push(seen.step()?);
        write.steps.extend(more);
        let Some(written) = unless_raced(self.commit(&planned.key, write).await)? else {
            return Ok(None);
        };
        let mut stored = planned.stored;
        stored.revision = written.revision;
        self.spoken(&state, &stored).map(Some)
    }

    /// Changes one; `None` if somebody else changed something meanwhile.
    pub(crate) async fn change_own(
        &self,
        caller: &Caller,
        own: Own,
        content: Value,
        edit: impl FnOnce(&mut Update),
        seen: Seen,
        more: Vec<WriteStep>,
    ) -> Result<Option<Spoken>, EngineError> {
        let id = own.stored.id;
        let of = own.fetched.state.key.clone();
        let found = Found {
            fetched: own.fetched,
            stored: own.stored,
            level: AccessLevel::FullControl,
        };
        let mut update = Update::new(self.types.own().speaks(&of), content);
        edit(&mut update);
        let mut steps = more;
        steps.push(seen.step()?);
        let changed = match self.attempt(caller, found, &update, steps).await {
            // Somebody edits the definition of the kind. That ends, so it counts as a lost race.
            Err(EngineError::TypeEditing { .. }) => None,
            outcome => unless_raced(outcome)?,
        };
        if changed.is_none() {
            return Ok(None);
        }
        // Read back as it is stored: the body was at the version that the code speaks.
        let after = self.fetch(&of, id, ReadRequest::default()).await?;
        // Gone again already: it was changed all the same.
        let gone = || EngineError::no_resource(id);
        let stored = after.stored.as_ref().ok_or_else(gone)?;
        self.spoken(&after.state, stored).map(Some)
    }

    /// The steps that remove one.
    pub async fn removal(&self, caller: &Caller, own: &Own) -> Result<AtomicWrite, EngineError> {
        let (state, stored) = (&*own.fetched.state, &own.stored);
        let (of, name) = (&state.key, &stored.header.name);
        let request = ask_name(ReadRequest::default(), of, &stored.header.org, name)?;
        let mut snapshot = self.store.read(request).await?;
        let name = found_name(&mut snapshot, of, &stored.header.org, name)?;
        let write = self.remove_object(fenced(state), &own.fetched, stored)?;
        let mut write = write.delete(&keys::acl(stored.id)?);
        write.steps.push(name.step(-1)?);
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
        more: Vec<WriteStep>,
    ) -> Result<bool, EngineError> {
        let mut write = self.removal(caller, own).await?;
        let step = seen.step()?;
        // The audit record is what is left, so it tells whether it happened.
        let audit = write.steps.last().map(|audit| audit.key.clone());
        let head = audit.unwrap_or_else(|| step.key.clone());
        write.steps.push(step);
        write.steps.extend(more);
        let written = unless_raced(self.commit(&head, write).await)?;
        Ok(written.is_some())
    }
}
