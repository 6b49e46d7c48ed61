//! The records of candidates: by range where they lie close together, else by key, many at once.

use crate::list::look::{Candidate, Look};
use crate::list::scope::PARTS;
use coeval_catalog::types::pair::Pair;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::{Key, KeySpan, ReadRange, ReadRequest, StoredEntry, Token};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer than this are read by key.
const WORTH_A_RANGE: usize = 16;

/// Records that were found, by source and id.
type Found = BTreeMap<(usize, Uuid), StoredEntry>;

impl Look<'_> {
    /// Reads the records of candidates that have none yet. What is gone by now has none after it.
    /// A type that changed meanwhile is loaded again.
    pub(crate) async fn fetch(
        &mut self,
        candidates: &mut [Candidate],
    ) -> Result<Token, EngineError> {
        let mut token = self.scope.token;
        let mut found = Found::new();
        for source in 0..self.scope.sources.len() {
            let own = |one: &&Candidate| one.source == source && one.entry.is_none();
            let wanted: Vec<&Candidate> = candidates.iter().filter(own).collect();
            if !wanted.is_empty() {
                self.fetch_of(source, &wanted, &mut found, &mut token)
                    .await?;
            }
        }
        for candidate in candidates.iter_mut().filter(|one| one.entry.is_none()) {
            candidate.entry = found.remove(&(candidate.source, candidate.id));
        }
        Ok(token)
    }

    async fn fetch_of(
        &mut self,
        source: usize,
        wanted: &[&Candidate],
        found: &mut Found,
        token: &mut Token,
    ) -> Result<(), EngineError> {
        let Some(one) = self.scope.sources.get(source) else {
            return Ok(());
        };
        if one.state.reading()?.is_some() {
            return self.fetch_pairs(source, wanted, found, token).await;
        }
        let (of, majors) = (one.of().clone(), one.state.majors.clone());
        // Where an index says the version the record is under its major, or has just been moved.
        let mut first: BTreeMap<u32, BTreeSet<Uuid>> = BTreeMap::new();
        for candidate in wanted {
            match candidate.version {
                Some(version) => {
                    first.entry(version.major).or_default().insert(candidate.id);
                }
                None => {
                    for major in &majors {
                        first.entry(*major).or_default().insert(candidate.id);
                    }
                }
            }
        }
        // An index entry and the record are read at two moments, so what is not where the index
        // says is looked for in the other majors before it counts as gone.
        let mut looked: BTreeSet<(u32, Uuid)> = BTreeSet::new();
        for (major, ids) in &first {
            // In a lower major already: that is the one that a read takes.
            let ids: BTreeSet<Uuid> = ids
                .iter()
                .filter(|id| !found.contains_key(&(source, **id)))
                .copied()
                .collect();
            looked.extend(ids.iter().map(|id| (*major, *id)));
            let ids = self.by_range(source, *major, ids, found).await?;
            let mut by_key = Vec::new();
            for id in ids {
                by_key.push(keys::record(&of, *major, id)?);
            }
            self.by_key(source, &by_key, found, token).await?;
        }
        let mut elsewhere = Vec::new();
        for candidate in wanted {
            if !found.contains_key(&(source, candidate.id)) {
                for major in &majors {
                    if !looked.contains(&(*major, candidate.id)) {
                        elsewhere.push(keys::record(&of, *major, candidate.id)?);
                    }
                }
            }
        }
        self.by_key(source, &elsewhere, found, token).await
    }

    /// Reads what lies between the first and the last of these, if that is likely to be mostly
    /// these; returns those that are still to be read.
    async fn by_range(
        &mut self,
        source: usize,
        major: u32,
        mut ids: BTreeSet<Uuid>,
        found: &mut Found,
    ) -> Result<BTreeSet<Uuid>, EngineError> {
        while ids.len() >= WORTH_A_RANGE && self.dense {
            let (Some(first), Some(last), Some(one)) =
                (ids.first(), ids.last(), self.scope.sources.get(source))
            else {
                break;
            };
            let from = keys::record(one.of(), major, *first)?;
            let span = KeySpan::between(&from, &keys::record(one.of(), major, *last)?);
            // Bounded, because what lies between the first and the last may be the whole type.
            let range = ReadRange::of(span).limit(ids.len().saturating_mul(2));
            let mut request = ReadRequest::range(range);
            request.keys.push(one.state.phase_key.clone());
            request.at_least = self.caller.at_least;
            let mut snapshot = self.resources.store.read(request).await?;
            let phase = snapshot.keys.pop().flatten();
            let revision = phase.and_then(|entry| entry.stored.revision());
            self.refresh(source, revision).await?;
            let page = snapshot.pages.pop().unwrap_or_default();
            let read = page.entries.len();
            let reached = page.entries.last().and_then(|entry| id_of(&entry.key));
            let mut useful = 0;
            for entry in page.entries {
                let Some(id) = id_of(&entry.key) else {
                    continue;
                };
                if ids.remove(&id) {
                    useful += 1;
                    found.insert((source, id), entry);
                }
            }
            // Neighbours in a filtered listing may be far apart: then a range reads mostly what
            // nobody wants, and keys are cheaper for the rest of it.
            self.dense = useful * 2 >= read;
            match reached {
                // Those up to here that were not found are not there.
                Some(reached) if page.more => {
                    let rest = ids.split_off(&reached);
                    ids = rest;
                }
                _ => return Ok(BTreeSet::new()),
            }
        }
        Ok(ids)
    }

    /// Both records of each, in one snapshot with the phase record: which of them is shown, or
    /// whether there is such a resource at all, is for the phase to say.
    async fn fetch_pairs(
        &mut self,
        source: usize,
        wanted: &[&Candidate],
        found: &mut Found,
        token: &mut Token,
    ) -> Result<(), EngineError> {
        let ids: BTreeSet<Uuid> = wanted.iter().map(|one| one.id).collect();
        let mut left: Vec<Uuid> = ids.into_iter().collect();
        let mut attempts = Attempts::new();
        while !left.is_empty() {
            let Some(one) = self.scope.sources.get(source) else {
                return Ok(());
            };
            let state = std::sync::Arc::clone(&one.state);
            let each = state.majors.len().max(1);
            let now = left.get(..(PARTS / each).max(1)).unwrap_or(&left).to_vec();
            let mut request = ReadRequest::keys([state.phase_key.clone()]);
            request.at_least = self.caller.at_least;
            for id in &now {
                for major in &state.majors {
                    request.keys.push(keys::record(&state.key, *major, *id)?);
                }
            }
            let mut snapshot = self.resources.store.read(request).await?;
            *token = snapshot.token;
            let own = snapshot.keys.split_off(1);
            let phase = snapshot.keys.pop().flatten();
            let revision = phase.and_then(|entry| entry.stored.revision());
            // Which record is shown is a question of the phase: both have to be read again under
            // the new one.
            if revision != Some(state.phase_revision) {
                attempts.begin()?;
                self.refresh(source, revision).await?;
                continue;
            }
            for (id, records) in now.iter().zip(own.chunks(each)) {
                let entry = Pair::choose(&state, *id, records)?;
                found.extend(entry.map(|entry| ((source, *id), entry)));
            }
            left.drain(..now.len());
        }
        Ok(())
    }

    async fn by_key(
        &mut self,
        source: usize,
        keys: &[Key],
        found: &mut Found,
        token: &mut Token,
    ) -> Result<(), EngineError> {
        for keys in keys.chunks(PARTS) {
            let Some(one) = self.scope.sources.get(source) else {
                return Ok(());
            };
            let mut request = ReadRequest::keys(keys.iter().cloned());
            request.keys.push(one.state.phase_key.clone());
            request.at_least = self.caller.at_least;
            let mut snapshot = self.resources.store.read(request).await?;
            *token = snapshot.token;
            let phase = snapshot.keys.pop().flatten();
            let revision = phase.and_then(|entry| entry.stored.revision());
            self.refresh(source, revision).await?;
            for entry in snapshot.keys.into_iter().flatten() {
                if let Some(id) = id_of(&entry.key) {
                    // Keys come in the order of majors, and a resource that has just moved may be
                    // met twice.
                    found.entry((source, id)).or_insert(entry);
                }
            }
        }
        Ok(())
    }

    /// Loads a type again whose definitions are not those that were loaded. Definitions that are
    /// newer than a record know it too: a version with resources never changes.
    async fn refresh(
        &mut self,
        source: usize,
        revision: Option<coeval_storage::Revision>,
    ) -> Result<(), EngineError> {
        let Some(one) = self.scope.sources.get_mut(source) else {
            return Ok(());
        };
        if revision == Some(one.state.phase_revision) {
            return Ok(());
        }
        let of = one.of().clone();
        match self.resources.types.load(&of).await {
            Ok(state) => {
                one.wanted = self.caller.wanted_view(&state);
                one.state = state;
            }
            // Gone with its last resource.
            Err(EngineError::TypeUnknown { .. }) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

fn id_of(key: &Key) -> Option<Uuid> {
    keys::read_record(key).map(|(_, _, id)| id)
}
