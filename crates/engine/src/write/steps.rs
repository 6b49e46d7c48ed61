//! The steps of a write: the object and all that belongs to it.

use crate::engine::Engine;
use crate::error::EngineError;
use crate::header::Header;
use crate::keys::{self, TypeKey, index};
use crate::seen::text_key;
use crate::stored::{Stored, ToStore};
use crate::types::state::TypeState;
use coeval_core::version::{Uuid, Version};
use coeval_filter::may_be_cut;
use coeval_storage::{
    Action, AtomicWrite, Condition, Content, Key, Millis, Put, Range, ReadRequest, Revision,
    Snapshot, Step,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a write wants of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Nobody else has it.
    Unique,
    /// It may have namesakes.
    Shared,
}

/// How many resources have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NameCount {
    pub(crate) count: u64,
}

impl NameCount {
    pub(crate) fn of(entry: &coeval_storage::Entry) -> Option<Self> {
        serde_json::from_slice(&entry.stored.record()?.content.body).ok()
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        // Plain data: nothing in it can fail to be printed.
        serde_json::to_vec(&self).unwrap_or_default()
    }
}

/// What stands under a name: its count, and whether anything live has it.
#[derive(Clone, Debug)]
pub(crate) struct NameFound {
    key: Key,
    before: Option<(Revision, u64)>,
    /// One that has it.
    pub(crate) taken_by: Option<Uuid>,
}

/// What to read to know about a name.
pub(crate) fn ask_name(
    request: ReadRequest,
    of: &TypeKey,
    org: &str,
    name: &str,
) -> Result<ReadRequest, EngineError> {
    let mut request = request;
    request.keys.push(keys::name_count(of, org, name)?);
    let span = keys::index_point(of, index::NAME, org, &text_key(name))?;
    Ok(request.and_range(Range::of(span).limit(1)))
}

/// Reads the last answers to [`ask_name`] out of a snapshot.
pub(crate) fn found_name(
    snapshot: &mut Snapshot,
    of: &TypeKey,
    org: &str,
    name: &str,
) -> Result<NameFound, EngineError> {
    let entry = snapshot.keys.pop().flatten();
    let page = snapshot.pages.pop().unwrap_or_default();
    let before = match entry {
        None => None,
        Some(entry) => {
            let revision = entry.stored.revision();
            let counted = NameCount::of(&entry);
            // A damaged count is written anew; the check of the store corrects it.
            revision.map(|revision| (revision, counted.map_or(0, |counted| counted.count)))
        }
    };
    let mut taken_by = page
        .entries
        .first()
        .and_then(|entry| keys::id_of_entry(&entry.key));
    // An index cuts long names, and others may begin the same. Their counts are apart.
    if may_be_cut(&text_key(name)) && before.is_none_or(|(_, count)| count == 0) {
        taken_by = None;
    }
    Ok(NameFound {
        key: keys::name_count(of, org, name)?,
        before,
        taken_by,
    })
}

impl NameFound {
    /// The step that adds to the count, or takes from it.
    pub(crate) fn step(&self, add: i64) -> Step {
        let (condition, count) = match self.before {
            None => (Condition::NotExists, 0),
            Some((revision, count)) => (Condition::RevisionIs(revision), count),
        };
        let count = count.saturating_add_signed(add);
        let action = match (count, self.before) {
            (0, None) => Action::Nop,
            (0, Some(_)) => Action::Delete,
            _ => Action::Put(Put::of(NameCount { count }.encode())),
        };
        Step {
            key: self.key.clone(),
            condition,
            action,
        }
    }
}

/// One put of an object over what was there.
pub(crate) struct ObjectWrite<'a> {
    pub(crate) state: &'a TypeState,
    pub(crate) id: Uuid,
    /// What was there, and its key.
    pub(crate) before: Option<(&'a Key, &'a Stored)>,
    pub(crate) after: &'a ToStore,
    pub(crate) expires: Option<Millis>,
    /// Entries of the history that stay.
    pub(crate) history: u64,
}

fn belonging(content: impl Into<Content>, expires: Option<Millis>) -> Action {
    Action::Put(Put {
        // The record alone is in the index of expiries; this goes with it.
        indexed: false,
        expires,
        ..Put::of(content)
    })
}

/// What every write to a type is conditioned on.
pub(crate) fn fenced(state: &TypeState) -> AtomicWrite {
    AtomicWrite::new().when(
        &state.phase_key,
        Condition::RevisionIs(state.phase_revision),
    )
}

/// No resource is created at, or moved to, a version that somebody is editing.
pub(crate) fn arrives(
    write: AtomicWrite,
    state: &TypeState,
    at: Version,
) -> Result<AtomicWrite, EngineError> {
    let Some(definition) = state.definitions.get(&at) else {
        let of = state.key.clone();
        return Err(EngineError::TypeVersionUnknown { of, version: at });
    };
    if definition.meta.editing {
        return Err(EngineError::TypeEditing {
            id: definition.id(&state.key),
        });
    }
    let key = keys::type_version(&state.key, at)?;
    Ok(write.when(&key, Condition::RevisionIs(definition.revision)))
}

impl ObjectWrite<'_> {
    /// The key that the object gets.
    pub(crate) fn key(&self) -> Result<Key, EngineError> {
        let major = self.after.header.version.major;
        Ok(keys::record(&self.state.key, major, self.id)?)
    }

    /// Adds the object, its index entries and its history.
    pub(crate) fn add_to(&self, write: AtomicWrite) -> Result<AtomicWrite, EngineError> {
        let own = self.key()?;
        let put = Action::Put(Put::of(self.after.encode()).expiring(self.expires));
        let mut write = match self.before {
            None => write.step(&own, Condition::NotExists, put),
            Some((key, stored)) if *key == own => write.step(&own, as_read(stored), put),
            // Another major: the object moves.
            Some((key, stored)) => write.step(key, as_read(stored), Action::Delete).step(
                &own,
                Condition::NotExists,
                put,
            ),
        };
        let after = self.index_keys(&self.after.header)?;
        let before = match self.before {
            None => BTreeSet::new(),
            Some((_, stored)) => self.index_keys(&stored.header)?,
        };
        let expiry_moved = self
            .before
            .is_some_and(|(_, stored)| stored.expires != self.expires);
        for key in &after {
            if expiry_moved || !before.contains(key) {
                let put = belonging(Content::default(), self.expires);
                write = write.step(key, Condition::Whatever, put);
            }
        }
        for key in before.difference(&after) {
            write = write.delete(key);
        }
        if let Some((_, stored)) = self.before
            && self.history > 0
        {
            let generation = stored.header.generation;
            let put = belonging(stored.to_history(), self.expires);
            let key = keys::history(self.id, generation)?;
            write = write.step(&key, Condition::Whatever, put);
            if let Some(oldest) = generation.checked_sub(self.history) {
                write = write.delete(&keys::history(self.id, oldest)?);
            }
        }
        Ok(write)
    }

    fn index_keys(&self, header: &Header) -> Result<BTreeSet<Key>, EngineError> {
        let keys = header.index_keys(&self.state.key, self.id)?;
        Ok(keys.into_iter().collect())
    }
}

/// Still with the revision and the expiry that were read.
pub(crate) fn as_read(stored: &Stored) -> Condition {
    Condition::AsRead {
        revision: stored.revision,
        expires: stored.expires,
    }
}

/// Removes an object and all that belongs to it.
pub(crate) fn remove(
    write: AtomicWrite,
    state_key: &TypeKey,
    key: &Key,
    stored: &Stored,
    history: u64,
) -> Result<AtomicWrite, EngineError> {
    let id = stored.id;
    let mut write = write
        .step(key, as_read(stored), Action::Delete)
        .delete(&keys::acl(id)?)
        .delete(&keys::secrets(id)?)
        .delete(&keys::entries(id)?);
    for entry in stored.header.index_keys(state_key, id)? {
        write = write.delete(&entry);
    }
    let generation = stored.header.generation;
    for old in generation.saturating_sub(history)..generation {
        write = write.delete(&keys::history(id, old)?);
    }
    Ok(write)
}

impl Engine {
    /// How many earlier revisions are kept.
    pub(crate) fn history_length(&self) -> u64 {
        // A larger bound would not fit into the atomic write that deletes a resource.
        self.settings.history.min(MOST_HISTORY)
    }
}

/// The most entries of a history: with indexes and the rest they fit into one atomic write.
pub(crate) const MOST_HISTORY: u64 = 32;
