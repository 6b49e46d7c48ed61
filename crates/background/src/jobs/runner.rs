//! The runner of a server: finds tasks that nobody works on, and claims them.
//!
//! It is woken by the store whenever a task is queued; a slow poll stands behind that. Whether
//! another server still works on a task is judged by whether its record changes, never by
//! comparing clocks; and a wrong guess does no harm, because every write of a task is conditioned
//! on the claim.

use crate::background::Background;
use crate::jobs::behave::BehaviorJob;
use crate::jobs::drive::{Drive, End};
use crate::jobs::hooked::HookedJob;
use crate::jobs::job::{Job, Pace};
use crate::jobs::migrate::{MIGRATE, MigrateJob, UPGRADE};
use coeval_core::version::Uuid;
use coeval_records::attempts::unless_raced;
use coeval_records::error::EngineError;
use coeval_records::keys;
use coeval_records::task_status::Status;
use coeval_resources::task_calls::id_of;
use coeval_resources::tasks::record::{self, Kept};
use coeval_resources::tasks::task::Claim;
use coeval_storage::{
    AtomicWrite, DeliveryStream, ReadRange, Revision, WatchDelivery, WatchRequest, WriteCondition,
};
use futures::StreamExt;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::Instant;

/// How a runner works.
#[derive(Clone, Debug)]
pub struct RunnerSettings {
    /// A task whose record does not change for this long is taken over.
    pub abandoned_after: Duration,
    /// How often it looks for tasks, should no event reach it.
    pub poll: Duration,
    /// How many tasks at the same time.
    pub at_once: usize,
    /// How many behaviors beside these: they mostly wait for others to answer.
    pub behaviors_at_once: usize,
    /// How many batches of a task are written side by side, at most 16.
    pub abreast: usize,
    /// How long a task rests after the store failed it.
    pub rest: Duration,
    /// Decides how fast tasks go.
    pub pace: Option<Arc<dyn Pace>>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            abandoned_after: Duration::from_secs(15),
            poll: Duration::from_secs(5),
            at_once: 4,
            behaviors_at_once: 32,
            abreast: 16,
            rest: Duration::from_secs(1),
            pace: None,
        }
    }
}

/// Works on tasks in the background until it is dropped.
#[derive(Debug)]
pub struct JobRunner {
    stop: watch::Sender<bool>,
    background: Vec<JoinHandle<()>>,
    pruning: JoinHandle<()>,
}

/// How often old records of what was done are removed.
const PRUNE_EVERY: Duration = Duration::from_secs(60 * 60);

/// Removes what is too old to be kept, again and again.
async fn prune(background: Arc<Background>) {
    let mut timer = tokio::time::interval(PRUNE_EVERY);
    timer.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        timer.tick().await;
        if let Err(error) = background.prune_audit().await {
            tracing::warn!(%error, "old records of the audit could not be removed");
        }
    }
}

impl JobRunner {
    /// Starts. A server that comes back under the same id goes on with its own tasks at once, so
    /// no two servers may have the same.
    #[must_use]
    pub fn start(background: Arc<Background>, server_id: &str, settings: RunnerSettings) -> Self {
        let behaviors: Vec<Arc<dyn Job>> = vec![
            Arc::new(BehaviorJob),
            Arc::new(HookedJob(coeval_resources::task_creation::CREATE)),
            Arc::new(HookedJob(coeval_resources::lifecycle::hooks::UPDATE)),
            Arc::new(HookedJob(coeval_resources::lifecycle::hooks::DELETE)),
        ];
        // Apart from each other: neither waits for a server that the other one has called.
        let waiting = RunnerSettings {
            at_once: settings.behaviors_at_once,
            ..settings.clone()
        };
        let migrations: Vec<Arc<dyn Job>> =
            vec![Arc::new(MigrateJob(MIGRATE)), Arc::new(MigrateJob(UPGRADE))];
        let lanes = vec![(settings, migrations), (waiting, behaviors)];
        Self::with_lanes(background, server_id, lanes)
    }

    /// With these kinds of jobs.
    #[cfg(test)]
    pub(crate) fn with_jobs(
        background: Arc<Background>,
        server_id: &str,
        settings: RunnerSettings,
        jobs: Vec<Arc<dyn Job>>,
    ) -> Self {
        Self::with_lanes(background, server_id, vec![(settings, jobs)])
    }

    /// With kinds of jobs that don't wait for those of another lane.
    fn with_lanes(
        background: Arc<Background>,
        server_id: &str,
        lanes: Vec<(RunnerSettings, Vec<Arc<dyn Job>>)>,
    ) -> Self {
        let (stop, stopping) = watch::channel(false);
        let pruning = tokio::spawn(prune(Arc::clone(&background)));
        let look = |(settings, jobs)| {
            let looking = Looking {
                drive: Drive {
                    background: Arc::clone(&background),
                    server: server_id.into(),
                    settings,
                    stopping: stopping.clone(),
                },
                jobs,
                running: HashSet::new(),
                seen: HashMap::new(),
                resting: HashMap::new(),
            };
            tokio::spawn(looking.go())
        };
        Self {
            stop,
            background: lanes.into_iter().map(look).collect(),
            pruning,
        }
    }

    /// Lets every task write its present batch, then gives it back to the queue, for another
    /// server to go on with.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        for lane in &mut self.background {
            // An error here is its own end, which is what is wanted.
            let _ = lane.await;
        }
    }
}

impl Drop for JobRunner {
    fn drop(&mut self) {
        self.pruning.abort();
        self.background.iter().for_each(JoinHandle::abort);
    }
}

struct Looking {
    drive: Drive,
    jobs: Vec<Arc<dyn Job>>,
    running: HashSet<Uuid>,
    /// Claims of others: the revision of the task and since when it has it.
    seen: HashMap<Uuid, (Revision, Instant)>,
    /// Tasks that the store failed, until then.
    resting: HashMap<Uuid, Instant>,
}

impl Looking {
    async fn go(mut self) {
        let mut under_way: JoinSet<(Uuid, End)> = JoinSet::new();
        let mut ids: HashMap<tokio::task::Id, Uuid> = HashMap::new();
        let mut events: Option<DeliveryStream> = None;
        let mut stopping = self.drive.stopping.clone();
        loop {
            let stop = *stopping.borrow();
            // Tasks under way end or give themselves back; nothing new is claimed.
            if stop && under_way.is_empty() {
                return;
            }
            if !stop {
                // Opened before the look, so that no task is queued unseen between the two.
                if events.is_none() {
                    events = self.watch().await;
                }
                match self.look().await {
                    Ok(claimed) => {
                        for (kept, job) in claimed {
                            let (id, drive) = (kept.task.id, self.drive.clone());
                            self.running.insert(id);
                            let work = async move { (id, drive.run(kept, job).await) };
                            ids.insert(under_way.spawn(work).id(), id);
                        }
                    }
                    Err(error) => tracing::warn!(%error, "tasks can't be looked for"),
                }
            }
            let pause = self.pause();
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = stopping.changed(), if !stop => {}
                Some(ended) = under_way.join_next_with_id() => {
                    self.ended(ended, &mut ids).await;
                }
                () = news(&mut events, &self.running), if !stop => {}
            }
        }
    }

    /// Until the next look: the poll, or sooner if a task might be abandoned or rested.
    fn pause(&self) -> Duration {
        let settings = &self.drive.settings;
        // Without room there is nothing to claim, and a task that ends wakes the loop.
        if self.running.len() >= settings.at_once {
            return settings.poll;
        }
        let now = Instant::now();
        let abandoned = self
            .seen
            .values()
            .map(|(_, since)| *since + settings.abandoned_after);
        let next = abandoned.chain(self.resting.values().copied()).min();
        let sooner = next.map(|at| at.saturating_duration_since(now));
        let least = Duration::from_millis(10);
        sooner.map_or(settings.poll, |sooner| {
            sooner.clamp(least, settings.poll.max(least))
        })
    }

    async fn watch(&self) -> Option<DeliveryStream> {
        let span = keys::open_tasks().ok()?;
        let request = WatchRequest { span, from: None };
        self.drive.background.store.watch(request).await.ok()
    }

    /// Claims what can be claimed.
    async fn look(&mut self) -> Result<Vec<(Kept, Arc<dyn Job>)>, EngineError> {
        let background = Arc::clone(&self.drive.background);
        let mut range = ReadRange::of(keys::open_tasks()?);
        let mut claimed = Vec::new();
        let mut open = HashSet::new();
        loop {
            let (_, page) = background.store.range(range.clone()).await?;
            for entry in &page.entries {
                let Some(id) = id_of(&entry.key) else {
                    continue;
                };
                open.insert(id);
                // Without room the walk goes on all the same: it tells which tasks are still open.
                let room = self.running.len() + claimed.len() < self.drive.settings.at_once;
                if !room || self.running.contains(&id) {
                    continue;
                }
                match background.read_task(id, None).await {
                    Ok(Some(kept)) => claimed.extend(self.claim(kept).await?),
                    // Ended since.
                    Ok(None) => {}
                    Err(EngineError::Storage(error)) if is_temporary(&error) => {
                        return Err(error.into());
                    }
                    Err(error) => tracing::error!(%id, %error, "a task can't be read"),
                }
            }
            match range.following(&page) {
                Some(next) => range = next,
                None => break,
            }
        }
        // What is remembered of tasks that have ended would grow for ever.
        self.seen.retain(|id, _| open.contains(id));
        self.resting.retain(|id, _| open.contains(id));
        Ok(claimed)
    }

    /// The task, if nobody works on it and this server's claim was the first.
    async fn claim(&mut self, kept: Kept) -> Result<Option<(Kept, Arc<dyn Job>)>, EngineError> {
        let Kept { mut task, revision } = kept;
        let id = task.id;
        let known = self
            .jobs
            .iter()
            .find(|job| job.operation() == task.operation);
        // A job that this release does not have is left to a server that does.
        let Some(job) = known.map(Arc::clone) else {
            return Ok(None);
        };
        if task.status.has_ended() || !self.is_free(&task.claim, id, revision) {
            return Ok(None);
        }
        let now = self.drive.background.now();
        task.status = Status::Running;
        // Of a task that was taken over, the first start counts.
        task.started.get_or_insert(now);
        task.claims += 1;
        task.claim = Some(Claim {
            server: self.drive.server.to_string(),
            at: now,
            number: task.claims,
        });
        let steps = vec![record::step(&task, WriteCondition::RevisionIs(revision))?];
        let written = self
            .drive
            .background
            .commit(&keys::task(id)?, AtomicWrite { steps })
            .await;
        let Some(written) = unless_raced(written)? else {
            return Ok(None);
        };
        self.seen.remove(&id);
        self.resting.remove(&id);
        let revision = written.revision;
        Ok(Some((Kept { task, revision }, job)))
    }

    fn is_free(&mut self, claim: &Option<Claim>, id: Uuid, revision: Revision) -> bool {
        let now = Instant::now();
        match self.resting.get(&id) {
            Some(until) if *until > now => return false,
            _ => self.resting.remove(&id),
        };
        match claim {
            None => true,
            // From an earlier life of this server, or one that the store failed.
            Some(claim) if claim.server == *self.drive.server => true,
            Some(_) => {
                // The wait begins when this server first sees the revision: no clocks are compared.
                let seen = self.seen.entry(id).or_insert((revision, now));
                if seen.0 != revision {
                    *seen = (revision, now);
                }
                now.duration_since(seen.1) >= self.drive.settings.abandoned_after
            }
        }
    }

    async fn ended(
        &mut self,
        ended: Result<(tokio::task::Id, (Uuid, End)), tokio::task::JoinError>,
        ids: &mut HashMap<tokio::task::Id, Uuid>,
    ) {
        let (handle, end) = match ended {
            Ok((handle, (_, end))) => (handle, end),
            Err(error) => {
                let handle = error.id();
                if let Some(id) = ids.get(&handle) {
                    self.drive.abort(*id, &error.to_string()).await;
                }
                (handle, End::Over)
            }
        };
        let Some(id) = ids.remove(&handle) else {
            return;
        };
        self.running.remove(&id);
        if let End::Rests = end {
            let until = Instant::now() + self.drive.settings.rest;
            self.resting.insert(id, until);
        }
    }
}

/// Ends when there may be something to do.
async fn news(events: &mut Option<DeliveryStream>, running: &HashSet<Uuid>) {
    loop {
        let Some(watch) = events else {
            return std::future::pending().await;
        };
        match watch.next().await {
            Some(Ok(WatchDelivery::Events(_, group))) => {
                // What is written about its own tasks is no news.
                let own = |id| running.contains(&id);
                let ids = group.events.iter().filter_map(|event| id_of(&event.key));
                if !ids.into_iter().all(own) {
                    return;
                }
            }
            Some(Ok(WatchDelivery::Live(_) | WatchDelivery::Bookmark(_))) => {}
            Some(Err(_)) | None => {
                *events = None;
            }
        }
    }
}

/// Whether the store may do better later.
pub(crate) fn is_temporary(error: &coeval_storage::StorageError) -> bool {
    use coeval_storage::StorageError as E;
    !matches!(
        error,
        E::InvalidKey { .. } | E::TooLarge { .. } | E::InvalidWrite { .. } | E::Damaged { .. }
    )
}
