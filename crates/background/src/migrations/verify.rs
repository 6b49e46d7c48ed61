//! Comparing the old records with the new ones, through the conversion.

use crate::background::Background;
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_catalog::types::pair::Pair;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{PairStanding, PhaseRefusal};
use coeval_core::version::Uuid;
use coeval_records::attempts::is_race;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::stored::Stored;
use coeval_resources::write::moving::move_record;
use coeval_storage::{ReadRange, ReadRequest};
use serde_json::Value;
use std::sync::Arc;

/// How many examples are shown.
const EXAMPLES: usize = 20;
/// Resources that are read at once.
const PAGE: usize = 200;

/// A resource whose records say different things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Its id.
    pub id: Uuid,
    /// Its name.
    pub name: String,
    /// Where, or why.
    pub what: String,
}

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verified {
    /// Pairs that say the same.
    pub same: u64,
    /// Resources at home at the new major alone.
    pub alone: u64,
    /// Without a mirror.
    pub missing: u64,
    /// Whose mirror is behind.
    pub stale: u64,
    /// Mirrors of nothing.
    pub orphaned: u64,
    /// Fresh by their revisions, and yet different.
    pub different: u64,
    /// Some of those.
    pub examples: Vec<Differing>,
}

impl Verified {
    /// Whether every resource has a fresh mirror that says the same.
    #[must_use]
    pub const fn is_clean(&self) -> bool {
        self.missing == 0 && self.stale == 0 && self.orphaned == 0 && self.different == 0
    }
}

impl Background {
    /// Compares every resource's records. It takes its time, and holds up nobody.
    ///
    /// # Errors
    /// If the type is not in migration, or the store fails.
    pub async fn verify_migration(
        &self,
        caller: &Caller,
        of: &TypeKey,
        progress: &(dyn Fn(u64) + Send + Sync),
    ) -> Result<Verified, EngineError> {
        self.allow_general(caller, GeneralRight::ManageAnyDefinition, None)?;
        let state = self.types.current(of).await?;
        let migration = state.phase.migration.ok_or(PhaseRefusal::NoMigration)?;
        let mut verified = Verified::default();
        let mut looked = 0;
        for major in [migration.from, migration.to] {
            let span = keys::records_of_major(of, major)?;
            // Keys only: each resource is fetched by itself, both records in one snapshot.
            let mut range = ReadRange::of(span).keys_only().limit(PAGE);
            loop {
                let (_, page) = self.store.range(range.clone()).await?;
                for entry in &page.entries {
                    let Some((_, _, id)) = keys::read_record(&entry.key) else {
                        continue;
                    };
                    self.verify_one(of, id, major, &mut verified).await?;
                    looked += 1;
                }
                progress(looked);
                match range.following(&page) {
                    Some(next) => range = next,
                    None => break,
                }
            }
        }
        Ok(verified)
    }

    async fn verify_one(
        &self,
        of: &TypeKey,
        id: Uuid,
        major: u32,
        verified: &mut Verified,
    ) -> Result<(), EngineError> {
        let fetched = match self.fetch(of, id, ReadRequest::default()).await {
            Ok(fetched) => fetched,
            Err(EngineError::Storage(error)) => return Err(error.into()),
            // What can't be read is just what a comparison is to find: it is told, and the rest
            // goes on.
            Err(error) => {
                verified.different += 1;
                add(verified, id, String::new(), error.to_string());
                return Ok(());
            }
        };
        let Some(pair) = &fetched.pair else {
            return Ok(());
        };
        let first = pair.old.is_some();
        // Those with two records are met twice.
        if first && major == pair.part.migration.to {
            return Ok(());
        }
        let truth_is_old = pair.part.majors().0 == pair.part.migration.from;
        match (pair.standing(), truth_is_old) {
            (PairStanding::Absent, _) => {}
            (PairStanding::Alone, _) => verified.alone += 1,
            (PairStanding::OnlyOld, true) | (PairStanding::OnlyNew, false) => verified.missing += 1,
            (PairStanding::OnlyOld, false) | (PairStanding::OnlyNew, true) => {
                verified.orphaned += 1;
            }
            (PairStanding::Stale, _) => verified.stale += 1,
            (PairStanding::Fresh, _) => match self.differ(&fetched.state, pair).await {
                Ok(None) => verified.same += 1,
                Ok(Some(what)) => {
                    verified.different += 1;
                    let name = pair.truth().map(|one| one.header.name.clone());
                    add(verified, id, name.unwrap_or_default(), what);
                }
                // Written just now: the next comparison looks at it.
                Err(EngineError::Storage(error)) if is_race(&error) => {
                    verified.same += 1;
                }
                Err(EngineError::Storage(error)) => return Err(error.into()),
                Err(error) => {
                    verified.different += 1;
                    add(verified, id, String::new(), error.to_string());
                }
            },
        }
        Ok(())
    }

    /// Where the mirror differs from what the source of truth converts to.
    async fn differ(
        &self,
        state: &Arc<TypeState>,
        pair: &Pair,
    ) -> Result<Option<String>, EngineError> {
        let (_, other) = pair.part.majors();
        let (Some(truth), Some(mirror)) = (pair.truth(), pair.at(other)) else {
            return Ok(None);
        };
        // At the version that the mirror is stored at, which need not be the newest of its major.
        let wanted = self.content_at(state, truth, mirror).await?;
        let found = self.open_record(state, mirror).await?.record;
        if wanted == found.content {
            return Ok(None);
        }
        let paths = coeval_resources::content::differing(&wanted, &found.content);
        Ok(Some(if paths.is_empty() {
            "the content differs".to_owned()
        } else {
            format!("differs at {}", paths.join(", "))
        }))
    }

    async fn content_at(
        &self,
        state: &TypeState,
        truth: &Stored,
        mirror: &Stored,
    ) -> Result<Value, EngineError> {
        let record = self.open_record(state, truth).await?.record;
        let moved = move_record(state, record, mirror.header.version, None)?;
        Ok(moved.record.content)
    }
}

fn add(verified: &mut Verified, id: Uuid, name: String, what: String) {
    if verified.examples.len() < EXAMPLES {
        verified.examples.push(Differing { id, name, what });
    }
}
