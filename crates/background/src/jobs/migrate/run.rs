//! A mass migration under way: pages of the index, rounds of batches that are written side by side,
//! each of a single resource where somebody else writes at the same time. A checkpoint follows some
//! rounds.
//!
//! What it promises: every resource is counted once, and one that was moved is not moved again,
//! whenever the server dies. A batch of a round may be written although an earlier one was refused,
//! so the checkpoint, which names the last entry that is done, can't tell all. Each batch therefore
//! writes the sum of its slot with its resources, and whoever goes on adds the slots to the
//! checkpoint. What was moved stands at the target by then: its old entry is gone from the index,
//! and is not met again.
//!
//! A batch that is refused because somebody else wrote one of its resources goes resource by
//! resource. One that is refused again and again is told of, and left to the next run.

use crate::background::Background;
use crate::jobs::job::{Ahead, Batch, Last, Run, Step};
use crate::jobs::migrate::batch::Cost;
use crate::jobs::migrate::check_target;
use crate::jobs::migrate::page::{Mover, Page, Place, Ready};
use crate::jobs::migrate::plan::{Aim, left_behind};
use crate::jobs::migrate::report::{Counts, Outcome, Report};
use crate::jobs::migrate::selection::Places;
use crate::jobs::migrate::slots::Slots;
use async_trait::async_trait;
use coeval_catalog::types::state::TypeState;
use coeval_records::attempts::{Attempts, is_race};
use coeval_records::encode::{EncodeError, encode_value};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::keys::{self, TASK_SLOTS};
use coeval_resources::tasks::task::{Progress, Task};
use coeval_resources::write::steps::{arrives, fenced};
use coeval_storage::{Key, KeySpan, ReadRange, StorageError};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::task::JoinSet;

/// How many resources are read at once.
const PAGE: usize = 380;
/// How many rounds go ahead of a checkpoint.
const ROUNDS: usize = 8;
/// How often a resource that others write is tried on its own.
const TRIES: usize = 2;

/// From where the migration goes on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Checkpoint {
    /// The last index entry that is done, in hexadecimal digits.
    after: Option<String>,
    /// Whether it is behind all that was at the target before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    beyond_target: bool,
    /// How many there were; nothing: that is not to be told.
    total: Option<u64>,
    counts: Counts,
    /// How many came before it: the slots say which one they come after.
    number: u64,
}

#[derive(Debug)]
pub(crate) struct MigrateRun {
    mover: Mover,
    /// Where the resources are listed.
    places: Places,
    /// Where it looks now.
    spans: Arc<[KeySpan]>,
    /// Whether these are behind all that was at the target before.
    beyond_target: bool,
    total: Option<u64>,
    /// The last entry that is done.
    done: Option<Key>,
    /// All that is done.
    report: Report,
    /// What of it is not in the checkpoint.
    slots: Slots,
    /// How many rounds are not, and how many entries there were in it.
    rounds: usize,
    listed: usize,
    /// The type as what is ready was planned for it.
    state: Option<Arc<TypeState>>,
    ready: VecDeque<Ready>,
    /// The last entry that was read.
    read: Option<Key>,
    /// The page after that, under way; ended when this is dropped.
    ahead: JoinSet<Result<Option<Page>, EngineError>>,
    /// The round that was handed to the runner.
    round: Vec<Pending>,
    /// So many resources go each in a batch of its own.
    alone: usize,
    /// How often the next one was tried on its own.
    tried: usize,
    /// How many batches a round has at most.
    abreast: usize,
}

/// A batch of a round.
#[derive(Debug)]
struct Pending {
    items: Vec<Ready>,
    /// The sum of its slot once it is written; nothing, if it writes nothing.
    sum: Option<Report>,
}

impl MigrateRun {
    pub(crate) async fn begin(
        background: Arc<Background>,
        task: &Task,
        report: &[u8],
        abreast: usize,
    ) -> Result<Self, EngineError> {
        let unreadable = |reason| TaskError::Unreadable {
            id: task.id,
            reason,
        };
        let aim = Aim::read(&task.input).map_err(unreadable)?;
        let caller = task.by.caller();
        let places = aim.selection.places(&background, &caller, &aim).await?;
        let checkpoint = match &task.checkpoint {
            // Counted once, at the beginning: entries that are done are gone from the index.
            serde_json::Value::Null => Checkpoint {
                total: if aim.selection.is_counted() {
                    Some(count(&background, &places.others).await?)
                } else {
                    None
                },
                ..Checkpoint::default()
            },
            checkpoint => Deserialize::deserialize(checkpoint)
                .map_err(|error: serde_json::Error| unreadable(error.to_string()))?,
        };
        let done = match &checkpoint.after {
            None => None,
            Some(digits) => {
                let key = from_digits(digits).map(Key::new).transpose()?;
                Some(key.ok_or_else(|| unreadable("its checkpoint names no key".to_owned()))?)
            }
        };
        let mut report = Report::read(checkpoint.counts, report)
            .map_err(|error| unreadable(error.to_string()))?;
        let listed = report.len();
        // What was written after the checkpoint is done too, and counts.
        let slots = Slots::read(&background, task.id, checkpoint.number).await?;
        slots.add_to(&mut report);
        Ok(Self {
            mover: Mover {
                background,
                caller,
                aim: Arc::new(aim),
            },
            spans: match (&places.target, checkpoint.beyond_target) {
                (Some(target), false) => [target.clone()].into(),
                _ => places.others.as_slice().into(),
            },
            beyond_target: checkpoint.beyond_target || places.target.is_none(),
            places,
            total: checkpoint.total,
            read: done.clone(),
            done,
            report,
            slots,
            rounds: 0,
            listed,
            state: None,
            ready: VecDeque::new(),
            ahead: JoinSet::new(),
            round: Vec::new(),
            alone: 0,
            tried: 0,
            abreast: abreast.clamp(1, TASK_SLOTS),
        })
    }

    /// Forgets what was read and not written.
    fn read_again(&mut self) {
        self.ready.clear();
        self.ahead = JoinSet::new();
        self.read.clone_from(&self.done);
    }

    /// Notes what became of a round. Up to the first batch that was refused all is done; of those after
    /// it only what was written, and the rest is read again.
    fn settle(&mut self, results: Vec<Result<(), StorageError>>) -> Result<(), EngineError> {
        let mut results = results.into_iter();
        let mut refused: Option<(Pending, StorageError)> = None;
        for (slot, pending) in std::mem::take(&mut self.round).into_iter().enumerate() {
            let written = match &pending.sum {
                None => Ok(()),
                Some(_) => results.next().unwrap_or(Ok(())),
            };
            match (written, refused.is_some()) {
                (Err(error), false) => refused = Some((pending, error)),
                (Err(_), true) => {}
                (Ok(()), behind) => {
                    for item in &pending.items {
                        match &item.outcome {
                            // It was not touched, and is met again.
                            _ if behind && !item.writes => {}
                            Some(outcome) => self.report.add(item.id, outcome),
                            None => self.report.counts.passed += 1,
                        }
                    }
                    if let Some(sum) = pending.sum {
                        self.slots.set(slot, sum);
                    }
                    if !behind {
                        self.alone = self.alone.saturating_sub(pending.items.len());
                        self.tried = 0;
                        self.done = pending.items.into_iter().last().map(|item| item.entry);
                    }
                }
            }
        }
        self.rounds += 1;
        match refused {
            None => Ok(()),
            Some((pending, error)) => self.refused(pending, error),
        }
    }

    /// Nothing of the batch was written.
    fn refused(&mut self, mut pending: Pending, error: StorageError) -> Result<(), EngineError> {
        if self.concerns_type(&error) {
            // All that is ready was planned for another revision of the type.
            self.state = None;
            self.read_again();
            return Ok(());
        }
        if pending.items.len() > 1 {
            // Nobody knows which of them it was: each goes in a batch of its own.
            self.alone = pending.items.len();
            self.read_again();
            return Ok(());
        }
        let Some(item) = pending.items.pop() else {
            return Err(error.into());
        };
        self.read_again();
        self.tried += 1;
        let outcome = if !is_race(&error) {
            Outcome::failed(&EngineError::from(error))
        } else if self.tried < TRIES {
            return Ok(());
        } else {
            left_behind(&self.mover.aim)
        };
        // It is told of and not tried again: reading goes on behind it.
        self.read = Some(item.entry.clone());
        let item = Ready::untouched(item.entry, item.id, Some(outcome));
        self.ready.push_front(item);
        Ok(())
    }

    /// Whether the type changed, not a resource.
    fn concerns_type(&self, error: &StorageError) -> bool {
        let (StorageError::Conflict { key, .. } | StorageError::NotFound { key }) = error else {
            return false;
        };
        let aim = &self.mover.aim;
        let version = keys::type_version(&aim.of, aim.to);
        keys::phase(&aim.of).is_ok_and(|phase| phase == *key)
            || version.is_ok_and(|version| version == *key)
    }

    /// The type as it is now, once nobody edits the target.
    async fn state(&mut self) -> Result<Arc<TypeState>, EngineError> {
        if let Some(state) = &self.state {
            return Ok(Arc::clone(state));
        }
        let (background, aim) = (&self.mover.background, &self.mover.aim);
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = background.types.current(&aim.of).await?;
            check_target(&state, aim.from(), aim.to)?;
            let arrived = arrives(fenced(&state), &state, aim.to);
            if background.unless_edited(&state, arrived).await?.is_some() {
                self.state = Some(Arc::clone(&state));
                return Ok(state);
            }
        }
    }

    /// What comes after what was read.
    fn place(&self, limit: usize) -> Place {
        Place {
            spans: Arc::clone(&self.spans),
            after: self.read.clone(),
            limit,
        }
    }

    /// Turns from what was at the target before to what is to be moved; whether there was that to do.
    /// The checkpoint that tells so is written before anything is moved: what is moved comes to stand
    /// at the target, where it must not be met.
    fn leave_target(&mut self) -> bool {
        if self.beyond_target {
            return false;
        }
        self.beyond_target = true;
        self.spans = self.places.others.as_slice().into();
        self.done = None;
        self.read = None;
        true
    }

    /// Reads on, so that something is ready unless nothing is left.
    async fn read_on(&mut self) -> Result<(), EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let state = self.state().await?;
            let ahead = self.ahead.join_next().await;
            let page = match ahead {
                Some(Ok(page)) => page?,
                // What is written by others too is read just before it is written.
                _ if self.alone > 0 => self.mover.page(&state, &self.place(self.abreast)).await?,
                _ => self.mover.page(&state, &self.place(PAGE)).await?,
            };
            let Some(page) = page else {
                // The type changed while the page was read.
                self.state = None;
                continue;
            };
            self.ready.extend(page.ready);
            if let Some(last) = page.last {
                self.read = Some(last);
                if self.alone == 0 {
                    self.look_ahead(state);
                }
            }
            return Ok(());
        }
    }

    /// Prepares the next page while this one is written.
    fn look_ahead(&mut self, state: Arc<TypeState>) {
        let (mover, place) = (self.mover.clone(), self.place(PAGE));
        self.ahead
            .spawn(async move { mover.page(&state, &place).await });
    }

    /// As many as fit into one write.
    fn take(&mut self) -> Vec<Ready> {
        let mut cost = Cost::default();
        let mut items = Vec::new();
        while let Some(next) = self.ready.front() {
            let full = self.alone > 0 && !items.is_empty();
            match cost.and(next.cost) {
                Some(sum) if !full => cost = sum,
                // One always fits: what does not was reported as failed.
                _ if !items.is_empty() => break,
                _ => {}
            }
            items.extend(self.ready.pop_front());
        }
        items
    }

    /// The next batches, each with its slot.
    fn next_round(&mut self, state: &TypeState) -> Result<Vec<Ahead>, EngineError> {
        let mut all = Vec::new();
        while self.round.len() < self.abreast && !self.ready.is_empty() {
            let mut items = self.take();
            let mut steps = Vec::new();
            for item in &mut items {
                item.writes = !item.steps.is_empty();
                steps.append(&mut item.steps);
            }
            let mut sum = None;
            if !steps.is_empty() {
                let written = items.iter().filter(|item| item.writes);
                let told = written.filter_map(|item| Some((item.id, item.outcome.as_ref()?)));
                let (slot, after) = self.slots.with(self.round.len(), told)?;
                let mut write = arrives(fenced(state), state, self.mover.aim.to)?;
                let head = slot.key.clone();
                write.steps.push(slot);
                write.steps.append(&mut steps);
                let steps = write.steps;
                all.push(Ahead { head, steps });
                sum = Some(after);
            }
            self.round.push(Pending { items, sum });
        }
        Ok(all)
    }

    fn progress(&self) -> Progress {
        let counts = self.report.counts;
        Progress {
            done: counts.done(),
            // More may have come since they were counted.
            total: self
                .total
                .map(|total| total.saturating_sub(counts.passed).max(counts.done())),
        }
    }

    /// All that is done, in one write with the task.
    fn checkpoint(&self) -> Result<Batch, EncodeError> {
        let counts = self.report.counts;
        let checkpoint = Checkpoint {
            after: self.done.as_ref().map(|entry| digits(entry.as_bytes())),
            beyond_target: self.beyond_target && self.places.target.is_some(),
            total: self.total,
            counts,
            number: self.slots.next(),
        };
        let report = (self.report.len() > self.listed).then(|| self.report.entries());
        Ok(Batch {
            steps: Vec::new(),
            checkpoint: encode_value("a checkpoint", &checkpoint)?,
            progress: self.progress(),
            report: report.transpose()?.map(Into::into),
        })
    }

    /// Whether it is time for a checkpoint: after some rounds, at the end, and when there is
    /// something to tell. Of those that go one by one no page is read ahead.
    fn is_checkpoint_due(&self) -> bool {
        let last = self.ready.is_empty() && self.ahead.is_empty() && self.alone == 0;
        let told = self.report.len() > self.listed;
        self.rounds > 0 && (self.rounds >= ROUNDS || last || told)
    }
}

#[async_trait]
impl Run for MigrateRun {
    fn went(&mut self, results: Vec<Result<(), StorageError>>) -> Result<Progress, EngineError> {
        self.settle(results)?;
        Ok(self.progress())
    }

    async fn step(&mut self, last: Last) -> Result<Step, EngineError> {
        match last {
            Last::Written => {
                self.rounds = 0;
                self.listed = self.report.len();
                self.slots.begin_anew();
            }
            Last::Refused(error) if !is_race(&error) => return Err(error.into()),
            // The checkpoint met a change of the task itself, and is written again.
            Last::Refused(_) => return Ok(Step::Batch(self.checkpoint()?)),
            Last::None => {}
        }
        if self.is_checkpoint_due() {
            return Ok(Step::Batch(self.checkpoint()?));
        }
        if self.ready.is_empty() {
            self.read_on().await?;
        }
        let state = self.state().await?;
        let all = self.next_round(&state)?;
        match (all.is_empty(), self.round.is_empty()) {
            (true, true) if self.rounds > 0 || self.leave_target() => {
                Ok(Step::Batch(self.checkpoint()?))
            }
            (true, true) => Ok(Step::Done(self.report.result(&self.mover.aim))),
            // Nothing of it is to be written: only the checkpoint tells of it.
            (true, false) => {
                self.settle(Vec::new())?;
                Ok(Step::Batch(self.checkpoint()?))
            }
            (false, _) => Ok(Step::Ahead(all)),
        }
    }
}

/// How many keys there are.
async fn count(background: &Background, spans: &[KeySpan]) -> Result<u64, EngineError> {
    let mut total = 0;
    for span in spans {
        let mut next = Some(ReadRange::of(span.clone()));
        while let Some(range) = next {
            let (_, page) = background.store.range(range.clone()).await?;
            total += page.entries.len() as u64;
            next = range.following(&page);
        }
    }
    Ok(total)
}

fn digits(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_digits(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    pairs.map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_key_reads_back_from_a_checkpoint() {
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(from_digits(&digits(&all)), Some(all));
        assert_eq!(from_digits("0g"), None);
    }
}
