//! Resources of an own kind by pages: of every major that there is, each resource once.

use crate::resources::Resources;
use coeval_catalog::fetched::Fetched;
use coeval_catalog::identity::content::Spoken;
use coeval_catalog::identity::seen::{Seen, identity_key};
use coeval_catalog::kinds::OwnKind;
use coeval_catalog::types::state::TypeState;
use coeval_core::version::Uuid;
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_storage::{ReadRange, ReadRequest, ReadSnapshot, StoredEntry};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A page of an own kind, in one snapshot with the identity record.
#[derive(Debug)]
pub struct OwnPage {
    pub seen: Seen,
    /// What can't be read is left out and told in the log.
    pub found: Vec<Spoken>,
    /// The last id that was visited, if there are more.
    pub next: Option<Uuid>,
}

impl Resources {
    /// A page of a kind by id, after one; of every major that there is, each resource once.
    pub async fn own_page(
        &self,
        kind: OwnKind,
        after: Option<Uuid>,
        limit: usize,
    ) -> Result<OwnPage, EngineError> {
        let of = kind.of();
        let mut state = match self.types.get(&of).await {
            // The kinds are not installed: nothing of them is there.
            Err(EngineError::TypeUnknown { .. }) => {
                let (seen, found, next) = (self.seen().await?, Vec::new(), None);
                return Ok(OwnPage { seen, found, next });
            }
            other => other?,
        };
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let mut request = ReadRequest::keys([identity_key()?, state.phase_key.clone()]);
            for major in &state.majors {
                let mut span = keys::records_of_major(&of, *major)?;
                if let Some(after) = after {
                    span = span.after(&keys::record(&of, *major, after)?);
                }
                request = request.and_range(ReadRange::of(span).limit(limit));
            }
            let snapshot = self.store.read(request).await?;
            match self.page_of(&state, snapshot, limit)? {
                Some(page) => return Ok(page),
                None => state = self.types.load(&of).await?,
            }
        }
    }

    /// Nothing, if the type is not as it was loaded.
    fn page_of(
        &self,
        state: &Arc<TypeState>,
        snapshot: ReadSnapshot,
        limit: usize,
    ) -> Result<Option<OwnPage>, EngineError> {
        let token = snapshot.token;
        let mut own = snapshot.keys.into_iter();
        let seen = Seen(own.next().flatten().and_then(|one| one.stored.revision()));
        let phase = own.next().flatten();
        let revision = phase.as_ref().and_then(|one| one.stored.revision());
        if revision != Some(state.phase_revision) {
            return Ok(None);
        }
        // Whether this server may read the kind at all.
        state.part()?;
        let mut reached: Option<Uuid> = None;
        let mut rows: BTreeMap<Uuid, Vec<Option<StoredEntry>>> = BTreeMap::new();
        for (place, page) in snapshot.pages.into_iter().enumerate() {
            let mut last = None;
            for entry in page.entries {
                let Some((_, _, id)) = keys::read_record(&entry.key) else {
                    continue;
                };
                last = Some(id);
                let row = rows
                    .entry(id)
                    .or_insert_with(|| vec![None; state.majors.len()]);
                if let Some(cell) = row.get_mut(place) {
                    *cell = Some(entry);
                }
            }
            // All majors are read up to here.
            let end = last.filter(|_| page.more);
            // Beyond the end of the shortest page another major may have records that were not
            // read, and a pair would be seen by half.
            reached = reached.into_iter().chain(end).min();
        }
        let mut found = Vec::new();
        let mut next = reached;
        let mut visited = None;
        for (count, (id, row)) in rows.into_iter().enumerate() {
            if reached.is_some_and(|reached| id > reached) {
                break;
            }
            // Several majors give more rows than the limit; the rest comes with the next page.
            if count == limit {
                next = visited;
                break;
            }
            visited = Some(id);
            let records = std::iter::once(phase.clone()).chain(row).collect();
            let extra = ReadSnapshot {
                token,
                keys: Vec::new(),
                pages: Vec::new(),
            };
            match Fetched::found(state, id, records, token, extra) {
                Ok(None) => return Ok(None),
                Ok(Some(fetched)) => {
                    let spoken = fetched.stored.map(|stored| self.spoken(state, &stored));
                    match spoken.transpose() {
                        Ok(spoken) => found.extend(spoken),
                        Err(error) => tracing::error!(of = %state.key, %id, %error, "left out"),
                    }
                }
                Err(error) => tracing::error!(of = %state.key, %id, %error, "left out"),
            }
        }
        Ok(Some(OwnPage { seen, found, next }))
    }
}
