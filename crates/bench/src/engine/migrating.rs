//! A mass migration with ten steps.

use super::figures::verdict;
use super::world::{NEW, OLD, ResourceWorld, caller, of};
use crate::figures::PromisedFigure;
use coeval_engine::jobs::{JobRunner, MigrateOptions, RunnerSettings};
use coeval_engine::{Engine, Settings};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) async fn measure(world: &ResourceWorld) {
    let engine = Arc::new(Engine::new(world.place.store(), Settings::default()));
    let begun = Instant::now();
    let runner = JobRunner::start(
        Arc::clone(engine.background()),
        "bench",
        RunnerSettings::default(),
    );
    let options = MigrateOptions::default();
    let task = engine
        .migrate_resources(&caller(), &of(), OLD, NEW, &options)
        .await
        .unwrap();
    let limit = Duration::from_secs(600);
    let done = engine
        .wait_for_task(&caller(), task.id, limit)
        .await
        .unwrap();
    let time = begun.elapsed().as_secs_f64();
    runner.stop().await;
    #[expect(clippy::cast_precision_loss, reason = "a count of resources")]
    let rate = world.ids.len() as f64 / time;
    let verdict = verdict(PromisedFigure::AtLeast(10_000.0), rate);
    println!(
        "mass migration of {} resources by ten steps: {rate:.0}/s (goal 10,000) {verdict}; {:?}",
        world.ids.len(),
        done.status
    );
}
