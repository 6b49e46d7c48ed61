//! The runner with jobs that break off, wait, or want too much.

use crate::background::Background;
use crate::jobs::job::{Batch, Job, Last, Run, Step};
use crate::jobs::runner::{JobRunner, RunnerSettings};
use crate::settings::Settings;
use async_trait::async_trait;
use bytes::Bytes;
use coeval_access::{AccessSubject, Rights};
use coeval_catalog::caller::Caller;
use coeval_records::audit::{Deed, What};
use coeval_records::error::EngineError;
use coeval_records::keys::{self, TypeKey};
use coeval_records::task_status::Status;
use coeval_resources::task_calls::NewTask;
use coeval_resources::tasks::task::{About, Progress, Task};
use coeval_storage::{AtomicWrite, Key, StorageError};
use coeval_storage_sqlite::{SqliteOptions, SqliteStore};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

const LATE: Duration = Duration::from_millis(800);

/// The key that a late job writes.
fn evidence() -> Key {
    keys::own("evidence").unwrap()
}

/// What the next step of a job does.
#[derive(Clone, Copy, Debug)]
enum Act {
    Count,
    Wait,
    /// Takes its time, and then writes a key.
    Late,
    BreakOff,
    Fail,
    HugeResult,
    HugeCheckpoint,
    Done,
}

/// A job that does what it was made for, step by step.
#[derive(Debug)]
struct Scripted(&'static [Act]);

struct ScriptedRun {
    acts: &'static [Act],
    at: usize,
}

#[async_trait]
impl Job for Scripted {
    fn operation(&self) -> &'static str {
        "scripted"
    }

    async fn begin(
        &self,
        _: Arc<Background>,
        task: &Task,
        _: Bytes,
        _: usize,
    ) -> Result<Box<dyn Run>, EngineError> {
        let at = task.checkpoint["at"].as_u64().unwrap_or_default();
        let at = usize::try_from(at).unwrap();
        Ok(Box::new(ScriptedRun { acts: self.0, at }))
    }
}

#[async_trait]
impl Run for ScriptedRun {
    async fn step(&mut self, last: Last) -> Result<Step, EngineError> {
        assert!(!matches!(last, Last::Refused(_)), "{last:?}");
        let act = self.acts[self.at];
        self.at += 1;
        let batch = |checkpoint: Value, done| {
            Step::Batch(Batch {
                steps: Vec::new(),
                checkpoint,
                progress: Progress {
                    done,
                    total: Some(10),
                },
                report: None,
            })
        };
        Ok(match act {
            Act::Count => batch(json!({"at": self.at}), self.at as u64),
            Act::Wait => Step::Wait(Duration::from_millis(400), "not yet".to_owned()),
            Act::Late => {
                tokio::time::sleep(LATE).await;
                let mut late = batch(json!({"at": self.at}), 7);
                if let Step::Batch(batch) = &mut late {
                    let write = AtomicWrite::new().put(&evidence(), vec![1]);
                    batch.steps = write.steps;
                }
                late
            }
            Act::BreakOff => panic!("on purpose"),
            Act::Fail => return Err(EngineError::RevisionNeeded),
            Act::HugeResult => Step::Done(json!("x".repeat(400_000))),
            Act::HugeCheckpoint => batch(json!("x".repeat(20_000)), 1),
            Act::Done => Step::Done(json!("done")),
        })
    }
}

struct World {
    background: Arc<Background>,
    _folder: tempfile::TempDir,
}

async fn world() -> World {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::at(folder.path().join("coeval.db"));
    let store = SqliteStore::open(options).await.unwrap();
    World {
        background: Arc::new(Background::new(Arc::new(store), Settings::default())),
        _folder: folder,
    }
}

fn caller() -> Caller {
    let subject = AccessSubject::provider("p", "sys", Vec::new(), Rights::everything());
    Caller::new(Arc::new(subject))
}

async fn submit(world: &World) -> Task {
    let new = NewTask {
        operation: "scripted",
        description: "a test".to_owned(),
        of: &TypeKey::new("acme", "app"),
        about: About::default(),
        input: Value::Null,
        deed: Deed::other(What::Migrate, "acme:app"),
    };
    world.background.submit(&caller(), new).await.unwrap()
}

fn runner(world: &World, acts: &'static [Act]) -> JobRunner {
    let settings = RunnerSettings {
        poll: Duration::from_millis(50),
        ..RunnerSettings::default()
    };
    let jobs: Vec<Arc<dyn Job>> = vec![Arc::new(Scripted(acts))];
    JobRunner::with_jobs(Arc::clone(&world.background), "server", settings, jobs)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_end_of_a_job_is_an_end_of_its_task() {
    let cases: [(&'static [Act], Status, Option<coeval_codes::Code>); 5] = [
        (&[Act::Count, Act::Done], Status::Success, None),
        (
            &[Act::Count, Act::BreakOff],
            Status::Aborted,
            Some(coeval_codes::TASK_ABORTED),
        ),
        (
            &[Act::Fail],
            Status::Error,
            Some(coeval_codes::REVISION_NEEDED),
        ),
        (
            &[Act::HugeResult],
            Status::Error,
            Some(coeval_codes::TASK_TOO_LARGE),
        ),
        (
            &[Act::HugeCheckpoint, Act::Done],
            Status::Error,
            Some(coeval_codes::TASK_TOO_LARGE),
        ),
    ];
    for (acts, status, code) in cases {
        let world = world().await;
        let _runner = runner(&world, acts);
        let task = submit(&world).await;
        let long = Duration::from_secs(30);
        let task = world
            .background
            .wait_for_task(&caller(), task.id, long)
            .await
            .unwrap();
        assert_eq!(task.status, status, "{acts:?}: {task:?}");
        let said = task.error.map(|error| error.code);
        assert_eq!(said, code.map(|code| code.to_string()), "{acts:?}");
        assert!(task.ended.is_some() && task.claim.is_none());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_waits_says_why_and_goes_on() {
    let world = world().await;
    let _runner = runner(&world, &[Act::Count, Act::Wait, Act::Count, Act::Done]);
    let task = submit(&world).await;
    let mut said = None;
    for _ in 0..1_000 {
        let now = world.background.task(&caller(), task.id).await.unwrap();
        said = said.or(now.message);
        if now.status.has_ended() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let now = world.background.task(&caller(), task.id).await.unwrap();
    assert_eq!(now.status, Status::Success);
    assert_eq!(said.as_deref(), Some("not yet"));
    assert_eq!((now.message, now.progress.done), (None, 3));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_job_that_this_release_does_not_have_is_left_to_others() {
    let world = world().await;
    let settings = RunnerSettings::default();
    let _old = JobRunner::with_jobs(Arc::clone(&world.background), "old", settings, Vec::new());
    let task = submit(&world).await;
    let short = Duration::from_millis(300);
    let waiting = world
        .background
        .wait_for_task(&caller(), task.id, short)
        .await;
    assert_eq!(waiting.unwrap().status, Status::Queued);
    let _new = runner(&world, &[Act::Done]);
    let long = Duration::from_secs(30);
    let done = world
        .background
        .wait_for_task(&caller(), task.id, long)
        .await;
    assert_eq!(done.unwrap().status, Status::Success);
}

/// A runner that was only slow comes back after another one has taken its task and ended it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_a_lost_claim_is_not_written() {
    let long = Duration::from_secs(30);
    for lost in [false, true] {
        let world = world().await;
        let background = &world.background;
        let start = |name, acts, abandoned_after| {
            let settings = RunnerSettings {
                abandoned_after,
                poll: Duration::from_millis(20),
                ..RunnerSettings::default()
            };
            let jobs: Vec<Arc<dyn Job>> = vec![Arc::new(Scripted(acts))];
            JobRunner::with_jobs(Arc::clone(background), name, settings, jobs)
        };
        let _slow = start("slow", &[Act::Late, Act::Done], long);
        let task = submit(&world).await;
        while background
            .task(&caller(), task.id)
            .await
            .unwrap()
            .claim
            .is_none()
        {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let _fast = lost.then(|| start("fast", &[Act::Done], Duration::from_millis(100)));
        let done = background
            .wait_for_task(&caller(), task.id, long)
            .await
            .unwrap();
        assert_eq!(done.status, Status::Success);
        tokio::time::sleep(2 * LATE).await;
        let written = background.store().get(&evidence()).await;
        let after = background.task(&caller(), task.id).await.unwrap();
        assert_eq!(after, done);
        if lost {
            assert!(matches!(written, Err(StorageError::NotFound { .. })));
            assert_eq!((after.progress.done, after.claims), (0, 2));
        } else {
            assert!(written.is_ok());
            assert_eq!((after.progress.done, after.claims), (7, 1));
        }
    }
}
