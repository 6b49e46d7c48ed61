//! Tasks with hooks: run the hook, then write what it means for the resource in one atomic write
//! with the task. A server that dies in between leaves the hook to be run again; what is written
//! is written once.

use crate::background::Background;
use crate::jobs::behave::GRACE;
use crate::jobs::job::{Batch, Job, Last, Run, Step};
use async_trait::async_trait;
use bytes::Bytes;
use coeval_access::{AccessLevel, ResourceAction};
use coeval_catalog::caller::Caller;
use coeval_core::types::HookPoint;
use coeval_core::version::Uuid;
use coeval_records::attempts::{Attempts, unless_raced};
use coeval_records::encode::encode_value;
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::header::State;
use coeval_records::keys::TypeKey;
use coeval_records::text::short;
use coeval_resources::lifecycle::hooks::{HookWork, name_of};
use coeval_resources::read::{Found, Target};
use coeval_resources::tasks::task::{Progress, Task};
use coeval_resources::write::request::{MetaEdit, Update};
use coeval_storage::{AtomicWrite, ReadRequest, Revision};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// The job of the tasks of one operation.
#[derive(Debug)]
pub(crate) struct HookedJob(pub &'static str);

/// How far it is; what is written is never done again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Checkpoint {
    /// It is marked for deletion, and this was its generation then.
    marked: Option<u64>,
    /// All is written.
    written: bool,
    /// Why the resource is not resolved, told by its task.
    failed: Option<String>,
}

struct HookedRun {
    background: Arc<Background>,
    caller: Caller,
    task: Uuid,
    attempt: u64,
    of: TypeKey,
    id: Uuid,
    work: HookWork,
    saved: Bytes,
    done: Checkpoint,
    /// What the batch under way makes of it.
    next: Option<(Checkpoint, Option<EngineError>)>,
    /// How the task ends, once all is written.
    error: Option<EngineError>,
    /// Hooks that this server has run, and how they ended.
    ran: Vec<(HookPoint, Option<EngineError>)>,
    attempts: Attempts,
}

#[async_trait]
impl Job for HookedJob {
    fn operation(&self) -> &'static str {
        self.0
    }

    async fn begin(
        &self,
        background: Arc<Background>,
        task: &Task,
        report: Bytes,
        _: usize,
    ) -> Result<Box<dyn Run>, EngineError> {
        let unreadable = |reason: &str| TaskError::Unreadable {
            id: task.id,
            reason: reason.to_owned(),
        };
        let work =
            HookWork::deserialize(&task.input).map_err(|error| unreadable(&error.to_string()))?;
        let of = task.about.of.as_deref().and_then(TypeKey::parse);
        let of = of.ok_or_else(|| unreadable("it names no type"))?;
        let urn = task.about.resource.as_deref().unwrap_or_default();
        let id = urn.rsplit(':').next().and_then(Uuid::parse);
        let done = match &task.checkpoint {
            Value::Null => Checkpoint::default(),
            checkpoint => Checkpoint::deserialize(checkpoint)
                .map_err(|error| unreadable(&error.to_string()))?,
        };
        Ok(Box::new(HookedRun {
            background,
            caller: task.by.caller(),
            task: task.id,
            attempt: task.attempts(),
            of,
            id: id.ok_or_else(|| unreadable("it names no resource"))?,
            work,
            saved: report,
            done,
            next: None,
            error: None,
            ran: Vec::new(),
            attempts: Attempts::new(),
        }))
    }
}

impl HookedRun {
    /// The resource as the caller may see it now.
    async fn find(&self, action: ResourceAction) -> Result<Found, EngineError> {
        let target = Target::Id(self.id);
        self.background
            .find(&self.caller, &self.of, &target, action)
            .await
    }

    /// The resource as its type's own hooks see it, whoever may see what.
    async fn whole(&self) -> Result<Found, EngineError> {
        let fetched = self
            .background
            .fetch(&self.of, self.id, ReadRequest::default());
        let mut fetched = fetched.await?;
        fetched.turn_to_truth()?;
        let gone = || EngineError::no_resource(format!("{} {}", self.of, self.id));
        let stored = fetched.stored.take().ok_or_else(gone)?;
        Ok(Found {
            fetched,
            stored,
            level: AccessLevel::FullControl,
        })
    }

    /// Runs a hook, unless this server has done so already. `None`: it went well, or there is none.
    async fn run(&mut self, hook: HookPoint) -> Result<Option<EngineError>, EngineError> {
        // After a lost race the step is made again; the hook has had its effect, and is not.
        if let Some((_, ended)) = self.ran.iter().find(|(ran, _)| *ran == hook) {
            return Ok(ended.clone());
        }
        let found = self.whole().await?;
        let state = Arc::clone(&found.fetched.state);
        let version = found.stored.header.version;
        let Some(one) = self.background.hook(&state, version, hook).await? else {
            return Ok(None);
        };
        let mut invocation = self
            .background
            .invocation_on(&self.caller, found, &one)
            .await?;
        invocation.task = self.task;
        invocation.attempt = self.attempt;
        invocation.hook = Some(name_of(hook));
        let ended = self.background.execute(&invocation).await;
        let ended = ended.err().map(EngineError::from);
        self.ran.push((hook, ended.clone()));
        Ok(ended)
    }

    /// Writes this with the checkpoint that follows it.
    fn batch(
        &mut self,
        write: AtomicWrite,
        next: Checkpoint,
        error: Option<EngineError>,
    ) -> Result<Step, EngineError> {
        let checkpoint = encode_value("a checkpoint", &next)?;
        self.next = Some((next, error));
        Ok(Step::Batch(Batch {
            steps: write.steps,
            checkpoint,
            progress: Progress {
                done: 1,
                total: Some(2),
            },
            report: None,
        }))
    }

    fn all_written() -> Checkpoint {
        Checkpoint {
            written: true,
            ..Checkpoint::default()
        }
    }

    /// Made: resolved after the hook, or not.
    async fn created(&mut self) -> Result<Step, EngineError> {
        let failed = self.run(HookPoint::PostCreate).await?;
        let planned = self
            .background
            .plan_settle(&self.caller, &self.of, self.id, failed.as_ref());
        let settled = planned.await?;
        let mut next = Self::all_written();
        next.failed = settled
            .error
            .as_ref()
            .map(|error| short(&error.to_string()));
        self.batch(settled.write, next, settled.error)
    }

    /// A change that waited for a hook.
    async fn update(&mut self) -> Result<Step, EngineError> {
        if let Some(error) = self.run(HookPoint::PreDelete).await? {
            return Err(error);
        }
        // As it was sent: it is put onto what is stored by now.
        let update = self.background.saved_update(self.task, &self.saved)?;
        // After the hook, which takes its time: access may have been lost since.
        let found = self.find(ResourceAction::Modify).await?;
        let planned = self.background.plan_update(&self.caller, &found, &update);
        let write = planned.await?.write;
        self.batch(write, Self::all_written(), None)
    }

    /// A deletion: marked first if a hook is to follow, so that its failure leaves the mark.
    async fn delete(&mut self, revision: Option<Revision>) -> Result<Step, EngineError> {
        let found = match self.find(ResourceAction::Delete).await {
            Ok(found) => found,
            // Gone already: whoever was faster, it is as it was asked for.
            Err(EngineError::NotFound { .. }) => return Ok(Step::Done(Value::Null)),
            Err(error) => return Err(error),
        };
        let (state, version) = (
            Arc::clone(&found.fetched.state),
            found.stored.header.version,
        );
        let begun = found.stored.header.state == State::InDeletion;
        // Once marked, whoever did it, the hook before the deletion is behind.
        if self.done.marked.is_none()
            && !begun
            && let Some(error) = self.run(HookPoint::PreDelete).await?
        {
            return Err(error);
        }
        let after = self
            .background
            .hook(&state, version, HookPoint::PostDelete)
            .await?;
        if after.is_none() {
            let found = self.find(ResourceAction::Delete).await?;
            return self.gone(&found, revision).await;
        }
        // Again, because the hook may have written the resource.
        let found = self.find(ResourceAction::Delete).await?;
        if found.stored.header.state != State::InDeletion {
            return self.mark(&found, revision).await;
        }
        // The mark is somebody else's: a revision that the caller named has to be this one.
        if self.done.marked.is_none() {
            stale(&found, revision)?;
        }
        if let Some(error) = self.run(HookPoint::PostDelete).await? {
            return Err(error);
        }
        let found = self.find(ResourceAction::Delete).await?;
        let named = match (self.done.marked, revision) {
            // By now it has the revision of the mark, unless somebody changed it.
            (Some(generation), Some(_)) if generation == found.stored.header.generation => None,
            (_, revision) => revision,
        };
        self.gone(&found, named).await
    }

    async fn mark(
        &mut self,
        found: &Found,
        revision: Option<Revision>,
    ) -> Result<Step, EngineError> {
        let version = found.stored.header.version;
        let update = Update {
            content: None,
            revision,
            meta: MetaEdit {
                state: Some(State::InDeletion),
                ..MetaEdit::default()
            },
            ..Update::new(version, Value::Null)
        };
        let planned = self
            .background
            .plan_update(&self.caller, found, &update)
            .await?;
        let next = Checkpoint {
            marked: Some(planned.after.header.generation),
            ..Checkpoint::default()
        };
        self.batch(planned.write, next, None)
    }

    async fn gone(
        &mut self,
        found: &Found,
        revision: Option<Revision>,
    ) -> Result<Step, EngineError> {
        let planned = self
            .background
            .plan_delete(&self.caller, found, revision, false);
        let (_, write) = planned.await?;
        self.batch(write, Self::all_written(), None)
    }
}

/// The caller named another revision.
fn stale(found: &Found, revision: Option<Revision>) -> Result<(), EngineError> {
    match revision {
        Some(said) if said != found.stored.revision => Err(EngineError::Conflict {
            current: found.stored.revision,
            paths: Vec::new(),
        }),
        _ => Ok(()),
    }
}

#[async_trait]
impl Run for HookedRun {
    async fn step(&mut self, last: Last) -> Result<Step, EngineError> {
        match (last, self.next.take()) {
            (Last::Written, Some((done, error))) => {
                self.done = done;
                self.error = error;
                self.attempts = Attempts::new();
            }
            (Last::Refused(error), Some(_)) => {
                // Planned again from what is stored now, a bounded number of times.
                unless_raced(Err::<(), _>(error))?;
                self.attempts.begin()?;
            }
            _ => {}
        }
        // An error that the task ends with now undoes nothing of it.
        if self.done.written {
            return match (self.error.take(), self.done.failed.take()) {
                (Some(error), _) => Err(error),
                (None, Some(message)) => {
                    Err(coeval_records::error::behaviors::BehaviorError::from(
                        coeval_records::error::behaviors::ExecutionError::Failed { message },
                    )
                    .into())
                }
                (None, None) => Ok(Step::Done(json!(null))),
            };
        }
        match self.work.clone() {
            HookWork::Created => self.created().await,
            HookWork::Updated => match self.run(HookPoint::PostUpdate).await? {
                Some(error) => Err(error),
                None => Ok(Step::Done(Value::Null)),
            },
            HookWork::Update => self.update().await,
            HookWork::Delete { revision } => {
                let revision = revision.as_deref().map(Revision::from_opaque);
                self.delete(revision).await
            }
        }
    }

    fn grace(&self) -> Option<Duration> {
        Some(GRACE)
    }
}
