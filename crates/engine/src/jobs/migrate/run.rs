//! A mass migration under way: pages of the index, batches of resources, one by one where somebody
//! else writes at the same time.

use super::super::job::{Batch, Last, Run, Step};
use super::batch::Cost;
use super::check_target;
use super::page::{Mover, Page, Ready};
use super::plan::{Aim, left_behind};
use super::report::{Counts, Outcome, Report};
use crate::engine::{ATTEMPTS, Engine};
use crate::error::EngineError;
use crate::keys;
use crate::tasks::{Progress, Task, TaskError};
use crate::types::state::TypeState;
use crate::write::is_race;
use crate::write::steps::{arrives, fenced};
use async_trait::async_trait;
use coeval_storage::{Key, Range, Span, StorageError};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::task::JoinSet;

/// How many resources are read at once.
const PAGE: usize = 380;
/// How often a resource that others write is tried on its own.
const TRIES: usize = 2;

/// From where the migration goes on.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Checkpoint {
    /// The last index entry that is done, in hexadecimal digits.
    after: Option<String>,
    total: u64,
    counts: Counts,
}

pub(super) struct MigrateRun {
    mover: Mover,
    /// Where the resources are listed.
    span: Span,
    total: u64,
    /// The last entry that is done.
    done: Option<Key>,
    report: Report,
    /// The type as what is ready was planned for it.
    state: Option<Arc<TypeState>>,
    ready: VecDeque<Ready>,
    /// The last entry that was read.
    read: Option<Key>,
    /// The page after that, under way; ended when this is dropped.
    ahead: JoinSet<Result<Option<Page>, EngineError>>,
    /// What was handed to the runner, and the report before it.
    pending: Option<Pending>,
    /// So many resources go one by one.
    alone: usize,
    /// How often the next one was tried on its own.
    tried: usize,
}

struct Pending {
    items: Vec<Ready>,
    listed: usize,
    counts: Counts,
}

impl MigrateRun {
    pub(super) async fn begin(
        engine: Arc<Engine>,
        task: &Task,
        report: &[u8],
    ) -> Result<Self, EngineError> {
        let unreadable = |reason| TaskError::Unreadable {
            id: task.id,
            reason,
        };
        let aim = Aim::read(&task.input).map_err(unreadable)?;
        let caller = task.by.caller();
        let subject = &caller.subject;
        let span = match subject.is_provider() && subject.context().is_none() {
            true => keys::at_version(&aim.of, aim.from)?,
            false => keys::at_version_in(&aim.of, aim.from, caller.org())?,
        };
        let checkpoint = match &task.checkpoint {
            serde_json::Value::Null => Checkpoint {
                total: count(&engine, &span).await?,
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
        let report = Report::read(checkpoint.counts, report)
            .map_err(|error| unreadable(error.to_string()))?;
        Ok(Self {
            mover: Mover {
                engine,
                caller,
                aim: Arc::new(aim),
            },
            span,
            total: checkpoint.total,
            read: done.clone(),
            done,
            report,
            state: None,
            ready: VecDeque::new(),
            ahead: JoinSet::new(),
            pending: None,
            alone: 0,
            tried: 0,
        })
    }

    /// Forgets what was read and not written.
    fn read_again(&mut self) {
        self.ready.clear();
        self.ahead = JoinSet::new();
        self.read.clone_from(&self.done);
    }

    fn written(&mut self, pending: Pending) {
        self.alone = self.alone.saturating_sub(pending.items.len());
        self.tried = 0;
        self.done = pending.items.into_iter().last().map(|item| item.entry);
    }

    /// Nothing of the batch was written.
    fn refused(&mut self, mut pending: Pending, error: StorageError) -> Result<(), EngineError> {
        self.report.cut(pending.listed, pending.counts);
        if self.concerns_type(&error) {
            self.state = None;
            self.read_again();
            return Ok(());
        }
        if pending.items.len() > 1 {
            self.alone = pending.items.len();
            self.read_again();
            return Ok(());
        }
        let Some(mut item) = pending.items.pop() else {
            return Err(error.into());
        };
        self.tried += 1;
        let outcome = match is_race(&error) {
            true if self.tried < TRIES => {
                self.read_again();
                return Ok(());
            }
            true => left_behind(&self.mover.aim),
            false => Outcome::failed(&EngineError::from(error)),
        };
        item = Ready::untouched(item.entry, item.id, Some(outcome));
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
        let (engine, aim) = (&self.mover.engine, &self.mover.aim);
        for _ in 0..ATTEMPTS {
            let state = engine.types.current(&aim.of).await?;
            check_target(&state, aim.from, aim.to)?;
            match arrives(fenced(&state), &state, aim.to) {
                Err(EngineError::TypeEditing { id }) => {
                    engine.wait_for_edit(&state, id.version).await?;
                }
                Err(error) => return Err(error),
                Ok(_) => {
                    self.state = Some(Arc::clone(&state));
                    return Ok(state);
                }
            }
        }
        Err(EngineError::Contended { attempts: ATTEMPTS })
    }

    /// What comes after what was read.
    fn range(&self, limit: usize) -> Range {
        let range = Range::of(self.span.clone()).limit(limit);
        match &self.read {
            None => range,
            Some(read) => range.after(read),
        }
    }

    /// Reads on, so that something is ready unless nothing is left.
    async fn read_on(&mut self) -> Result<(), EngineError> {
        for _ in 0..ATTEMPTS {
            let state = self.state().await?;
            let ahead = self.ahead.join_next().await;
            let page = match ahead {
                Some(Ok(page)) => page?,
                // What is written by others too is read just before it is written.
                _ if self.alone > 0 => self.mover.page(&state, self.range(1)).await?,
                _ => self.mover.page(&state, self.range(PAGE)).await?,
            };
            let Some(page) = page else {
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
        Err(EngineError::Contended { attempts: ATTEMPTS })
    }

    /// Prepares the next page while this one is written.
    fn look_ahead(&mut self, state: Arc<TypeState>) {
        let (mover, range) = (self.mover.clone(), self.range(PAGE));
        self.ahead
            .spawn(async move { mover.page(&state, range).await });
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

    fn batch(&mut self, mut items: Vec<Ready>, state: &TypeState) -> Result<Batch, EngineError> {
        let pending = (self.report.len(), self.report.counts);
        let mut steps = Vec::new();
        for item in &mut items {
            match &item.outcome {
                Some(outcome) => self.report.add(item.id, outcome),
                None => self.report.counts.passed += 1,
            }
            steps.append(&mut item.steps);
        }
        if !steps.is_empty() {
            let mut write = arrives(fenced(state), state, self.mover.aim.to)?;
            write.steps.append(&mut steps);
            steps = write.steps;
        }
        let counts = self.report.counts;
        let checkpoint = Checkpoint {
            after: items.last().map(|item| digits(item.entry.as_bytes())),
            total: self.total,
            counts,
        };
        let report = (self.report.len() > pending.0).then(|| self.report.entries().into());
        self.pending = Some(Pending {
            items,
            listed: pending.0,
            counts: pending.1,
        });
        Ok(Batch {
            steps,
            // Plain data: nothing in it can fail to be printed.
            checkpoint: serde_json::to_value(&checkpoint).unwrap_or_default(),
            progress: Progress {
                done: counts.done(),
                // More may have come since they were counted.
                total: Some(self.total.saturating_sub(counts.passed).max(counts.done())),
            },
            report,
        })
    }
}

#[async_trait]
impl Run for MigrateRun {
    async fn step(&mut self, last: Last) -> Result<Step, EngineError> {
        match (last, self.pending.take()) {
            (Last::Written, Some(pending)) => self.written(pending),
            (Last::Refused(error), Some(pending)) => self.refused(pending, error)?,
            _ => {}
        }
        if self.ready.is_empty() {
            self.read_on().await?;
        }
        let items = self.take();
        if items.is_empty() {
            return Ok(Step::Done(self.report.result(self.mover.aim.dry_run)));
        }
        let state = self.state().await?;
        Ok(Step::Batch(self.batch(items, &state)?))
    }
}

/// How many keys there are.
async fn count(engine: &Engine, span: &Span) -> Result<u64, EngineError> {
    let mut range = Range::of(span.clone());
    let mut total = 0;
    loop {
        let (_, page) = engine.store.range(range.clone()).await?;
        total += page.entries.len() as u64;
        match range.following(&page) {
            Some(next) => range = next,
            None => return Ok(total),
        }
    }
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
