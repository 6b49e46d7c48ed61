//! Running a behavior that was invoked: once for each claim of its task.

use super::job::{Job, Last, Run, Step};
use crate::caller::Caller;
use crate::engine::Engine;
use crate::error::EngineError;
use crate::keys::TypeKey;
use crate::lifecycle::{Asked, EXECUTE, Invocation, Subject};
use crate::read::Target;
use crate::tasks::{Task, TaskError};
use async_trait::async_trait;
use bytes::Bytes;
use coeval_access::ResourceAction;
use coeval_core::types::InterfaceId;
use coeval_core::version::{Uuid, Version};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a server that stops waits for an execution before it leaves it to another.
pub(super) const GRACE: Duration = Duration::from_secs(10);

/// The job of these tasks.
#[derive(Debug)]
pub(super) struct BehaviorJob;

struct BehaviorRun {
    engine: Arc<Engine>,
    caller: Caller,
    task: Uuid,
    attempt: u64,
    asked: Asked,
    given: Given,
}

/// What the caller gave it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Given {
    arguments: Value,
    metadata: Value,
}

#[async_trait]
impl Job for BehaviorJob {
    fn operation(&self) -> &'static str {
        EXECUTE
    }

    async fn begin(
        &self,
        engine: Arc<Engine>,
        task: &Task,
        report: Bytes,
        _: usize,
    ) -> Result<Box<dyn Run>, EngineError> {
        let unreadable = |error: serde_json::Error| TaskError::Unreadable {
            id: task.id,
            reason: error.to_string(),
        };
        Ok(Box::new(BehaviorRun {
            engine,
            caller: task.by.caller(),
            task: task.id,
            attempt: task.attempts(),
            asked: Asked::deserialize(&task.input).map_err(unreadable)?,
            given: serde_json::from_slice(&report).map_err(unreadable)?,
        }))
    }
}

impl BehaviorRun {
    async fn invocation(&self) -> Result<Invocation, EngineError> {
        let unreadable = || TaskError::Unreadable {
            id: self.task,
            reason: "what it is invoked on can't be read".to_owned(),
        };
        match &self.asked.subject {
            Subject::Resource { of, id } => {
                let of = TypeKey::parse(of).ok_or_else(unreadable)?;
                let id = Uuid::parse(id).ok_or_else(unreadable)?;
                let target = Target::Id(id);
                let found = self
                    .engine
                    .find(&self.caller, &of, &target, ResourceAction::Read);
                let found = found.await?;
                let state = Arc::clone(&found.fetched.state);
                let version = found.stored.header.version;
                let one = self
                    .engine
                    .behavior_of(&state, version, &self.asked.behavior);
                let one = one.await?;
                self.engine.invocation_on(&self.caller, found, &one).await
            }
            Subject::Interface(vendor, nss, version) => {
                let of = InterfaceId {
                    vendor: vendor.clone(),
                    nss: nss.clone(),
                    version: Version::parse_full(version).map_err(|_| unreadable())?,
                };
                let behavior = &self.asked.behavior;
                let one = self.engine.behavior_of_interface(&of, behavior).await?;
                Ok(crate::lifecycle::bare(&one))
            }
        }
    }
}

#[async_trait]
impl Run for BehaviorRun {
    async fn step(&mut self, _: Last) -> Result<Step, EngineError> {
        let mut invocation = self.invocation().await?;
        invocation.task = self.task;
        invocation.attempt = self.attempt;
        invocation.arguments = std::mem::take(&mut self.given.arguments);
        invocation.metadata = std::mem::take(&mut self.given.metadata);
        Ok(Step::Done(self.engine.execute(&invocation).await?))
    }

    fn grace(&self) -> Option<Duration> {
        Some(GRACE)
    }
}
