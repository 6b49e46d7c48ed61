//! Every step of a write goes wrong once, in every way: what was refused is not there, what was
//! acknowledged is, and nothing is half done.

use crate::world::{World, admin, app, app_1_0, app_1_1, v};
use coeval_engine::inspect::Repair;
use coeval_engine::types::Registration;
use coeval_engine::write::{Create, Update};
use coeval_engine::{Engine, EngineError, Settings, Target};
use coeval_storage::StorageError;
use coeval_storage::layers::{FaultPlan, FaultyStore, InjectedFault};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The operation of that number goes wrong so.
#[derive(Debug)]
pub(crate) struct Nth {
    left: AtomicUsize,
    fault: InjectedFault,
    writes: bool,
    hit: AtomicUsize,
}

impl Nth {
    /// The write of that number.
    pub(crate) fn of_writes(nth: usize, fault: InjectedFault) -> Self {
        Self {
            left: AtomicUsize::new(nth),
            fault,
            writes: true,
            hit: AtomicUsize::new(0),
        }
    }

    pub(crate) fn has_struck(&self) -> bool {
        self.hit.load(Ordering::SeqCst) > 0
    }

    fn strike(&self, is_write: bool) -> Option<InjectedFault> {
        if is_write != self.writes {
            return None;
        }
        let before = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            });
        // It went from one to none: this is the one.
        (before == Ok(1)).then(|| {
            self.hit.fetch_add(1, Ordering::SeqCst);
            self.fault
        })
    }
}

impl FaultPlan for Nth {
    fn read(&self) -> Option<InjectedFault> {
        self.strike(false)
    }

    fn write(&self) -> Option<InjectedFault> {
        self.strike(true)
    }
}

async fn sound(engine: &Engine, about: &str) {
    let mut problems = Vec::new();
    let told = &mut |problem: &coeval_engine::inspect::Problem| problems.push(problem.clone());
    engine.inspect(Repair::No, &|_| {}, told).await.unwrap();
    assert_eq!(problems, [], "{about}");
}

fn is_unknown(error: &EngineError) -> bool {
    matches!(
        error,
        EngineError::Storage(StorageError::UnknownOutcome { .. })
    )
}

pub(crate) async fn every_step_of_every_write_may_fail(world: World) {
    let engine = &world.engine;
    for file in [app_1_0(), app_1_1()] {
        engine
            .register(&admin(), Registration::of(file))
            .await
            .unwrap();
    }
    let faults = [
        (false, InjectedFault::ErrorBefore),
        (true, InjectedFault::ErrorBefore),
        (true, InjectedFault::ErrorAfter),
        (true, InjectedFault::UnknownBefore),
    ];
    let mut struck = 0;
    for (writes, fault) in faults {
        for operation in [
            "create",
            "update",
            "move",
            "delete",
            "register",
            "edit",
            "unregister",
        ] {
            for nth in 1.. {
                let about = format!("{operation}, {fault:?} at number {nth}");
                let hit = attempt(&world, operation, writes, fault, nth, &about).await;
                sound(engine, &about).await;
                if !hit {
                    break;
                }
                struck += 1;
                assert!(nth < 40, "{about}: no end");
            }
        }
    }
    println!("{struck} faults");
    assert!(struck > 40, "{struck}");
}

/// Whether the fault struck.
async fn attempt(
    world: &World,
    operation: &str,
    writes: bool,
    fault: InjectedFault,
    nth: usize,
    about: &str,
) -> bool {
    let engine = &world.engine;
    let name = format!("{operation}-{writes}-{fault:?}-{nth}");
    let target = Target::Name {
        org: admin().org().to_owned(),
        name: name.clone(),
    };
    let create = || Create::new(v("1.0.0"), &name, json!({"image": "a:1"}));
    if matches!(operation, "update" | "move" | "delete") {
        engine.create(&admin(), &app(), create()).await.unwrap();
    }
    let extra = crate::world::app_file("1.2.0", "  schema: {type: object}\n");
    if matches!(operation, "edit" | "unregister") {
        engine
            .register(&admin(), Registration::of(extra.clone()).warn())
            .await
            .unwrap();
    }
    let plan = Arc::new(Nth {
        left: AtomicUsize::new(nth),
        fault,
        writes,
        hit: AtomicUsize::new(0),
    });
    let store = FaultyStore::new(
        Arc::clone(engine.store()),
        Arc::clone(&plan) as Arc<dyn FaultPlan>,
    );
    let faulty = Engine::new(Arc::new(store), Settings::default());
    let done: Result<(), EngineError> = match operation {
        "create" => faulty.create(&admin(), &app(), create()).await.map(|_| ()),
        "update" => {
            let update = Update::new(v("1.0.0"), json!({"image": "a:2"}));
            faulty
                .update(&admin(), &app(), &target, &update)
                .await
                .map(|_| ())
        }
        "move" => {
            let update = Update::new(v("1.1.0"), json!({"image": "a:2", "region": "eu"}));
            faulty
                .update(&admin(), &app(), &target, &update)
                .await
                .map(|_| ())
        }
        "delete" => faulty
            .delete(&admin(), &app(), &target, None)
            .await
            .map(|_| ()),
        "register" => {
            let registration = Registration::of(extra.clone()).warn();
            faulty.register(&admin(), registration).await.map(|_| ())
        }
        "edit" => {
            let file = crate::world::app_file(
                "1.2.0",
                "  description: edited\n  schema: {type: object}\n",
            );
            let registration = Registration::of(file).warn();
            faulty
                .edit_type(&admin(), &app(), v("1.2.0"), registration)
                .await
                .map(|_| ())
        }
        _ => faulty.delete_type(&admin(), &app(), v("1.2.0")).await,
    };
    let hit = plan.hit.load(Ordering::SeqCst) > 0;
    assert!(hit || done.is_ok(), "{about}: {done:?}");
    if let Err(error) = &done {
        let typed = matches!(
            error,
            EngineError::Storage(StorageError::Unavailable { .. })
        );
        assert!(typed || is_unknown(error), "{about}: {error}");
    }
    let unknown = done.as_ref().is_err_and(is_unknown);
    let now = engine.get(&admin(), &app(), &target).await;
    let image = |resource: &coeval_engine::Resource| {
        let content: serde_json::Value = serde_json::from_slice(&resource.content).unwrap();
        content["image"].as_str().unwrap().to_owned()
    };
    match operation {
        "create" if !unknown => assert_eq!(now.is_ok(), done.is_ok(), "{about}"),
        "delete" if !unknown => assert_eq!(now.is_err(), done.is_ok(), "{about}"),
        "update" | "move" => {
            let there = image(&now.unwrap());
            if !unknown {
                assert_eq!(there == "a:2", done.is_ok(), "{about}");
            }
        }
        "register" | "edit" | "unregister" => {
            let state = engine.type_state(&app()).await.unwrap();
            let version = state.version(v("1.2.0"));
            let happened = match operation {
                "register" => version.is_some(),
                "edit" => version.unwrap().description.is_some(),
                _ => version.is_none(),
            };
            if !unknown {
                assert_eq!(happened, done.is_ok(), "{about}");
            }
            // An edit that was cut is finished by the next who comes along.
            if version.is_some() {
                let other = Create::new(v("1.2.0"), format!("{name}-next"), json!({}));
                let made = engine.create(&admin(), &app(), other).await.unwrap();
                let id = Target::Id(made.resource.id);
                engine.delete(&admin(), &app(), &id, None).await.unwrap();
                engine
                    .delete_type(&admin(), &app(), v("1.2.0"))
                    .await
                    .unwrap();
            }
        }
        _ => {}
    }
    hit
}
