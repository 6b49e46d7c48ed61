//! What a job is to the runner: a maker of batches, each with the checkpoint that follows it.

use crate::background::Background;
use async_trait::async_trait;
use bytes::Bytes;
use coeval_records::error::EngineError;
use coeval_resources::tasks::task::{Progress, Task};
use coeval_storage::{Key, StorageError, WriteStep as KeyStep};
use serde_json::Value;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// A kind of job.
#[async_trait]
pub trait Job: Send + Sync + Debug {
    /// The operation of its tasks.
    fn operation(&self) -> &'static str;

    /// Begins, or goes on from the task's checkpoint. `report` is what was reported so far, `abreast`
    /// how many batches may go ahead at once.
    async fn begin(
        &self,
        background: Arc<Background>,
        task: &Task,
        report: Bytes,
        abreast: usize,
    ) -> Result<Box<dyn Run>, EngineError>;
}

/// A job under way on this server. Nothing in it is kept but what its batches say.
#[async_trait]
pub trait Run: Send {
    /// What comes next, after what became of the batch before.
    async fn step(&mut self, last: Last) -> Result<Step, EngineError>;

    /// What became of each batch that went ahead; how far it is now. The next step follows.
    fn went(&mut self, _: Vec<Result<(), StorageError>>) -> Result<Progress, EngineError> {
        Ok(Progress::default())
    }

    /// How long a server that stops waits for a step before it gives the task back in the middle of
    /// it; nothing: until it is done.
    fn grace(&self) -> Option<Duration> {
        None
    }
}

/// What became of a batch.
#[derive(Debug)]
pub enum Last {
    /// There was none.
    None,
    /// It is written.
    Written,
    /// Nothing of it is written: somebody else was faster at this.
    Refused(StorageError),
}

/// What a run does next.
#[derive(Debug)]
pub enum Step {
    /// Write this.
    Batch(Batch),
    /// Write these side by side, each by itself, as long as the task is this server's. A batch with
    /// the checkpoint follows in its own time; until then the slots of the task tell what was done.
    Ahead(Vec<Ahead>),
    /// Nothing for so long, and why.
    Wait(Duration, String),
    /// All is done; this came out.
    Done(Value),
}

/// Keys to write ahead of the checkpoint.
#[derive(Debug)]
pub struct Ahead {
    /// A key that is put among them: it tells whether they were written.
    pub head: Key,
    pub steps: Vec<KeyStep>,
}

/// Keys to write, in one atomic write with the task: its checkpoint is true whenever it is read.
#[derive(Debug)]
pub struct Batch {
    pub steps: Vec<KeyStep>,
    /// From where to go on after this batch.
    pub checkpoint: Value,
    pub progress: Progress,
    /// All that is reported by now, if this batch adds to it.
    pub report: Option<Bytes>,
}

/// What a batch leaves to the runner of the limits of an atomic write: the task and its report.
pub mod room {
    /// Conditions.
    pub(crate) const CONDITIONS: usize = 1;
    /// Actions.
    pub(crate) const ACTIONS: usize = 2;
    /// Bytes of keys.
    pub(crate) const KEYS: usize = 256;
    /// Bytes of values.
    pub(crate) const VALUES: usize = 400 * 1024;
}

/// Whether a task may go on now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// At once.
    Go,
    /// After this long.
    After(Duration),
    /// Not until further notice, and why.
    Hold(String),
}

/// Decides how fast tasks go: asked before each batch.
pub trait Pace: Send + Sync + Debug + 'static {
    /// `last` is how long the batch before took to be written.
    fn before_batch(&self, task: &Task, last: Duration) -> Pacing;
}
