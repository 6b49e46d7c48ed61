//! What a mass migration did since its checkpoint: several batches are written side by side, each with
//! the sum of its slot. Whoever goes on from the checkpoint adds what the slots say, so that every
//! resource is counted once, whenever the server dies.

use crate::background::Background;
use crate::jobs::migrate::report::{Counts, Entry, Outcome, Report};
use coeval_core::version::Uuid;
use coeval_records::encode::encode;
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TASK_SLOTS};
use coeval_storage::{Key, ReadRequest, RecordPut, WriteAction, WriteCondition, WriteStep};
use serde::{Deserialize, Serialize};

/// One slot, as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    /// The number of the checkpoint that it comes after; another one has been added up already.
    number: u64,
    counts: Counts,
    /// What there is to say of single resources, as a report keeps it.
    #[serde(default)]
    entries: Vec<Entry>,
}

/// All slots of a task.
#[derive(Debug)]
pub(crate) struct Slots {
    task: Uuid,
    number: u64,
    sums: Vec<Report>,
}

impl Slots {
    fn new(task: Uuid, number: u64) -> Self {
        Self {
            task,
            number,
            sums: vec![Report::default(); TASK_SLOTS],
        }
    }

    /// Reads what was done since the checkpoint of this number.
    pub(crate) async fn read(
        background: &Background,
        task: Uuid,
        number: u64,
    ) -> Result<Self, EngineError> {
        let wanted: Result<Vec<Key>, _> = (0..TASK_SLOTS)
            .map(|slot| keys::task_slot(task, slot))
            .collect();
        let snapshot = background.store.read(ReadRequest::keys(wanted?)).await?;
        let mut slots = Self::new(task, number);
        for (sum, entry) in slots.sums.iter_mut().zip(snapshot.keys) {
            let Some(entry) = entry else { continue };
            let record = entry.into_record()?;
            let unreadable =
                |error: serde_json::Error| coeval_records::error::tasks::TaskError::Unreadable {
                    id: task,
                    reason: error.to_string(),
                };
            let kept: Kept = serde_json::from_slice(&record.content.body).map_err(unreadable)?;
            // One from before the checkpoint is in the report already.
            if kept.number == number {
                *sum = Report::of(kept.counts, kept.entries);
            }
        }
        Ok(slots)
    }

    /// Adds all of them to what the checkpoint says.
    pub(crate) fn add_to(&self, report: &mut Report) {
        self.sums.iter().for_each(|sum| report.absorb(sum));
    }

    /// The step that writes a slot with what a batch adds to it, and its sum then.
    pub(crate) fn with<'a>(
        &self,
        slot: usize,
        outcomes: impl Iterator<Item = (Uuid, &'a Outcome)>,
    ) -> Result<(WriteStep, Report), EngineError> {
        let mut sum = self.sums.get(slot).cloned().unwrap_or_default();
        outcomes.for_each(|(id, outcome)| sum.add(id, outcome));
        let kept = Kept {
            number: self.number,
            counts: sum.counts,
            entries: sum.listed().to_vec(),
        };
        let body = encode("a slot of a migration", &kept)?;
        // The claim is a condition of the same write: nobody else writes the slot.
        let step = WriteStep {
            key: keys::task_slot(self.task, slot)?,
            condition: WriteCondition::Whatever,
            action: WriteAction::Put(RecordPut::of(body)),
        };
        Ok((step, sum))
    }

    /// It is written.
    pub(crate) fn set(&mut self, slot: usize, sum: Report) {
        if let Some(place) = self.sums.get_mut(slot) {
            *place = sum;
        }
    }

    /// The number of the checkpoint that takes all of it up.
    pub(crate) const fn next(&self) -> u64 {
        self.number + 1
    }

    /// That one is written.
    pub(crate) fn begin_anew(&mut self) {
        *self = Self::new(self.task, self.next());
    }
}
