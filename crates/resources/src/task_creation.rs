//! The task that tells of a resource that is made: it runs until the resource is resolved.

use crate::resources::Resources;
use crate::tasks::by::By;
use crate::tasks::record::{self, draw_task_id};
use crate::tasks::task::{About, Progress, Task, TaskFailure};
use coeval_catalog::caller::Caller;
use coeval_core::version::Uuid;
use coeval_records::error::EngineError;
use coeval_records::header::{Header, State};
use coeval_records::keys::TypeKey;
use coeval_records::task_status::Status;
use coeval_storage::{WriteCondition, WriteStep};
use serde_json::Value;

/// The operation of these tasks.
pub const CREATE: &str = "createDefinedEntity";

impl Resources {
    /// The task of a resource that is about to be made. No runner works on it.
    pub fn announce(
        &self,
        caller: &Caller,
        of: &TypeKey,
        id: Uuid,
        header: &mut Header,
    ) -> Result<Task, EngineError> {
        let now = self.now();
        let urn = crate::resource::urn(of, id);
        let mut task = Task {
            id: draw_task_id(now)?,
            operation: CREATE.to_owned(),
            description: format!("Creating {}({urn})", header.name),
            by: By::of(caller, of),
            about: About {
                of: Some(of.to_string()),
                version: Some(header.version.to_string()),
                resource: Some(urn),
            },
            status: Status::Running,
            created: now,
            started: Some(now),
            ended: None,
            progress: Progress {
                done: 1,
                total: Some(100),
            },
            message: None,
            error: None,
            result: None,
            input: Value::Null,
            checkpoint: Value::Null,
            cancel_requested: false,
            claim: None,
            claims: 0,
        };
        // Only `PRE_CREATED` waits for somebody; else the outcome is known now, and the task ends
        // in the write that creates it.
        match header.state {
            State::PreCreated => header.creation = Some(task.id.to_string()),
            _ => end(&mut task, header, now),
        }
        Ok(task)
    }

    /// The step that ends the task of a resource's creation, if one still runs. The header forgets
    /// it.
    pub async fn end_of_creation(
        &self,
        header: &mut Header,
    ) -> Result<Option<WriteStep>, EngineError> {
        let id = header.creation.take().and_then(|id| Uuid::parse(&id));
        let Some(id) = id else {
            return Ok(None);
        };
        // Tasks are removed some time after they end; a resource may outlive the one of its
        // creation.
        let Some(kept) = self.read_task(id, None).await? else {
            return Ok(None);
        };
        let mut task = kept.task;
        if task.status.has_ended() {
            return Ok(None);
        }
        if !task.input.is_null() {
            // It has a hook to run, and ends with that.
            header.creation = Some(id.to_string());
            return Ok(None);
        }
        end(&mut task, header, self.now());
        Ok(Some(record::step(
            &task,
            WriteCondition::RevisionIs(kept.revision),
        )?))
    }
}

impl Resources {
    /// The step that cancels the task of a creation, if one still runs, because its resource is
    /// deleted.
    pub async fn creation_called_off(
        &self,
        header: &Header,
    ) -> Result<Option<WriteStep>, EngineError> {
        let id = header.creation.as_deref().and_then(Uuid::parse);
        let Some(id) = id else {
            return Ok(None);
        };
        let Some(kept) = self.read_task(id, None).await? else {
            return Ok(None);
        };
        let mut task = kept.task;
        if task.status.has_ended() {
            return Ok(None);
        }
        task.ended = Some(self.now());
        task.status = Status::Canceled;
        task.message = Some("the resource was deleted before it was resolved".to_owned());
        let condition = WriteCondition::RevisionIs(kept.revision);
        Ok(Some(record::step(&task, condition)?))
    }
}

/// Ends it as its resource stands.
fn end(task: &mut Task, header: &Header, now: i64) {
    task.ended = Some(now);
    task.progress.done = 100;
    match header.state {
        State::ResolutionError => {
            task.status = Status::Error;
            task.error = Some(TaskFailure {
                code: coeval_codes::CONTENT_INVALID.to_string(),
                message: header.message.clone().unwrap_or_default(),
            });
        }
        State::PreCreated | State::Resolved | State::InDeletion => {
            task.status = Status::Success;
        }
    }
}
