//! Running a behavior that was invoked: once for each claim of its task.

use crate::background::Background;
use crate::jobs::job::{Job, Last, Run, Step};
use async_trait::async_trait;
use bytes::Bytes;
use coeval_access::ResourceAction;
use coeval_catalog::caller::Caller;
use coeval_core::types::InterfaceId;
use coeval_core::version::{Uuid, Version};
use coeval_records::error::EngineError;
use coeval_records::error::tasks::TaskError;
use coeval_records::keys::TypeKey;
use coeval_resources::executor::Invocation;
use coeval_resources::lifecycle::invoke::{Asked, EXECUTE, Subject};
use coeval_resources::read::Target;
use coeval_resources::tasks::task::Task;
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long a server that stops waits for an execution before it leaves it to another.
pub(crate) const GRACE: Duration = Duration::from_secs(10);

/// The job of these tasks.
#[derive(Debug)]
pub(crate) struct BehaviorJob;

struct BehaviorRun {
    background: Arc<Background>,
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
        background: Arc<Background>,
        task: &Task,
        report: Bytes,
        _: usize,
    ) -> Result<Box<dyn Run>, EngineError> {
        let unreadable = |error: serde_json::Error| TaskError::Unreadable {
            id: task.id,
            reason: error.to_string(),
        };
        Ok(Box::new(BehaviorRun {
            background,
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
                // As the caller, at this moment: whoever lost access since the invocation is
                // refused.
                let target = Target::Id(id);
                let found = self
                    .background
                    .find(&self.caller, &of, &target, ResourceAction::Read);
                let found = found.await?;
                let state = Arc::clone(&found.fetched.state);
                let version = found.stored.header.version;
                let one = self
                    .background
                    .behavior_of(&state, version, &self.asked.behavior);
                let one = one.await?;
                self.background
                    .invocation_on(&self.caller, found, &one)
                    .await
            }
            Subject::Interface(vendor, nss, version) => {
                let of = InterfaceId {
                    vendor: vendor.clone(),
                    nss: nss.clone(),
                    version: Version::parse_full(version).map_err(|_| unreadable())?,
                };
                let behavior = &self.asked.behavior;
                let one = self.background.behavior_of_interface(&of, behavior).await?;
                Ok(coeval_resources::lifecycle::invoke::bare(&one))
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
        // Taken and not cloned: such a run has one step.
        invocation.arguments = std::mem::take(&mut self.given.arguments);
        invocation.metadata = std::mem::take(&mut self.given.metadata);
        Ok(Step::Done(self.background.execute(&invocation).await?))
    }

    fn grace(&self) -> Option<Duration> {
        Some(GRACE)
    }
}
