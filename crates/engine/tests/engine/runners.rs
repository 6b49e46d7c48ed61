//! Runners: several on one store, stopped, slow or gone in the middle of a task.

use crate::jobs::{
    LONG, ask, assert_each_moved_once, counts, ended, keys, make_many, quick, read, runner,
    with_two_majors,
};
use crate::world::{World, admin, v};
use coeval_codes::Coded;
use coeval_engine::jobs::{MigrateOptions, Pace, Pacing, RunnerSettings};
use coeval_engine::tasks::{Status, Task};
use coeval_engine::{Resource, Settings};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) async fn two_runners_move_every_resource_once(mut world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 120).await;
    let other = world.another(Settings::default()).await;
    let pace = Arc::new(Slow(Duration::from_millis(5)));
    let eager = RunnerSettings {
        // Shorter than a batch may take: they take it from each other all the time.
        abandoned_after: Duration::from_millis(60),
        poll: Duration::from_millis(10),
        pace: Some(pace),
        ..quick()
    };
    let _one = runner(&world.engine, "one", eager.clone());
    let _two = runner(&other, "two", eager);
    let task = ask(&world.engine, MigrateOptions::default()).await;
    let task = ended(&world.engine, &task).await;
    assert_eq!(task.status, Status::Success, "{task:?}");
    assert_eq!(counts(task.result.as_ref().unwrap()), [120, 0, 0, 0]);
    assert_each_moved_once(&world.engine, &made).await;
}

/// Waits before each batch.
#[derive(Debug)]
struct Slow(Duration);

impl Pace for Slow {
    fn before_batch(&self, _: &Task, _: Duration) -> Pacing {
        Pacing::After(self.0)
    }
}

/// Lets so many batches pass, then does this.
#[derive(Debug)]
struct From {
    batches: usize,
    asked: AtomicUsize,
    then: Pacing,
}

impl From {
    fn batch(batches: usize, then: Pacing) -> Arc<Self> {
        let asked = AtomicUsize::new(0);
        Arc::new(Self {
            batches,
            asked,
            then,
        })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Acquire)
    }

    async fn reached(&self) {
        while self.asked() <= self.batches {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

impl Pace for From {
    fn before_batch(&self, _: &Task, _: Duration) -> Pacing {
        match self.asked.fetch_add(1, Ordering::AcqRel) {
            n if n < self.batches => Pacing::Go,
            _ => self.then.clone(),
        }
    }
}

pub(crate) async fn a_runner_whose_claim_was_taken_writes_nothing_any_more(mut world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 60).await;
    let other = world.another(Settings::default()).await;
    // It does one batch and then sleeps for longer than its heart beats.
    let pace = From::batch(1, Pacing::After(Duration::from_millis(1_500)));
    let sleepy = RunnerSettings {
        abandoned_after: LONG,
        pace: Some(Arc::clone(&pace) as Arc<dyn Pace>),
        ..quick()
    };
    let _sleepy = runner(&world.engine, "sleepy", sleepy);
    let task = ask(&world.engine, MigrateOptions::default()).await;
    pace.reached().await;
    let taking = RunnerSettings {
        abandoned_after: Duration::from_millis(100),
        ..quick()
    };
    let _taker = runner(&other, "taker", taking);
    let done = ended(&world.engine, &task).await;
    assert_eq!(counts(done.result.as_ref().unwrap()), [60, 0, 0, 0]);
    let revisions = |made: Vec<Resource>| {
        let engine = Arc::clone(&world.engine);
        async move {
            let mut all = Vec::new();
            for one in &made {
                all.push(read(&engine, one.id).await.revision);
            }
            all
        }
    };
    let (before, asked) = (revisions(made.clone()).await, pace.asked());
    // The sleeper wakes up with a batch in its hands.
    tokio::time::sleep(Duration::from_millis(2_000)).await;
    assert_eq!(revisions(made.clone()).await, before);
    let after = world.engine.task(&admin(), task.id).await.unwrap();
    assert_eq!(after, done);
    assert_eq!(pace.asked(), asked, "it went on after its claim was gone");
    assert_each_moved_once(&world.engine, &made).await;
}

pub(crate) async fn an_abandoned_task_goes_on_from_its_last_batch(mut world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 120).await;
    let pace = From::batch(2, Pacing::Hold("enough".into()));
    let held = RunnerSettings {
        pace: Some(Arc::clone(&pace) as Arc<dyn Pace>),
        ..quick()
    };
    let first = runner(&world.engine, "first", held);
    let task = ask(&world.engine, MigrateOptions::default()).await;
    pace.reached().await;
    let said = |task: &Task| task.message.as_deref() == Some("enough");
    loop {
        let task = world.engine.task(&admin(), task.id).await.unwrap();
        if said(&task) {
            let done = task.progress.done;
            assert!(done > 0 && done < 120, "{done}");
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(first);
    let other = world.another(Settings::default()).await;
    let patient = RunnerSettings {
        abandoned_after: Duration::from_millis(300),
        ..quick()
    };
    let _second = runner(&other, "second", patient);
    let done = ended(&world.engine, &task).await;
    assert_eq!(done.status, Status::Success, "{done:?}");
    assert_eq!(counts(done.result.as_ref().unwrap()), [120, 0, 0, 0]);
    assert_each_moved_once(&world.engine, &made).await;
    assert_eq!(keys(&world.engine, "g/").await.len(), 0);
}

pub(crate) async fn a_runner_that_stops_gives_its_tasks_back(mut world: World) {
    with_two_majors(&world).await;
    let made = make_many(&world, 60).await;
    let pace = From::batch(1, Pacing::After(Duration::from_millis(20)));
    let settings = RunnerSettings {
        pace: Some(Arc::clone(&pace) as Arc<dyn Pace>),
        ..quick()
    };
    let first = runner(&world.engine, "first", settings);
    let task = ask(&world.engine, MigrateOptions::default()).await;
    pace.reached().await;
    first.stop().await;
    let given_back = world.engine.task(&admin(), task.id).await.unwrap();
    assert_eq!(
        (given_back.status, given_back.claim),
        (Status::Queued, None)
    );
    let other = world.another(Settings::default()).await;
    let _second = runner(&other, "second", quick());
    let done = ended(&world.engine, &task).await;
    assert_eq!(counts(done.result.as_ref().unwrap()), [60, 0, 0, 0]);
    assert_each_moved_once(&world.engine, &made).await;
}

pub(crate) async fn a_canceled_task_does_no_further_batch(world: World) {
    with_two_majors(&world).await;
    let engine = &world.engine;
    let made = make_many(&world, 120).await;
    // Nobody works on it: it ends at once.
    let queued = ask(engine, MigrateOptions::default()).await;
    let canceled = engine.cancel_task(&admin(), queued.id).await.unwrap();
    assert_eq!(canceled.status, Status::Canceled);
    let again = engine.cancel_task(&admin(), queued.id).await.unwrap_err();
    assert_eq!(again.code(), coeval_codes::TASK_ENDED);

    let pace = From::batch(2, Pacing::Hold("look first".into()));
    let settings = RunnerSettings {
        pace: Some(Arc::clone(&pace) as Arc<dyn Pace>),
        ..quick()
    };
    let _runner = runner(engine, "one", settings);
    let task = ask(engine, MigrateOptions::default()).await;
    pace.reached().await;
    let asked = engine.cancel_task(&admin(), task.id).await.unwrap();
    assert!(asked.cancel_requested);
    let done = ended(engine, &task).await;
    assert_eq!(done.status, Status::Canceled);
    let mut moved = 0;
    for one in &made {
        let now = read(engine, one.id).await;
        moved += u64::from(now.header.version == v("2.0.0"));
    }
    assert_eq!(moved, done.progress.done);
    assert!(moved > 0 && moved < 120, "{moved}");
}
