//! The steps of a write: the object and all that belongs to it.
//!
//! A *seat* is one record of an object: what was there, and what becomes of it. An object has one
//! seat, or two in a migration or when it moves to another major. From all seats together follow
//! the index entries: those of what was there and is not needed any more go, those of what is there
//! now are written. Conditions stand on the seats; entries, history and secrets follow from them
//! and have none.

use crate::resources::Resources;
use crate::secure::Sealed;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::{Uuid, Version};
use coeval_filter::may_be_cut;
use coeval_records::encode::{EncodeError, encode};
use coeval_records::error::EngineError;
use coeval_records::header::Header;
use coeval_records::header::index_values::text_key;
use coeval_records::keys::{self, TypeKey, index};
use coeval_records::stored::Stored;
use coeval_storage::record::PACKED_SINCE;
use coeval_storage::{
    AtomicWrite, Key, PutRevision, ReadRange, ReadRequest, ReadSnapshot, RecordContent, RecordPut,
    Revision, UnixMillis, WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a write wants of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Nobody else has it.
    Unique,
    /// It may have namesakes.
    Shared,
}

/// How many resources have a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameCount {
    pub count: u64,
}

impl NameCount {
    pub fn of(entry: &coeval_storage::StoredEntry) -> Option<Self> {
        serde_json::from_slice(&entry.stored.record()?.content.body).ok()
    }

    pub fn encode(self) -> Result<Vec<u8>, EncodeError> {
        encode("the count of a name", &self)
    }
}

/// What stands under a name: its count, and whether anything live has it.
#[derive(Clone, Debug)]
pub struct NameFound {
    key: Key,
    before: Option<(Revision, u64)>,
    /// One that has it.
    pub taken_by: Option<Uuid>,
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
    // Writers race on the count. Who has the name is asked of the index, whose entries expire with
    // their resource; the count still has those that no sweep has met.
    let span = keys::index_point(of, index::NAME, org, &text_key(name))?;
    Ok(request.and_range(ReadRange::of(span).limit(1)))
}

/// Reads the last answers to [`ask_name`] out of a snapshot.
pub(crate) fn found_name(
    snapshot: &mut ReadSnapshot,
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
    pub fn step(&self, add: i64) -> Result<WriteStep, EncodeError> {
        let (condition, count) = match self.before {
            None => (WriteCondition::NotExists, 0),
            Some((revision, count)) => (WriteCondition::RevisionIs(revision), count),
        };
        let count = count.saturating_add_signed(add);
        let action = match (count, self.before) {
            (0, None) => WriteAction::Nop,
            (0, Some(_)) => WriteAction::Delete,
            _ => WriteAction::Put(RecordPut::of(NameCount { count }.encode()?)),
        };
        Ok(WriteStep {
            key: self.key.clone(),
            condition,
            action,
        })
    }
}

/// What becomes of one record of an object.
#[derive(Debug)]
pub enum Becomes<'a> {
    /// It stays as it is, or absent.
    Stays,
    /// This, under a fresh revision or a given one.
    Put(&'a Sealed, PutRevision),
    /// Its expiry moves.
    KeepAlive,
    /// It goes.
    Gone,
}

/// One record of an object: its key, what was there, and what becomes of it.
#[derive(Debug)]
pub struct Seat<'a> {
    pub key: Key,
    pub before: Option<&'a Stored>,
    pub becomes: Becomes<'a>,
    /// Whether what indexes find is this record: not one that was left behind.
    pub counts: bool,
    /// Whether the index entries of what was there are there too.
    pub indexed: bool,
}

/// One write of an object over what was there: mostly one record, two in a migration.
#[derive(Debug)]
pub struct ObjectWrite<'a> {
    pub state: &'a TypeState,
    pub id: Uuid,
    pub seats: Vec<Seat<'a>>,
    /// What goes into the history.
    pub earlier: Option<&'a Stored>,
    pub expires: Option<UnixMillis>,
    pub history: KeptHistory,
}

/// How earlier revisions are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptHistory {
    /// How many stay.
    pub length: u64,
    /// Whether they are packed: all servers can read that.
    pub packed: bool,
}

fn belonging(content: impl Into<RecordContent>, expires: Option<UnixMillis>) -> WriteAction {
    WriteAction::Put(RecordPut {
        // The record alone is in the index of expiries; this goes with it.
        indexed: false,
        expires,
        ..RecordPut::of(content)
    })
}

/// What every write to a type is conditioned on.
pub fn fenced(state: &TypeState) -> AtomicWrite {
    AtomicWrite::new().when(
        &state.phase_key,
        WriteCondition::RevisionIs(state.phase_revision),
    )
}

/// No resource is created at, or moved to, a version that somebody is editing.
pub fn arrives(
    write: AtomicWrite,
    state: &TypeState,
    at: Version,
) -> Result<AtomicWrite, EngineError> {
    let Some(definition) = state.definitions.get(&at) else {
        let of = state.key.clone();
        return Err(EngineError::TypeVersionUnknown { of, version: at });
    };
    // Resources keep a version from being edited. One that arrives at the same moment meets this
    // flag, or loses the race for the version's record.
    if definition.meta.editing {
        return Err(EngineError::TypeEditing {
            id: definition.id(&state.key),
        });
    }
    let key = keys::type_version(&state.key, at)?;
    Ok(write.when(&key, WriteCondition::RevisionIs(definition.revision)))
}

impl<'a> ObjectWrite<'a> {
    /// Of a type that is not in migration: the object is put where its version belongs.
    pub fn alone(
        state: &'a TypeState,
        id: Uuid,
        before: Option<(&Key, &'a Stored)>,
        after: &'a Sealed,
        expires: Option<UnixMillis>,
        history: KeptHistory,
    ) -> Result<Self, EngineError> {
        let own = keys::record(&state.key, after.store.header.version.major, id)?;
        let put = || Becomes::Put(after, PutRevision::Fresh);
        let seat = |key: &Key, before, becomes| Seat {
            key: key.clone(),
            before,
            becomes,
            counts: true,
            indexed: true,
        };
        let seats = match before {
            None => vec![seat(&own, None, put())],
            Some((key, stored)) if *key == own => vec![seat(&own, Some(stored), put())],
            // Another major: the object moves.
            Some((key, stored)) => vec![
                seat(key, Some(stored), Becomes::Gone),
                seat(&own, None, put()),
            ],
        };
        Ok(Self {
            state,
            id,
            seats,
            earlier: before.map(|(_, stored)| stored),
            expires,
            history,
        })
    }

    /// Of an object with one record, of which nothing new is written.
    pub fn only(
        state: &'a TypeState,
        key: &Key,
        stored: &'a Stored,
        becomes: Becomes<'a>,
        expires: Option<UnixMillis>,
    ) -> Self {
        let seat = Seat {
            key: key.clone(),
            before: Some(stored),
            becomes,
            counts: true,
            indexed: true,
        };
        Self {
            state,
            id: stored.id,
            seats: vec![seat],
            earlier: None,
            expires,
            history: KeptHistory::default(),
        }
    }

    /// Adds the object with its secrets, its index entries and its history.
    pub fn add_to(&self, write: AtomicWrite) -> Result<AtomicWrite, EngineError> {
        let mut write = write;
        for seat in &self.seats {
            write = self.add_seat(write, seat)?;
        }
        write = self.add_entries(write)?;
        if let Some(stored) = self.earlier
            && self.history.length > 0
        {
            let generation = stored.header.generation;
            let put = belonging(stored.to_history(self.history.packed)?, self.expires);
            let key = keys::history(self.id, generation)?;
            write = write.step(&key, WriteCondition::Whatever, put);
            // Generations have no gaps: with each that comes in one falls out, and none is left
            // behind.
            if let Some(oldest) = generation.checked_sub(self.history.length) {
                write = write.delete(&keys::history(self.id, oldest)?);
            }
        }
        Ok(write)
    }

    fn add_seat(&self, write: AtomicWrite, seat: &Seat<'_>) -> Result<AtomicWrite, EngineError> {
        // This condition guards all that belongs to the record too, so that needs none of its own.
        let condition = seat.before.map_or(WriteCondition::NotExists, as_read);
        let had = seat
            .before
            .is_some_and(|before| before.header.has_secrets());
        match &seat.becomes {
            Becomes::Stays => Ok(write.when(&seat.key, condition)),
            Becomes::KeepAlive => {
                Ok(write.step(&seat.key, condition, WriteAction::KeepAlive(self.expires)))
            }
            Becomes::Put(sealed, revision) => {
                let put = RecordPut {
                    revision: *revision,
                    ..RecordPut::of(sealed.store.encode()?).expiring(self.expires)
                };
                let write = write.step(&seat.key, condition, WriteAction::Put(put));
                sealed.add_to(write, self.id, self.expires, had)
            }
            Becomes::Gone => {
                let write = write.step(&seat.key, condition, WriteAction::Delete);
                match seat.before {
                    Some(before) if had => {
                        let major = before.header.version.major;
                        Ok(write.delete(&keys::secrets(self.id, major)?))
                    }
                    _ => Ok(write),
                }
            }
        }
    }

    fn add_entries(&self, mut write: AtomicWrite) -> Result<AtomicWrite, EngineError> {
        let (mut before, mut after) = (BTreeSet::new(), BTreeSet::new());
        // `before` may be there and has to go, `there` is sure to be and needs no write. They
        // differ where a server of an earlier phase wrote one of two records.
        let mut there = BTreeSet::new();
        let mut moved = false;
        for seat in &self.seats {
            if let Some(stored) = seat.before {
                let keys = self.index_keys(&stored.header)?;
                if seat.indexed {
                    there.extend(keys.iter().cloned());
                }
                before.extend(keys);
                // Entries expire with their resource, so a moved expiry writes all of them again.
                moved |= seat.counts && stored.expires != self.expires;
            }
            let header = match (&seat.becomes, seat.before) {
                (Becomes::Put(sealed, _), _) => Some(&sealed.store.header),
                (Becomes::KeepAlive, Some(stored)) => Some(&stored.header),
                (Becomes::Stays, Some(stored)) if seat.counts => Some(&stored.header),
                _ => None,
            };
            if let Some(header) = header {
                after.extend(self.index_keys(header)?);
            }
        }
        // Entries of a record beside the one that expires are found by the sweep themselves.
        let indexed = self.seats.len() > 1;
        for key in &after {
            if moved || !there.contains(key) {
                let put = if indexed {
                    WriteAction::Put(RecordPut::of(RecordContent::default()).expiring(self.expires))
                } else {
                    belonging(RecordContent::default(), self.expires)
                };
                write = write.step(key, WriteCondition::Whatever, put);
            }
        }
        for key in before.difference(&after) {
            write = write.delete(key);
        }
        Ok(write)
    }

    fn index_keys(&self, header: &Header) -> Result<BTreeSet<Key>, EngineError> {
        let keys = header.index_keys(&self.state.key, self.id)?;
        Ok(keys.into_iter().collect())
    }
}

/// Still with the revision, the expiry and the flags that were read.
pub(crate) fn as_read(stored: &Stored) -> WriteCondition {
    WriteCondition::AsRead {
        revision: stored.revision,
        expires: stored.expires,
        flags: stored.flags(),
    }
}

/// Removes all that belongs to a resource and is not of one of its records, but for its ACL.
pub(crate) fn remove_belongings(
    write: AtomicWrite,
    id: Uuid,
    generation: u64,
    history: u64,
) -> Result<AtomicWrite, EngineError> {
    let mut write = write.delete(&keys::entries(id)?);
    for old in generation.saturating_sub(history)..generation {
        write = write.delete(&keys::history(id, old)?);
    }
    Ok(write)
}

impl Resources {
    /// How earlier revisions are kept.
    pub fn kept_history(&self) -> KeptHistory {
        KeptHistory {
            // A larger bound would not fit into the atomic write that deletes a resource.
            length: self.settings.history.min(MOST_HISTORY),
            packed: self.level() >= PACKED_SINCE,
        }
    }
}

/// The most entries of a history: with indexes, those of a second record too, and the rest they
/// fit into one atomic write.
pub(crate) const MOST_HISTORY: u64 = 24;
