//! Looking at everything that is stored: resources that can't be read, and indexes, counts and
//! belongings that don't agree with the resources. What can be repaired is, if wanted.
//!
//! It runs while others write: whatever looks wrong is looked at again in one snapshot before it
//! is told, and every repair is conditioned on what was seen there.
//!
//! The order matters. Resources come first, because their ids say which belongings have an owner;
//! belongings come after all types, since their keys do not name one. A resource that can't be read
//! is told and never repaired, and what belongs to it is left alone: its entries may be right.

pub(crate) mod belongings;
pub(crate) mod counts;
pub(crate) mod indexes;
pub(crate) mod numbers;
pub(crate) mod resources;

use crate::resources::Resources;
use coeval_catalog::types::state::TypeState;
use coeval_codes::Code;
use coeval_core::version::Uuid;
use coeval_records::attempts::unless_raced;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_storage::{AtomicWrite, Key, KeySpan, ReadRange, ReadRequest, StoredEntry, WriteStep};
use std::collections::HashSet;
use std::sync::Arc;

/// What is wrong with something that is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which kind of thing.
    pub kind: ProblemKind,
    /// The type, as far as it is known.
    pub of: Option<TypeKey>,
    /// The resource, as far as it is known.
    pub id: Option<Uuid>,
    /// Where it is stored.
    pub key: String,
    /// Why, as a code.
    pub code: Code,
    /// Why, as a sentence.
    pub reason: String,
    /// Whether it can be repaired without losing anything.
    pub repairable: bool,
    /// Whether it was.
    pub repaired: bool,
}

/// What kind of thing is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProblemKind {
    /// A resource that can't be shown: it is quarantined.
    Resource,
    /// A resource that an index does not find.
    IndexMissing,
    /// An index entry that leads nowhere, or to a resource that has another value.
    IndexOrphan,
    /// A name whose count is wrong.
    NameCount,
    /// An ACL, secrets or history of a resource that is not there.
    Orphan,
    /// The numbers of a type's fields can't be read.
    Numbers,
}

/// How an inspection went.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inspected {
    /// Resources that were looked at.
    pub resources: u64,
    /// Index entries, counts and belongings that were looked at.
    pub entries: u64,
    /// What is wrong.
    pub problems: u64,
    /// What was repaired.
    pub repaired: u64,
}

/// Whether what can be repaired is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repair {
    /// Only told.
    No,
    /// Repaired, and told.
    Yes,
}

/// One inspection under way.
struct Inspection<'a> {
    resources: &'a Resources,
    repair: Repair,
    told: &'a mut (dyn FnMut(&Problem) + Send),
    progress: &'a (dyn Fn(u64) + Send + Sync),
    done: Inspected,
    /// Every resource that there is: what belongs to none of them is an orphan.
    ids: HashSet<Uuid>,
}

impl Resources {
    /// Looks at everything. `progress` hears how many things were looked at, `told` each problem.
    ///
    /// # Errors
    /// If the store fails; what is wrong with what is stored is told, not returned.
    pub async fn inspect(
        &self,
        repair: Repair,
        progress: &(dyn Fn(u64) + Send + Sync),
        told: &mut (dyn FnMut(&Problem) + Send),
    ) -> Result<Inspected, EngineError> {
        let mut inspection = Inspection {
            resources: self,
            repair,
            told,
            progress,
            done: Inspected::default(),
            ids: HashSet::new(),
        };
        let names = self.types.names().await?;
        // First: what is found here belongs to no type, and its ids keep belongings from being
        // taken for orphans.
        inspection.strangers(&names).await?;
        for of in names {
            let state = match self.types.load(&of).await {
                Ok(state) => state,
                Err(EngineError::TypeUnknown { .. }) => continue,
                Err(error) => return Err(error),
            };
            inspection.resources(&state).await?;
            inspection.index_entries(&state).await?;
            inspection.name_counts(&state).await?;
        }
        inspection.belongings().await?;
        inspection.numbers().await?;
        Ok(inspection.done)
    }
}

impl Inspection<'_> {
    fn advance(&mut self, resources: u64, entries: u64) {
        self.done.resources += resources;
        self.done.entries += entries;
        (self.progress)(self.done.resources + self.done.entries);
    }

    fn tell(&mut self, problem: &Problem) {
        self.done.problems += 1;
        self.done.repaired += u64::from(problem.repaired);
        (self.told)(problem);
    }

    /// Repairs if wanted; whether it was done. Whoever was faster leaves it to the next look.
    async fn mend(&self, steps: Vec<WriteStep>) -> Result<bool, EngineError> {
        if self.repair == Repair::No {
            return Ok(false);
        }
        let write = AtomicWrite { steps };
        let written = unless_raced(self.resources.store.atomic_write(write).await)?;
        Ok(written.is_some())
    }

    async fn pages(&self, range: &mut Option<ReadRange>) -> Result<Vec<StoredEntry>, EngineError> {
        let Some(asked) = range.take() else {
            return Ok(Vec::new());
        };
        let (_, page) = self.resources.store.range(asked.clone()).await?;
        *range = match page.entries.last() {
            Some(last) if page.more => Some(asked.after(&last.key)),
            _ => None,
        };
        Ok(page.entries)
    }

    /// A resource as it is now, in one snapshot with other keys.
    async fn look_again(
        &self,
        state: &Arc<TypeState>,
        id: Uuid,
        others: &[Key],
    ) -> Result<Now, EngineError> {
        // Pages are read at different moments, so what looks wrong may be a write in between. One
        // snapshot of all that is compared tells.
        let mut request = ReadRequest::keys(others.iter().cloned());
        for major in &state.majors {
            request.keys.push(keys::record(&state.key, *major, id)?);
        }
        let mut snapshot = self.resources.store.read(request).await?;
        let own = snapshot.keys.split_off(others.len());
        let mut records = Vec::new();
        for entry in own.into_iter().flatten() {
            let record = entry.stored.record();
            let stored = record.and_then(|record| Stored::decode(id, record).ok());
            records.push((entry.key.clone(), stored));
        }
        Ok(Now {
            records,
            others: snapshot.keys,
        })
    }
}

/// What stands in one snapshot.
struct Now {
    /// The records of the resource: one, or two in a migration. What can't be read is nothing.
    records: Vec<(Key, Option<Stored>)>,
    others: Vec<Option<StoredEntry>>,
}

impl Now {
    fn exists(&self) -> bool {
        !self.records.is_empty()
    }

    fn is_readable(&self) -> bool {
        self.records.iter().all(|(_, stored)| stored.is_some())
    }

    /// The record that has an index entry.
    fn with_entry(&self, of: &TypeKey, key: &Key) -> Result<Option<(&Key, &Stored)>, EngineError> {
        for (own, stored) in &self.records {
            if let Some(stored) = stored
                && stored.header.index_keys(of, stored.id)?.contains(key)
            {
                return Ok(Some((own, stored)));
            }
        }
        Ok(None)
    }
}

fn all(span: KeySpan) -> Option<ReadRange> {
    Some(ReadRange::of(span))
}
