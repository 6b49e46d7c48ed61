//! Counts of names that are wrong.

use crate::inspect::{Inspection, Problem, ProblemKind, all};
use crate::write::steps::NameCount;
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::header::index_values::text_key;
use coeval_records::keys::{self, index};
use coeval_records::stored::Stored;
use coeval_storage::{
    Key, ReadRange, ReadRequest, RecordPut, StoredEntry, StoredValue as Kept, WriteAction,
    WriteCondition, WriteStep,
};
use std::collections::HashSet;
use std::sync::Arc;

/// Namesakes that are counted one by one; more are taken as right.
const NAMESAKES: usize = 500;
const AT_ONCE: usize = 90;

/// Which names are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Had {
    ByResources,
    ByNobody,
}

impl Inspection<'_> {
    /// Every name that a resource has, and every name that is counted.
    pub(super) async fn name_counts(&mut self, state: &Arc<TypeState>) -> Result<(), EngineError> {
        let mut range = all(keys::records(&state.key)?);
        while range.is_some() {
            let entries = self.pages(&mut range).await?;
            let mut names: HashSet<(String, String)> = HashSet::new();
            for entry in &entries {
                let id = keys::read_record(&entry.key).map(|(_, _, id)| id);
                if let (Some(id), Kept::Record(record)) = (id, &entry.stored)
                    && let Ok(stored) = Stored::decode(id, record)
                {
                    names.insert((stored.header.org, stored.header.name));
                }
            }
            for (org, name) in names {
                self.name(state, &org, &name, Had::ByResources).await?;
            }
            self.advance(0, entries.len() as u64);
        }
        let mut range = all(keys::name_counts(&state.key)?);
        while range.is_some() {
            let entries = self.pages(&mut range).await?;
            for entry in &entries {
                if let Some((org, name)) = keys::read_name_count(&entry.key) {
                    self.name(state, &org, &name, Had::ByNobody).await?;
                }
            }
            self.advance(0, entries.len() as u64);
        }
        Ok(())
    }

    async fn name(
        &mut self,
        state: &Arc<TypeState>,
        org: &str,
        name: &str,
        had: Had,
    ) -> Result<(), EngineError> {
        let key = keys::name_count(&state.key, org, name)?;
        let span = keys::index_point(&state.key, index::NAME, org, &text_key(name))?;
        let request = ReadRequest::keys([key.clone()]);
        let request = request.and_range(ReadRange::of(span).limit(NAMESAKES));
        let snapshot = self.resources.store.read(request).await?;
        let page = snapshot.pages.into_iter().next().unwrap_or_default();
        if page.more {
            return Ok(());
        }
        let counted = snapshot.keys.into_iter().next().flatten();
        let ids = page
            .entries
            .iter()
            .filter_map(|entry| keys::id_of_entry(&entry.key));
        let ids: Vec<Uuid> = ids.collect();
        let Some(count) = self.having(state, &ids, org, name).await? else {
            return Ok(());
        };
        let said = counted
            .as_ref()
            .and_then(NameCount::of)
            .map_or(0, |said| said.count);
        // Names that resources have were looked at with those.
        if said == count || (had == Had::ByNobody && count > 0) {
            return Ok(());
        }
        let repaired = self.recount(&key, counted.as_ref(), count).await?;
        self.tell(&Problem {
            kind: ProblemKind::NameCount,
            of: Some(state.key.clone()),
            id: ids.first().copied(),
            key: key.to_string(),
            code: coeval_codes::COUNT_WRONG,
            reason: format!("{said} resources are counted with a name that {count} have"),
            repairable: true,
            repaired,
        });
        Ok(())
    }

    /// How many of these have the name; `None` if one can't be read.
    async fn having(
        &self,
        state: &TypeState,
        ids: &[Uuid],
        org: &str,
        name: &str,
    ) -> Result<Option<u64>, EngineError> {
        let each = state.majors.len().max(1);
        let mut count = 0;
        for some in ids.chunks((AT_ONCE / each).max(1)) {
            let mut asked = Vec::new();
            for id in some {
                for major in &state.majors {
                    asked.push(keys::record(&state.key, *major, *id)?);
                }
            }
            let snapshot = self.resources.store.read(ReadRequest::keys(asked)).await?;
            for (id, records) in some.iter().zip(snapshot.keys.chunks(each)) {
                let Some(found) = Pair::choose(state, *id, records)? else {
                    continue;
                };
                let Kept::Record(record) = &found.stored else {
                    // One that can't be read may have the name or not: a count that is a guess is
                    // not written.
                    return Ok(None);
                };
                let Ok(stored) = Stored::decode(*id, record) else {
                    return Ok(None);
                };
                count += u64::from(stored.header.org == org && stored.header.name == name);
            }
        }
        Ok(Some(count))
    }

    /// Every create, delete and rename changes the count's revision: a count that is still as it
    /// was read was not overtaken.
    async fn recount(
        &self,
        key: &Key,
        counted: Option<&StoredEntry>,
        count: u64,
    ) -> Result<bool, EngineError> {
        let before = counted.and_then(|entry| entry.stored.revision());
        let action = match count {
            0 => WriteAction::Delete,
            _ => WriteAction::Put(RecordPut::of(NameCount { count }.encode()?)),
        };
        let step = WriteStep {
            key: key.clone(),
            condition: before.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
            action,
        };
        self.mend(vec![step]).await
    }
}
