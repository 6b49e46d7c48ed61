//! What executes behaviors is outside of the engine: this is all that it has to know.

use async_trait::async_trait;
use coeval_core::types::limits::CONTENT_DEPTH;
use coeval_core::types::{BodyLimits, read_body};
use coeval_core::version::Uuid;
use coeval_records::error::behaviors::ExecutionError;
use serde_json::Value;
use std::fmt;

/// Executes one kind of behavior.
#[async_trait]
pub trait Executor: Send + Sync + fmt::Debug {
    /// The `type` of the executions that it knows.
    fn kind(&self) -> &'static str;

    /// Whether an execution is complete, before anything is done.
    ///
    /// # Errors
    /// If it never could be executed.
    fn check(&self, execution: &Value) -> Result<(), ExecutionError>;

    /// Executes. The same invocation may come again with a higher attempt, also from another
    /// server, if nobody knows whether it was done.
    ///
    /// # Errors
    /// If it failed, or nobody knows.
    async fn execute(&self, invocation: &Invocation) -> Result<Value, ExecutionError>;
}

/// A behavior to be executed.
#[derive(Clone)]
pub struct Invocation {
    /// The task: the same for every attempt.
    pub task: Uuid,
    /// From 1 on.
    pub attempt: u64,
    /// The behavior's id at its interface.
    pub behavior: String,
    /// How it is executed; with its keys, so it is never printed.
    pub execution: Value,
    /// The hook that it runs for, if it was not asked for.
    pub hook: Option<&'static str>,
    /// `urn:vcloud:entity:…`; nothing for a behavior of an interface alone.
    pub entity_id: Option<String>,
    /// `urn:vcloud:type:…`
    pub type_id: Option<String>,
    /// What the caller gave it.
    pub arguments: Value,
    /// What the caller says beside that.
    pub metadata: Value,
    /// The content, as the caller sees it.
    pub entity: Value,
}

impl fmt::Debug for Invocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Invocation")
            .field("task", &self.task)
            .field("attempt", &self.attempt)
            .field("behavior", &self.behavior)
            .field("entity_id", &self.entity_id)
            .finish_non_exhaustive()
    }
}

/// The most bytes of an answer.
pub const LONGEST_ANSWER: usize = 384 * 1024;

/// An answer that must be JSON, read as strictly as the body of a write.
///
/// # Errors
/// If it is too large, too deep or no JSON.
pub fn read_answer(bytes: &[u8]) -> Result<Value, ExecutionError> {
    let limits = BodyLimits {
        bytes: LONGEST_ANSWER,
        depth: CONTENT_DEPTH,
    };
    read_body(bytes, limits).map_err(|error| ExecutionError::Answer {
        reason: error.to_string(),
    })
}
