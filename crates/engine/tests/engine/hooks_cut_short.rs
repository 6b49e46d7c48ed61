//! Hooks across the death of a server and the faults of a store: run at least once, and what follows
//! is written once.

use crate::faults::Nth;
use crate::hooks::{ALL, world_with};
use crate::invocations::{Fake, make, state_of};
use crate::jobs::{ended, quick, runner};
use crate::world::{World, admin, app, settings, v};
use coeval_engine::jobs::RunnerSettings;
use coeval_engine::lifecycle::{Executor, Hooks};
use coeval_engine::tasks::Status;
use coeval_engine::write::{Create, Deleted};
use coeval_engine::{AuditQuery, AuditRecord, Engine, Settings, State, Target, What};
use coeval_storage::layers::{FaultyStore, InjectedFault};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// A server is dropped in the middle of each hook of a deletion, and another goes on.
pub(crate) async fn what_a_dead_server_leaves_is_finished_once(mut world: World) {
    let (engine, fake) = world_with(&mut world, ALL).await;
    let id = make(&engine, "one", json!({"image": "web"})).await;
    let target = Target::Id(id);
    let done = engine.delete(&admin(), &app(), &target, None).await;
    let Ok(Deleted::Accepted(task)) = done else {
        panic!("{done:?}")
    };
    let generation = |engine: Arc<Engine>| async move {
        let target = Target::Id(id);
        let read = engine.get(&admin(), &app(), &target).await.unwrap();
        (read.header.state, read.header.generation)
    };
    assert_eq!(generation(Arc::clone(&engine)).await, (State::Resolved, 0));
    // Dies while PreDelete is under way.
    fake.take(Duration::from_secs(60));
    let first = runner(&engine, "one", quick());
    fake.was_asked(1).await;
    drop(first);
    assert_eq!(generation(Arc::clone(&engine)).await, (State::Resolved, 0));
    // PreDelete again, then the mark; dies while PostDelete is under way.
    fake.take(Duration::ZERO);
    fake.take_from(3, Duration::from_secs(60));
    let second = runner(&engine, "one", quick());
    fake.was_asked(3).await;
    drop(second);
    assert_eq!(
        generation(Arc::clone(&engine)).await,
        (State::InDeletion, 1)
    );
    // PostDelete again and no PreDelete; then it goes.
    fake.take(Duration::ZERO);
    let _third = runner(&engine, "one", quick());
    let task = ended(&engine, &task).await;
    assert_eq!((task.status, task.attempts()), (Status::Success, 3));
    assert_eq!(state_of(&engine, id).await, None);
    let asked = fake.asked();
    let hooks: Vec<_> = asked.iter().filter_map(|one| one.hook).collect();
    assert_eq!(
        hooks,
        ["PreDelete", "PreDelete", "PostDelete", "PostDelete"]
    );
    assert!(asked.iter().all(|one| one.task == task.id));
}

/// How often the audit tells of that for a resource.
async fn told(engine: &Engine, id: &str, what: What) -> usize {
    let query = AuditQuery {
        id: Some(id.to_owned()),
        ..AuditQuery::default()
    };
    let records = engine.audit(&admin(), &query, None, 500).await.unwrap();
    let of = |record: &&AuditRecord| record.deed.what == what;
    records.iter().filter(of).count()
}

pub(crate) async fn every_write_of_a_hooks_task_may_fail(mut world: World) {
    let (engine, _) = world_with(&mut world, ALL).await;
    let mut struck = 0;
    for fault in [
        InjectedFault::ErrorBefore,
        InjectedFault::ErrorAfter,
        InjectedFault::UnknownBefore,
    ] {
        for deletes in [false, true] {
            for nth in 1.. {
                let about = format!("{fault:?} {deletes} {nth}");
                let plan = Arc::new(Nth::of_writes(nth, fault));
                let faulty = FaultyStore::new(Arc::clone(engine.store()), Arc::clone(&plan) as _);
                let fake: Arc<dyn Executor> = Arc::new(Fake::default());
                let settings = Settings {
                    executors: vec![fake],
                    ..settings()
                };
                let worker = Arc::new(Engine::new(Arc::new(faulty), settings));
                let mut create = Create::new(v("1.0.0"), &about, json!({"image": "web"}));
                if deletes {
                    create.hooks = Hooks::Skip;
                }
                let task = if deletes {
                    let made = engine.create(&admin(), &app(), create).await.unwrap();
                    let target = Target::Id(made.resource.id);
                    let (by, of) = (admin(), app());
                    let done = engine.delete(&by, &of, &target, None);
                    match done.await {
                        Ok(Deleted::Accepted(task)) => *task,
                        other => panic!("{about}: {other:?}"),
                    }
                } else {
                    let (by, of) = (admin(), app());
                    let made = engine.create(&by, &of, create);
                    made.await.unwrap().task.unwrap()
                };
                let quick = RunnerSettings {
                    rest: Duration::from_millis(10),
                    ..quick()
                };
                let runner = runner(&worker, "one", quick);
                let task = ended(&engine, &task).await;
                runner.stop().await;
                assert_eq!(task.status, Status::Success, "{about}: {task:?}");
                let urn = task.about.resource.unwrap();
                let id = urn.rsplit(':').next().unwrap();
                let uuid = coeval_core::version::Uuid::parse(id).unwrap();
                let (left, what) = if deletes {
                    (None, What::Delete)
                } else {
                    (Some(State::Resolved), What::Resolve)
                };
                assert_eq!(state_of(&engine, uuid).await, left, "{about}");
                assert_eq!(told(&engine, id, what).await, 1, "{about}");
                if deletes {
                    assert_eq!(told(&engine, id, What::Update).await, 1, "{about}");
                }
                if !plan.has_struck() {
                    break;
                }
                struck += 1;
                assert!(nth < 20, "{about}: no end");
            }
        }
    }
    println!("{struck} faults");
    assert!(struck > 12, "{struck}");
}
