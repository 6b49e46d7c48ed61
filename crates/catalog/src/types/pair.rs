//! Both records of a resource, as they were found in one snapshot.
//!
//! In a migration a resource has a record at the old major, at the new one, or at both. Which one
//! answers a read, which one a write is put onto, and whether the other is behind, is decided by
//! `coeval_core::phases` from revisions, expiries and the flag of the new record alone. Here what
//! is stored is put before those rules, and what they say is turned back into records and keys.
//! That is right because both records are read in one snapshot with the phase record
//! (docs/phases.md).

use crate::types::part::Part;
use crate::types::state::TypeState;
use coeval_core::decide;
use coeval_core::phases::{
    FoundRecords, NewRecord, PairStanding, RecordStamp, SourceOfTruth, TouchedKeys, plan_read,
    plan_read_on,
};
use coeval_core::version::{StoredVersion, Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::stored::Stored;
use coeval_storage::{Key, StoredEntry};

/// What stands under the two keys of a resource.
#[derive(Clone, Debug)]
pub struct Pair {
    pub part: Part,
    pub old: Option<Stored>,
    pub new: Option<Stored>,
}

fn stamp(stored: &Stored) -> RecordStamp {
    RecordStamp {
        revision: *stored.revision.as_bytes(),
        expires: stored.expires.map(|at| at.0),
    }
}

/// Both records, as the rules look at them.
pub fn found(old: Option<&Stored>, new: Option<&Stored>) -> FoundRecords {
    FoundRecords {
        old: old.map(stamp),
        new: new.map(|new| NewRecord {
            stamp: stamp(new),
            home: new.home(),
        }),
    }
}

impl Pair {
    /// Of a resource that is not there yet.
    pub const fn absent(part: Part) -> Self {
        Self {
            part,
            old: None,
            new: None,
        }
    }

    /// As the rules look at it.
    pub fn found(&self) -> FoundRecords {
        found(self.old.as_ref(), self.new.as_ref())
    }

    pub fn standing(&self) -> PairStanding {
        self.found().standing()
    }

    /// The record to answer a read from, and whether the mirror should be made fresh.
    pub fn read(&self) -> (Option<&Stored>, bool) {
        // A server that reads on without the new major is at no phase whose row it could read by.
        let reading = match self.part.reads_on {
            None => plan_read(self.part.row(), &self.found()),
            Some(_) => plan_read_on(&self.found()),
        };
        let record = match reading.from {
            None => None,
            Some(decide::ViewedRecord::Old) => self.old.as_ref(),
            Some(decide::ViewedRecord::New | decide::ViewedRecord::Only) => self.new.as_ref(),
        };
        (record, reading.repair)
    }

    /// The entry that a read is answered from, of those of a resource at each major of its type.
    pub fn choose(
        state: &TypeState,
        id: Uuid,
        records: &[Option<StoredEntry>],
    ) -> Result<Option<StoredEntry>, EngineError> {
        let first = || records.iter().flatten().next().cloned();
        let Some(part) = state.reading()? else {
            return Ok(first());
        };
        let mut pair = Self::absent(*part);
        let (mut chosen_old, mut chosen_new, mut elsewhere) = (None, None, None);
        for (major, entry) in state.majors.iter().zip(records) {
            let Some(entry) = entry else { continue };
            if !part.concerns(*major) {
                // At a third major it takes no part in the migration.
                elsewhere.get_or_insert(entry);
                continue;
            }
            let stored = match entry
                .stored
                .record()
                .map(|record| Stored::decode(id, record))
            {
                Some(Ok(stored)) => Some(stored),
                // One that can't be read is shown as such, and hides nothing.
                Some(Err(_)) | None => return Ok(Some(entry.clone())),
            };
            if *major == part.migration.from {
                (pair.old, chosen_old) = (stored, Some(entry));
            } else {
                (pair.new, chosen_new) = (stored, Some(entry));
            }
        }
        let (read, _) = pair.read();
        let entry = read.map(|stored| {
            if stored.header.version.major == part.migration.from {
                chosen_old
            } else {
                chosen_new
            }
        });
        Ok(entry.flatten().or(elsewhere).cloned())
    }

    /// The record that a write is put onto.
    pub fn truth(&self) -> Option<&Stored> {
        match (self.standing(), self.part.row().truth) {
            // What is at home at the new major alone has no old record to be put onto, in any
            // phase.
            (PairStanding::Alone, _) | (_, SourceOfTruth::New) => self.new.as_ref(),
            (_, SourceOfTruth::Old) => self.old.as_ref(),
        }
    }

    /// The record in the range of a major.
    pub fn at(&self, major: u32) -> Option<&Stored> {
        if major == self.part.migration.from {
            self.old.as_ref()
        } else {
            self.new.as_ref()
        }
    }

    /// The key of the record of a major.
    pub fn key(&self, state: &TypeState, major: u32, id: Uuid) -> Result<Key, EngineError> {
        Ok(keys::record(&state.key, major, id)?)
    }

    /// The version that the record beside the source of truth has or gets.
    pub fn mirror_at(&self, state: &TypeState) -> Option<Version> {
        let (_, other) = self.part.majors();
        // A mirror stays at its version, if this server knows that.
        let there = self.at(other).map(|stored| stored.header.version);
        let known = there.filter(|version| state.version(*version).is_some());
        known.or_else(|| self.part.newest(other))
    }

    /// What is stored, as the rules on versions look at it.
    pub fn stored(&self, state: &TypeState, truth: Version) -> decide::StoredVersions {
        let alone = decide::StoredVersions::Alone(StoredVersion(truth));
        let row = self.part.row();
        // Only where a write goes to both records do the rules ask for both versions.
        if row.writes != TouchedKeys::Both || self.standing() == PairStanding::Alone {
            return alone;
        }
        let Some(mirror) = self.mirror_at(state) else {
            return alone;
        };
        let (old, new, lead) = match row.truth {
            SourceOfTruth::Old => (truth, mirror, decide::LeadingRecord::Old),
            SourceOfTruth::New => (mirror, truth, decide::LeadingRecord::New),
        };
        let pair = decide::VersionPair::new(StoredVersion(old), StoredVersion(new), lead);
        pair.map_or(alone, decide::StoredVersions::Pair)
    }
}
