//! Index entries that lead nowhere.

use crate::inspect::{Inspection, Problem, ProblemKind, all};
use crate::write::steps::as_read;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::{
    Key, ReadRequest, StoredEntry, StoredValue as Kept, WriteAction, WriteCondition, WriteStep,
};
use std::collections::HashSet;
use std::sync::Arc;

/// Records that are read at once.
const AT_ONCE: usize = 90;

impl Inspection<'_> {
    pub(super) async fn index_entries(
        &mut self,
        state: &Arc<TypeState>,
    ) -> Result<(), EngineError> {
        let mut range = all(keys::index_entries(&state.key)?);
        while range.is_some() {
            let entries = self.pages(&mut range).await?;
            for some in entries.chunks(AT_ONCE / state.majors.len().max(1)) {
                for entry in self.suspects(state, some).await? {
                    self.orphan(state, entry).await?;
                }
            }
            self.advance(0, entries.len() as u64);
        }
        Ok(())
    }

    /// Those whose resource does not have that entry, at a first look.
    async fn suspects<'e>(
        &self,
        state: &TypeState,
        entries: &'e [StoredEntry],
    ) -> Result<Vec<&'e StoredEntry>, EngineError> {
        let mut asked = Vec::new();
        let ids = entries
            .iter()
            .filter_map(|entry| keys::id_of_entry(&entry.key));
        for id in ids.collect::<HashSet<Uuid>>() {
            for major in &state.majors {
                asked.push(keys::record(&state.key, *major, id)?);
            }
        }
        let snapshot = self.resources.store.read(ReadRequest::keys(asked)).await?;
        let mut right: HashSet<Key> = HashSet::new();
        let mut unreadable: HashSet<Uuid> = HashSet::new();
        for found in snapshot.keys.iter().flatten() {
            let Some((_, _, id)) = keys::read_record(&found.key) else {
                continue;
            };
            let stored = match &found.stored {
                Kept::Record(record) => coeval_records::stored::Stored::decode(id, record).ok(),
                Kept::Damaged { .. } => None,
            };
            match stored {
                Some(stored) => right.extend(stored.header.index_keys(&state.key, id)?),
                // Its entries may be right: nobody can tell.
                None => {
                    unreadable.insert(id);
                }
            }
        }
        let wrong = entries.iter().filter(|entry| {
            let id = keys::id_of_entry(&entry.key);
            !right.contains(&entry.key) && !id.is_some_and(|id| unreadable.contains(&id))
        });
        Ok(wrong.collect())
    }

    async fn orphan(
        &mut self,
        state: &Arc<TypeState>,
        entry: &StoredEntry,
    ) -> Result<(), EngineError> {
        let Some(id) = keys::id_of_entry(&entry.key) else {
            self.tell(&told(state, entry, None, false));
            return Ok(());
        };
        let others = [entry.key.clone()];
        let now = self.look_again(state, id, &others).await?;
        if !now.is_readable() || now.with_entry(&state.key, &entry.key)?.is_some() {
            return Ok(());
        }
        let there = now.others.iter().flatten().next();
        let Some(revision) = there.and_then(|entry| entry.stored.revision()) else {
            return Ok(());
        };
        let mut steps = vec![WriteStep {
            key: entry.key.clone(),
            condition: WriteCondition::RevisionIs(revision),
            action: WriteAction::Delete,
        }];
        for major in &state.majors {
            let key = keys::record(&state.key, *major, id)?;
            let found = now.records.iter().find(|(own, _)| *own == key);
            let stored = found.and_then(|(_, stored)| stored.as_ref());
            // An entry without a record is removed only if there is still none: a create writes the
            // record in the same moment.
            steps.push(WriteStep {
                condition: stored.map_or(WriteCondition::NotExists, as_read),
                key,
                action: WriteAction::Nop,
            });
        }
        let repaired = self.mend(steps).await?;
        self.tell(&told(state, entry, Some(id), repaired));
        Ok(())
    }
}

fn told(state: &TypeState, entry: &StoredEntry, id: Option<Uuid>, repaired: bool) -> Problem {
    Problem {
        kind: ProblemKind::IndexOrphan,
        of: Some(state.key.clone()),
        id,
        key: entry.key.to_string(),
        code: coeval_codes::INDEX_WRONG,
        reason: "an index entry leads to no resource that has this value".to_owned(),
        repairable: id.is_some(),
        repaired,
    }
}
