//! One task under way: its batches, each in one atomic write with the task's own record and on
//! condition that this record is as this server wrote it last. So whoever takes the task over, or
//! cancels it, fences every write that is still to come.
//!
//! What it promises: a task ends once, its checkpoint is true whenever it is read, and what a batch
//! writes is written once, whenever a server dies. A job only says what comes next; here it is
//! written, and the job is told what became of it.
//!
//! While a job works, the record of its task is rewritten now and then, which shows the others that
//! this server is alive. A write that was refused is no end by itself: the record may have changed
//! because somebody asked for the end of the task, or a resource was written by somebody else. So
//! it is read again, and only another claim in it means that the task is lost.

use crate::background::Background;
use crate::jobs::job::{Ahead, Job, Last, Pacing, Step};
use crate::jobs::runner::{RunnerSettings, is_temporary};
use bytes::Bytes;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, is_race};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::keys;
use coeval_records::task_status::Status;
use coeval_resources::tasks::record::{self, Kept};
use coeval_resources::tasks::task::{Task, TaskFailure};
use coeval_storage::{
    AtomicWrite, Key, ReadRequest, Revision, StorageError, WriteAction, WriteCondition,
    WriteStep as KeyStep,
};
use serde_json::Value;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// What every task of a runner is driven with.
#[derive(Clone, Debug)]
pub(crate) struct Drive {
    pub background: Arc<Background>,
    pub server: Arc<str>,
    pub settings: RunnerSettings,
    pub stopping: watch::Receiver<bool>,
}

/// What becomes of a task on this server.
#[derive(Debug)]
pub(crate) enum End {
    /// Nothing more.
    Over,
    /// Another try after a while: the store failed.
    Rests,
}

/// Why a job does not go on.
enum Stop {
    /// Another server has it.
    Lost,
    /// Somebody asked for it.
    Canceled,
    /// This server stops.
    Stopping,
    /// The store may do better later.
    Store(StorageError),
    /// It can't be done.
    Failed(EngineError),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Storage(error) if is_temporary(&error) => Self::Store(error),
            // Too many races are a matter of load, not of the job: another try after a while.
            EngineError::Contended { .. } => Self::Store(StorageError::failed(error)),
            error => Self::Failed(error),
        }
    }
}

/// How a task ends.
enum Ending {
    Success(Value),
    Canceled,
    Failed(TaskFailure),
    Aborted(TaskFailure),
}

impl Ending {
    fn failed(error: &EngineError) -> Self {
        Self::Failed(TaskFailure::of(error))
    }

    fn write(&self, task: &mut Task) {
        match self {
            Self::Success(result) => {
                task.status = Status::Success;
                task.result = Some(result.clone());
                // Whatever went or came meanwhile, nothing is left.
                task.progress.total = Some(task.progress.done);
            }
            Self::Canceled => task.status = Status::Canceled,
            Self::Failed(failure) => {
                task.status = Status::Error;
                task.error = Some(failure.clone());
            }
            Self::Aborted(failure) => {
                task.status = Status::Aborted;
                task.error = Some(failure.clone());
            }
        }
    }
}

/// A task that this server has claimed, as it wrote it last.
struct Held {
    task: Task,
    key: Key,
    /// The fence.
    revision: Revision,
    written: Instant,
}

impl Held {
    fn new(kept: Kept) -> Result<Self, EngineError> {
        Ok(Self {
            key: keys::task(kept.task.id)?,
            task: kept.task,
            revision: kept.revision,
            written: Instant::now(),
        })
    }
}

impl Drive {
    /// Works on a claimed task until it ends, is lost, or this server stops.
    pub(crate) async fn run(&self, kept: Kept, job: Arc<dyn Job>) -> End {
        let id = kept.task.id;
        let mut held = match Held::new(kept) {
            Ok(held) => held,
            Err(error) => {
                tracing::error!(%id, %error, "a task can't be held");
                return End::Over;
            }
        };
        let worked = self.work(&mut held, &*job).await;
        let ended = match worked {
            Ok(result) => match self.finish(&mut held, &Ending::Success(result)).await {
                // The result itself can't be kept.
                Err(Stop::Failed(error)) => self.finish(&mut held, &Ending::failed(&error)).await,
                other => other,
            },
            Err(Stop::Canceled) => self.finish(&mut held, &Ending::Canceled).await,
            Err(Stop::Failed(error)) => self.finish(&mut held, &Ending::failed(&error)).await,
            Err(Stop::Stopping) => self.release(&mut held).await,
            Err(stop) => Err(stop),
        };
        match ended {
            Err(Stop::Store(error)) => {
                tracing::warn!(%id, %error, "a task rests, because the store failed");
                End::Rests
            }
            Err(Stop::Failed(error)) => {
                // The claim stays as it is: after a while this server tries again, or another takes
                // it over.
                tracing::error!(%id, %error, "a task's end can't be written");
                End::Rests
            }
            Ok(()) | Err(_) => End::Over,
        }
    }

    async fn work(&self, held: &mut Held, job: &dyn Job) -> Result<Value, Stop> {
        // Asked for while nobody worked on it: nothing is begun.
        if held.task.cancel_requested {
            return Err(Stop::Canceled);
        }
        let report = self.report(held.task.id).await?;
        let task = held.task.clone();
        let abreast = self.settings.abreast;
        let begin = job.begin(Arc::clone(&self.background), &task, report, abreast);
        let mut run = self.beating(held, begin).await??;
        let mut last = Last::None;
        let mut took = Duration::ZERO;
        loop {
            self.keep_pace(held, took).await?;
            let grace = run.grace();
            let step = self.until_stop(run.step(last), grace);
            // A step writes nothing by itself: one that is cut off is done again by whoever goes
            // on.
            let step = self.beating(held, step).await?.ok_or(Stop::Stopping)??;
            last = match step {
                Step::Done(result) => return Ok(result),
                Step::Wait(time, why) => {
                    self.pause(held, time, &why).await?;
                    Last::None
                }
                Step::Ahead(all) => {
                    let since = Instant::now();
                    let (written, end) = self.ahead(held, all).await?;
                    // Written with the task whenever that is next.
                    held.task.progress = run.went(written)?;
                    if let Some(end) = end {
                        return Err(end);
                    }
                    took = since.elapsed();
                    Last::None
                }
                Step::Batch(batch) => {
                    let since = Instant::now();
                    let mut steps = batch.steps;
                    if let Some(report) = batch.report {
                        let report = record::open_step(held.task.id, report.into());
                        steps.push(report.map_err(EngineError::from)?);
                    }
                    let (checkpoint, progress) = (batch.checkpoint, batch.progress);
                    let written = self
                        .put(held, steps, move |task| {
                            task.checkpoint = checkpoint;
                            task.progress = progress;
                            task.message = None;
                        })
                        .await?;
                    took = since.elapsed();
                    written
                }
            };
        }
    }

    /// Does a step; nothing comes of it if this server stops and it is not done soon after.
    async fn until_stop<T>(
        &self,
        step: impl Future<Output = T>,
        grace: Option<Duration>,
    ) -> Option<T> {
        let Some(grace) = grace else {
            return Some(step.await);
        };
        let mut stopping = self.stopping.clone();
        let over = async move {
            // An error is the runner's own end.
            let _ = stopping.wait_for(|stopping| *stopping).await;
            tokio::time::sleep(grace).await;
        };
        tokio::select! {
            // A step that is done counts, even if the time is over at the same moment.
            biased;
            done = step => Some(done),
            () = over => None,
        }
    }

    /// Waits as long as it is asked to.
    async fn keep_pace(&self, held: &mut Held, took: Duration) -> Result<(), Stop> {
        loop {
            if *self.stopping.borrow() {
                return Err(Stop::Stopping);
            }
            let Some(pace) = &self.settings.pace else {
                return Ok(());
            };
            match pace.before_batch(&held.task, took) {
                Pacing::Go => return Ok(()),
                Pacing::After(time) => {
                    // The pace may be slower than the patience of others: the record is written
                    // meanwhile.
                    let sleep = tokio::time::sleep(time);
                    return self.beating(held, sleep).await;
                }
                Pacing::Hold(why) => self.pause(held, self.settings.poll, &why).await?,
            }
        }
    }

    /// Does nothing for a while, and says why.
    async fn pause(&self, held: &mut Held, time: Duration, why: &str) -> Result<(), Stop> {
        if held.task.message.as_deref() != Some(why) {
            let said = coeval_records::text::short(why);
            self.put(held, Vec::new(), |task| task.message = Some(said))
                .await?;
        }
        let mut stopping = self.stopping.clone();
        let wait = async move {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                _ = stopping.changed() => {}
            }
        };
        self.beating(held, wait).await?;
        // Somebody may have asked for its end, which is otherwise seen with the next write.
        self.regain(held).await
    }

    /// Does something, and lets others know meanwhile that this server is alive.
    async fn beating<T>(&self, held: &mut Held, work: impl Future<Output = T>) -> Result<T, Stop> {
        let mut work = pin!(work);
        loop {
            // Well before others take it for abandoned, so that one slow write loses nothing.
            let next = held.written + self.settings.abandoned_after / 3;
            tokio::select! {
                biased;
                done = &mut work => return Ok(done),
                () = tokio::time::sleep_until(next) => {
                    self.put(held, Vec::new(), |_| {}).await?;
                }
            }
        }
    }

    /// Writes the task and whatever else in one atomic write, if the task is still as this server
    /// wrote it last.
    async fn put(
        &self,
        held: &mut Held,
        mut steps: Vec<KeyStep>,
        change: impl FnOnce(&mut Task),
    ) -> Result<Last, Stop> {
        let mut task = held.task.clone();
        change(&mut task);
        if let Some(claim) = &mut task.claim {
            claim.at = self.background.now();
        }
        // First, so that a lost claim is what is told of several conditions that fail.
        steps.insert(
            0,
            record::step(&task, WriteCondition::RevisionIs(held.revision))?,
        );
        match self
            .background
            .commit(&held.key, AtomicWrite { steps })
            .await
        {
            Ok(written) => {
                held.task = task;
                held.revision = written.revision;
                held.written = Instant::now();
                Ok(Last::Written)
            }
            Err(error) if is_race(&error) => {
                // Lost or canceled, it ends here; otherwise the job decides what to do about the
                // race.
                self.regain(held).await?;
                Ok(Last::Refused(error))
            }
            Err(error) if is_temporary(&error) => Err(Stop::Store(error)),
            Err(error) => Ok(Last::Refused(error)),
        }
    }

    /// Writes each by itself, if the task is still as this server wrote it last; and whether it ends
    /// here.
    async fn ahead(
        &self,
        held: &mut Held,
        all: Vec<Ahead>,
    ) -> Result<(Vec<Result<(), StorageError>>, Option<Stop>), Stop> {
        let writes = all.into_iter().map(|one| {
            // First, so that a lost claim is what is told of several conditions that fail.
            // The task is compared and not written: side by side they would refuse each other.
            let mut steps = vec![KeyStep {
                key: held.key.clone(),
                condition: WriteCondition::RevisionIs(held.revision),
                action: WriteAction::Nop,
            }];
            steps.extend(one.steps);
            let background = Arc::clone(&self.background);
            async move { background.commit(&one.head, AtomicWrite { steps }).await }
        });
        let written = futures::future::join_all(writes).await;
        let written: Vec<_> = written.into_iter().map(|one| one.map(|_| ())).collect();
        let errors = || written.iter().filter_map(|one| one.as_ref().err());
        // A resource that somebody else wrote is no failure of the store.
        if let Some(error) = errors().find(|error| is_temporary(error) && !is_race(error)) {
            return Err(Stop::Store(error.clone()));
        }
        let lost = |error: &StorageError| matches!(error, StorageError::Conflict { key, .. } | StorageError::NotFound { key } if *key == held.key);
        let end = if errors().any(lost) {
            self.regain(held).await.err()
        } else {
            None
        };
        Ok((written, end))
    }

    /// Looks whether the task is still this server's.
    async fn regain(&self, held: &mut Held) -> Result<(), Stop> {
        let kept = self.background.read_task(held.task.id, None).await?;
        match kept {
            // The claim counts, not the revision: a request for the end changes that too.
            Some(kept)
                if kept
                    .task
                    .claim
                    .as_ref()
                    .map(|one| (&one.server, one.number))
                    == held
                        .task
                        .claim
                        .as_ref()
                        .map(|one| (&one.server, one.number)) =>
            {
                held.revision = kept.revision;
                held.task = kept.task;
                if held.task.cancel_requested {
                    Err(Stop::Canceled)
                } else {
                    Ok(())
                }
            }
            _ => Err(Stop::Lost),
        }
    }

    /// Writes the end of a task.
    async fn finish(&self, held: &mut Held, ending: &Ending) -> Result<(), Stop> {
        let now = self.background.now();
        let mut attempts = Attempts::new();
        while attempts.begin().is_ok() {
            let close = record::close_steps(held.task.id).map_err(EngineError::from)?;
            let written = self.put(held, close, |task| {
                ending.write(task);
                task.ended = Some(now);
                task.message = None;
                task.checkpoint = Value::Null;
                task.claim = None;
            });
            match written.await {
                Ok(Last::Written) => return Ok(()),
                // All was done when somebody asked for it to end: it is done.
                Ok(_) | Err(Stop::Canceled) => {}
                Err(stop) => return Err(stop),
            }
        }
        let reason = "the task's end met other writers";
        Err(Stop::Store(StorageError::failed(reason)))
    }

    /// Gives a task back.
    async fn release(&self, held: &mut Held) -> Result<(), Stop> {
        let written = self.put(held, Vec::new(), |task| {
            task.status = Status::Queued;
            task.claim = None;
        });
        match written.await {
            Err(Stop::Canceled) => self.finish(held, &Ending::Canceled).await,
            other => other.map(|_| ()),
        }
    }

    /// Ends a task whose job broke off.
    pub(crate) async fn abort(&self, id: Uuid, reason: &str) {
        tracing::error!(%id, reason, "a job broke off");
        let reason = reason.to_owned();
        let ending = Ending::Aborted(TaskFailure::of(&TaskError::Aborted { reason }));
        // Only under its own claim: if it was lost, another server may do better.
        if let Ok(Some(kept)) = self.background.read_task(id, None).await
            && let Ok(mut held) = Held::new(kept)
            && held
                .task
                .claim
                .as_ref()
                .is_some_and(|claim| claim.server == *self.server)
        {
            // If even this fails, the task is claimed again and breaks off again.
            let _ = self.finish(&mut held, &ending).await;
        }
    }

    async fn report(&self, id: Uuid) -> Result<Bytes, EngineError> {
        let request = ReadRequest::keys([keys::open_task(id)?]);
        let snapshot = self.background.store.read(request).await?;
        match snapshot.keys.into_iter().next().flatten() {
            None => Ok(Bytes::new()),
            Some(entry) => Ok(entry.into_record()?.content.body),
        }
    }
}
