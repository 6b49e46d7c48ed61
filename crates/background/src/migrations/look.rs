//! What a move of a type's phase depends on, in one snapshot with the phase record.

use crate::background::Background;
use crate::migrations::servers::acknowledged;
use coeval_catalog::types::state::TypeState;
use coeval_core::phases::{MoveFacts, MoveInitiator, PhaseAcknowledgement};
use coeval_records::attempts::Attempts;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_resources::pairs::failed::tell_key;
use coeval_storage::{Key, ReadRange, ReadRequest, WriteAction, WriteCondition, WriteStep};
use std::sync::Arc;
use std::time::Duration;

/// How many failed resources are counted one by one; more are as many.
const COUNTED: usize = 10_000;

/// What was found.
#[derive(Debug)]
pub(crate) struct Looked {
    pub state: Arc<TypeState>,
    /// Resources that are listed as failed.
    pub failed: u64,
    /// No resource was listed since.
    pub unlisted: WriteStep,
    pub servers: Vec<PhaseAcknowledgement>,
}

impl Looked {
    pub(crate) fn facts(&self, who: MoveInitiator, fence_rest: bool, left: u64) -> MoveFacts<'_> {
        MoveFacts {
            who,
            servers: &self.servers,
            fence_rest,
            failed: self.failed,
            left,
            meaning_changed: false,
        }
    }
}

impl Background {
    /// The type, who is alive and where, and what failed.
    pub(crate) async fn look_at_type(&self, of: &TypeKey) -> Result<Looked, EngineError> {
        let mut state = self.types.current(of).await?;
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let tell = tell_key(of)?;
            let request = ReadRequest::keys([state.phase_key.clone(), tell.clone()]);
            let failed = ReadRange::of(keys::all_failed(of)?)
                .keys_only()
                .limit(COUNTED);
            let servers = ReadRange::of(keys::servers()?);
            let request = request.and_range(failed).and_range(servers);
            // One snapshot, because the gates compare these: who failed, who is alive, and at which
            // phase.
            let snapshot = self.store.read(request).await?;
            let mut own = snapshot.keys.into_iter();
            let phase = own.next().flatten();
            // What else was read belongs to another revision of the type: all of it is read again.
            if phase.and_then(|entry| entry.stored.revision()) != Some(state.phase_revision) {
                state = self.types.load(of).await?;
                continue;
            }
            let told = own.next().flatten();
            let revision = told.and_then(|entry| entry.stored.revision());
            let mut pages = snapshot.pages.into_iter();
            let failed = pages.next().unwrap_or_default().entries.len() as u64;
            let servers = pages.next().unwrap_or_default();
            let since_begun = match state.phase.migration {
                None => None,
                Some(migration) => {
                    let declared = self.declared(of, migration.from, migration.to).await?;
                    declared.map(|(_, content)| {
                        let time = self.now() - content.observed.began;
                        Duration::from_millis(u64::try_from(time).unwrap_or_default())
                    })
                }
            };
            return Ok(Looked {
                servers: {
                    let to = state.phase.migration.map(|migration| migration.to);
                    acknowledged(of, &servers.entries, to, since_begun)
                },
                state,
                failed,
                unlisted: unchanged(tell, revision),
            });
        }
    }

    /// How many resources cleanup has still to visit: every record at the old major, and every
    /// one at the new major that is marked.
    pub async fn left_over(&self, of: &TypeKey, from: u32, to: u32) -> Result<u64, EngineError> {
        let (_, old) = self.store.count(keys::records_of_major(of, from)?).await?;
        Ok(old + self.mirrors(of, to).await?)
    }

    /// How many records at the new major are marked as part of the migration.
    pub(crate) async fn mirrors(&self, of: &TypeKey, to: u32) -> Result<u64, EngineError> {
        let mut range = ReadRange::of(keys::records_of_major(of, to)?).keys_only();
        let mut count = 0;
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            let marked = |entry: &&coeval_storage::StoredEntry| {
                let record = entry.stored.record();
                // One that can't be read counts: the end has to wait for it, not to pass over it.
                record.is_none_or(|record| record.content.flags != 0)
            };
            count += page.entries.iter().filter(marked).count() as u64;
            match range.following(&page) {
                Some(next) => range = next,
                None => return Ok(count),
            }
        }
    }
}

/// That a record is as it was read.
pub(crate) fn unchanged(key: Key, revision: Option<coeval_storage::Revision>) -> WriteStep {
    WriteStep {
        key,
        condition: revision.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
        action: WriteAction::Nop,
    }
}
