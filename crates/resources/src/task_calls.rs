//! What can be done with tasks: look, wait, cancel. One's own, and with a right those of others of
//! the organization.

use crate::quarantined::Quarantined;
use crate::resources::Resources;
use crate::tasks::by::By;
use crate::tasks::record::{self, Kept};
use crate::tasks::task::{About, Progress, Task};
use coeval_access::GeneralRight;
use coeval_catalog::caller::Caller;
use coeval_codes::Coded;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::audit::Deed;
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::task_status::Status;
use coeval_storage::{
    AtomicWrite, Key, KeySpan, ReadRange, ReadRequest, WatchRequest, WriteCondition,
};
use futures::StreamExt;
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;

/// How often a waiter looks for itself, should no event reach it.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

/// Which tasks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskQuery {
    /// In this status.
    pub status: Option<Status>,
    /// Of this operation.
    pub operation: Option<String>,
    /// About the resource with this id.
    pub resource: Option<String>,
    /// Older than this one: the last of the page before.
    pub before: Option<Uuid>,
    /// How many at most.
    pub limit: usize,
}

/// Tasks, newest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskPage {
    /// Without their results.
    pub tasks: Vec<Task>,
    /// Records that can't be read; for the provider alone, since nobody knows whose they are.
    pub quarantined: Vec<Quarantined>,
}

/// What a new task is.
#[derive(Debug)]
pub struct NewTask<'a> {
    pub operation: &'static str,
    pub description: String,
    pub of: &'a TypeKey,
    pub about: About,
    pub input: Value,
    pub deed: Deed,
}

impl Resources {
    /// A task as it is queued, not yet written, and the deed that tells of it.
    pub fn draft(&self, caller: &Caller, new: NewTask<'_>) -> Result<(Task, Deed), EngineError> {
        let now = self.now();
        let task = Task {
            id: record::draw_task_id(now)?,
            operation: new.operation.to_owned(),
            description: new.description,
            by: By::of(caller, new.of),
            about: new.about,
            status: Status::Queued,
            created: now,
            started: None,
            ended: None,
            progress: Progress::default(),
            message: None,
            error: None,
            result: None,
            input: new.input,
            checkpoint: Value::Null,
            cancel_requested: false,
            claim: None,
            claims: 0,
        };
        let deed = Deed {
            note: Some(format!("task {}", task.id)),
            ..new.deed
        };
        Ok((task, deed))
    }

    /// Puts a task into the queue; some runner takes it from there.
    pub async fn submit(&self, caller: &Caller, new: NewTask<'_>) -> Result<Task, EngineError> {
        self.submit_with(caller, new, Vec::new()).await
    }

    /// The same, with what the job needs beside its input; it is kept until the task ends.
    pub(crate) async fn submit_with(
        &self,
        caller: &Caller,
        new: NewTask<'_>,
        report: Vec<u8>,
    ) -> Result<Task, EngineError> {
        let (task, deed) = self.draft(caller, new)?;
        let steps = vec![
            record::step(&task, WriteCondition::NotExists)?,
            // In one write with the task: a task that is not listed as open would never be run.
            record::open_step(task.id, report)?,
            self.audit_step(caller, &deed)?,
        ];
        self.commit(&keys::task(task.id)?, AtomicWrite { steps })
            .await?;
        Ok(task)
    }

    /// A task.
    ///
    /// # Errors
    /// If there is none, or the caller may not see it.
    pub async fn task(&self, caller: &Caller, id: Uuid) -> Result<Task, EngineError> {
        Ok(self.visible_task(caller, id).await?.task)
    }

    /// The tasks of the caller's organization, newest first: its own, and with the right
    /// `Task: View` those of others.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn tasks(&self, caller: &Caller, query: &TaskQuery) -> Result<TaskPage, EngineError> {
        let mut span = keys::tasks()?;
        if let Some(before) = query.before {
            span = span.before(&keys::task(before)?);
        }
        let mut range = ReadRange::of(span).descending();
        let mut found = TaskPage::default();
        loop {
            let (_, page) = self.store.range(range.clone()).await?;
            let last = page.entries.last().map(|entry| entry.key.clone());
            for entry in page.entries {
                // After filtering: a page is full of what fits, however many tasks of others lie
                // between.
                if found.tasks.len() >= query.limit {
                    return Ok(found);
                }
                let key = entry.key.clone();
                match id_of(&key).map(|id| record::decode(id, entry)) {
                    Some(Ok(Kept { mut task, .. })) => {
                        let listed = task.org() == caller.org() && may_see(caller, &task);
                        if listed && query.fits(&task) {
                            task.result = None;
                            found.tasks.push(task);
                        }
                    }
                    Some(Err(error)) if caller.subject.is_provider() => {
                        found.quarantined.push(Quarantined {
                            id: key.to_string(),
                            code: error.code(),
                            reason: error.to_string(),
                        });
                    }
                    _ => {}
                }
            }
            match last {
                Some(last) if page.more => range = range.after(&last),
                _ => return Ok(found),
            }
        }
    }

    /// Asks for a task to end. One that nobody works on ends at once, another one before its next
    /// batch; what it has done stays done.
    ///
    /// # Errors
    /// If it has ended already, or the caller may not.
    pub async fn cancel_task(&self, caller: &Caller, id: Uuid) -> Result<Task, EngineError> {
        let mut attempts = Attempts::new();
        loop {
            attempts.begin()?;
            let Kept { mut task, revision } = self.visible_task(caller, id).await?;
            // One's own tasks need no right, as starting them was allowed.
            if !task.by.is(&caller.subject) {
                self.allow_general(caller, GeneralRight::ManageTasks, Some(task.org()))?;
            }
            if task.status.has_ended() {
                let status = task.status;
                return Err(TaskError::Ended { id, status }.into());
            }
            // Asked for already: succeeds, so a retry after a lost answer is no error.
            if task.cancel_requested {
                return Ok(task);
            }
            task.cancel_requested = true;
            let mut write = AtomicWrite::new();
            // Nobody has claimed it, and the condition on its revision keeps it so: a runner that
            // claims it now loses the race, or this does.
            if task.status == Status::Queued {
                task.status = Status::Canceled;
                task.ended = Some(self.now());
                write.steps.extend(record::close_steps(id)?);
            }
            let condition = WriteCondition::RevisionIs(revision);
            write.steps.push(record::step(&task, condition)?);
            if unless_raced(self.commit(&keys::task(id)?, write).await)?.is_some() {
                return Ok(task);
            }
        }
    }

    /// The task once it has ended, or as it is when the time is over.
    ///
    /// # Errors
    /// As [`Resources::task`].
    pub async fn wait_for_task(
        &self,
        caller: &Caller,
        id: Uuid,
        at_most: Duration,
    ) -> Result<Task, EngineError> {
        let until = Instant::now() + at_most;
        let key = keys::task(id)?;
        loop {
            let span = KeySpan::between(&key, &key);
            // The watch comes first, so that nothing is missed between it and the look.
            let watch = self.store.watch(WatchRequest { span, from: None }).await;
            let mut watch = watch.ok();
            loop {
                let task = self.task(caller, id).await?;
                let now = Instant::now();
                if task.status.has_ended() || now >= until {
                    return Ok(task);
                }
                let look = tokio::time::sleep_until(until.min(now + LOOK_AGAIN));
                // Without a watch, or after it broke, the waiter looks now and then and tries to
                // watch again.
                let Some(events) = &mut watch else {
                    look.await;
                    break;
                };
                tokio::select! {
                    () = look => {}
                    // The event only wakes; the task is read again, so a watch that fell behind
                    // misses nothing.
                    event = events.next() => if !matches!(event, Some(Ok(_))) {
                        watch = None;
                    },
                }
            }
        }
    }

    async fn visible_task(&self, caller: &Caller, id: Uuid) -> Result<Kept, EngineError> {
        let kept = self.read_task(id, caller.at_least).await?;
        match kept {
            // A task that may not be seen does not exist: an id must not be found out by trying.
            Some(kept) if may_see(caller, &kept.task) => Ok(kept),
            // A task of somebody else answers as one that does not exist.
            _ => Err(TaskError::Unknown { id }.into()),
        }
    }

    pub async fn read_task(
        &self,
        id: Uuid,
        at_least: Option<coeval_storage::Token>,
    ) -> Result<Option<Kept>, EngineError> {
        let mut request = ReadRequest::keys([keys::task(id)?]);
        request.at_least = at_least;
        let snapshot = self.store.read(request).await?;
        let entry = snapshot.keys.into_iter().next().flatten();
        entry.map(|entry| record::decode(id, entry)).transpose()
    }
}

impl TaskQuery {
    /// All, a page of them.
    #[must_use]
    pub fn newest(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    fn fits(&self, task: &Task) -> bool {
        let operation = self.operation.as_ref();
        self.status.is_none_or(|status| status == task.status)
            && operation.is_none_or(|operation| *operation == task.operation)
            && (self.resource.is_none() || self.resource == task.about.resource)
    }
}

fn may_see(caller: &Caller, task: &Task) -> bool {
    let right = GeneralRight::ViewTasks;
    let subject = &caller.subject;
    task.by.is(subject) || coeval_access::decide_general(right, subject, Some(task.org())).is_ok()
}

/// The task that a key of one, or of an open one, names.
pub fn id_of(key: &Key) -> Option<Uuid> {
    keys::id_of_entry(key)
}
