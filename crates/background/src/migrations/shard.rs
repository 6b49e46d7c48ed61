//! The parts of a run: one, or sixteen by the first digit of the ids where there is much to do. Each
//! has a record with its claim and its checkpoint; a batch is written together with the checkpoint
//! that follows it, on condition that the claim is as this server wrote it last. So whoever takes a
//! part over fences every batch that is still to come, and what was written is never done again.

use coeval_core::phases::{BackgroundWork, Epoch};
use coeval_core::version::Uuid;
use coeval_records::encode::{EncodeError, encode};
use coeval_records::error::EngineError;
use coeval_records::header::Time;
use coeval_records::keys::{self, TypeKey};
use coeval_storage::{
    Key, KeySpan, RecordPut, Revision, StoredEntry, WriteAction, WriteCondition, WriteStep,
};
use serde::{Deserialize, Serialize};

/// How many parts a run has at most.
pub(crate) const SHARDS: u8 = 16;

/// With fewer resources one part is enough.
const WORTH_PARTS: u64 = 500;

/// How many parts a run over so many resources has.
pub(crate) const fn parts_of(resources: u64) -> u8 {
    if resources < WORTH_PARTS { 1 } else { SHARDS }
}

/// One part, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Shard {
    /// The epoch of its run; another one starts over.
    pub epoch: u64,
    /// How many parts the run has: the first one says it for all.
    pub parts: u8,
    /// Who works on it.
    pub server: String,
    /// How often it was claimed: no two claims are alike.
    pub claims: u64,
    /// All up to this id are visited.
    pub after: Option<String>,
    pub done: bool,
    pub counts: Counts,
    /// What runs of earlier epochs did to it, in the same migration.
    pub earlier: Counts,
    /// When its run began, and when it got here.
    pub began: Time,
    pub at: Time,
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Counts {
    /// Resources that were looked at.
    pub visited: u64,
    /// Mirrors that were missing.
    pub copied: u64,
    /// Mirrors that were behind.
    pub stale: u64,
    /// Mirrors of nothing, or old records, that were removed.
    pub removed: u64,
    /// Resources that can't be converted.
    pub failed: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: Self) {
        self.visited += other.visited;
        self.copied += other.copied;
        self.stale += other.stale;
        self.removed += other.removed;
        self.failed += other.failed;
    }

    /// What was done since it was so.
    pub(crate) const fn since(self, before: Self) -> Self {
        Self {
            visited: self.visited.saturating_sub(before.visited),
            copied: self.copied.saturating_sub(before.copied),
            stale: self.stale.saturating_sub(before.stale),
            removed: self.removed.saturating_sub(before.removed),
            failed: self.failed.saturating_sub(before.failed),
        }
    }
}

/// The word for a kind of work.
pub(crate) const fn name(work: BackgroundWork) -> &'static str {
    match work {
        BackgroundWork::Backfill => "backfill",
        BackgroundWork::CopyBack => "copyback",
        BackgroundWork::CleanUp => "cleanup",
        BackgroundWork::Discard => "discard",
    }
}

pub(crate) fn key(of: &TypeKey, work: BackgroundWork, shard: u8) -> Result<Key, EngineError> {
    let what = format!("{}-{shard:x}", name(work));
    Ok(keys::background(of, &what)?)
}

/// The ids of a part, within the records of a major.
pub(crate) fn span(
    of: &TypeKey,
    major: u32,
    (shard, parts): (u8, u8),
    after: Option<Uuid>,
) -> Result<KeySpan, EngineError> {
    let all = keys::records_of_major(of, major)?;
    if parts <= 1 {
        return Ok(match after {
            None => all,
            Some(id) => all.after(&keys::record(of, major, id)?),
        });
    }
    let digit = |shard: u8| format!("{shard:x}").into_bytes();
    let start = [all.start.as_ref(), &digit(shard)].concat();
    let end = if shard + 1 < SHARDS {
        [all.start.as_ref(), &digit(shard + 1)].concat()
    } else {
        all.end.to_vec()
    };
    let span = KeySpan {
        start: start.into(),
        end: end.into(),
    };
    Ok(match after {
        None => span,
        Some(id) => span.after(&keys::record(of, major, id)?),
    })
}

impl Shard {
    /// At the beginning of a run.
    pub(crate) fn new(epoch: Epoch, parts: u8, now: Time) -> Self {
        Self {
            epoch: epoch.0,
            parts,
            began: now,
            at: now,
            ..Self::default()
        }
    }

    /// The same part in a later epoch of the migration.
    pub(crate) fn anew(&self, epoch: Epoch, parts: u8, now: Time) -> Self {
        // The counts go on, for the report. The checkpoint does not: what was true of a mirror in
        // an earlier epoch says nothing in this one.
        Self {
            earlier: self.all(),
            ..Self::new(epoch, parts, now)
        }
    }

    /// What was done to it in this run and in those before it.
    pub(crate) fn all(&self) -> Counts {
        let mut all = self.earlier;
        all.add(self.counts);
        all
    }

    pub(crate) fn after(&self) -> Option<Uuid> {
        self.after.as_deref().and_then(Uuid::parse)
    }

    pub(crate) fn step(
        &self,
        key: &Key,
        before: Option<Revision>,
    ) -> Result<WriteStep, EncodeError> {
        let body = encode("a part of the work", self)?;
        // This condition is the fence: of two that write over the same claim one fails.
        Ok(WriteStep {
            key: key.clone(),
            condition: before.map_or(WriteCondition::NotExists, WriteCondition::RevisionIs),
            action: WriteAction::Put(RecordPut::of(body)),
        })
    }

    /// From its record; one that can't be read is as good as none.
    pub(crate) fn decode(entry: &StoredEntry) -> Option<Self> {
        serde_json::from_slice(&entry.stored.record()?.content.body).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_cover_every_id_once() {
        let of = TypeKey::new("acme", "app");
        for (n, parts) in (0..4096_u128).flat_map(|n| [(n, 1), (n, SHARDS)]) {
            let id = Uuid(n << 116 | n);
            let key = keys::record(&of, 1, id).unwrap();
            let within = (0..parts).filter(|shard| {
                let span = span(&of, 1, (*shard, parts), None).unwrap();
                span.contains(&key)
            });
            assert_eq!(within.count(), 1, "{id} of {parts}");
        }
    }

    #[test]
    fn what_was_visited_is_not_visited_again() {
        let of = TypeKey::new("acme", "app");
        let id = Uuid(5 << 124 | 7);
        let rest = span(&of, 1, (5, SHARDS), Some(id)).unwrap();
        let key = |id| keys::record(&of, 1, id).unwrap();
        assert!(!rest.contains(&key(id)) && rest.contains(&key(Uuid(5 << 124 | 8))));
        assert!(!rest.contains(&key(Uuid(5 << 124 | 6))));
    }
}
