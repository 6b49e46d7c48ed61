//! The parts of a run, as they are kept in the store.

use crate::background::Background;
use crate::migrations::shard::{self, Counts, Shard};
use coeval_core::phases::{BackgroundWork, Epoch};
use coeval_records::error::EngineError;
use coeval_records::header::Time;
use coeval_records::keys::TypeKey;
use coeval_storage::{Key, ReadRequest, Revision};

/// The keys of all parts that a run may have.
fn shard_keys(of: &TypeKey, work: BackgroundWork) -> Result<Vec<Key>, EngineError> {
    (0..shard::SHARDS)
        .map(|shard| shard::key(of, work, shard))
        .collect()
}

/// One part of a run, as it is kept.
#[derive(Debug)]
pub(crate) struct Part {
    pub number: u8,
    pub key: Key,
    pub revision: Option<Revision>,
    /// Nothing, if it is of another run.
    pub kept: Option<Shard>,
    /// What an earlier run left, of this migration or of one before it.
    pub earlier: Option<Shard>,
}

/// The parts of a run, and all that is kept of parts.
#[derive(Debug)]
pub(crate) struct Parts {
    /// Nothing but the first one until somebody has begun the run.
    pub of_run: Vec<Part>,
    /// Also of other runs.
    kept: Vec<Shard>,
}

impl Parts {
    /// What was done to resources in a migration that began then, in all its epochs.
    pub(crate) fn done_since(&self, began: Time) -> Counts {
        let mut done = Counts::default();
        // Of a migration before it some parts may be left.
        let own = self.kept.iter().filter(|part| part.began >= began);
        own.for_each(|part| done.add(part.all()));
        done
    }
}

impl Background {
    /// The parts of a run, all in one snapshot.
    pub(crate) async fn parts_of_run(
        &self,
        of: &TypeKey,
        work: BackgroundWork,
        epoch: Epoch,
    ) -> Result<Parts, EngineError> {
        let wanted = shard_keys(of, work)?;
        let snapshot = self.store.read(ReadRequest::keys(wanted.clone())).await?;
        let found = wanted.into_iter().zip(snapshot.keys).zip(0_u8..);
        let (mut of_run, mut all) = (Vec::new(), Vec::new());
        for ((key, entry), number) in found {
            let read = entry.as_ref().and_then(Shard::decode);
            all.extend(read.clone());
            let (kept, earlier) = match read {
                Some(shard) if shard.epoch == epoch.0 => (Some(shard), None),
                other => (None, other),
            };
            of_run.push(Part {
                number,
                key,
                revision: entry.and_then(|entry| entry.stored.revision()),
                kept,
                earlier,
            });
        }
        let first = of_run.first().and_then(|part| part.kept.as_ref());
        let count = first.map_or(1, |kept| kept.parts.max(1));
        of_run.truncate(usize::from(count));
        Ok(Parts { of_run, kept: all })
    }
}
