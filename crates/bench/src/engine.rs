//! Ratios of the engine against the storage layer below it, each pair measured in the same run.

mod access;
mod creates;
mod figures;
mod lists;
mod migrating;
mod phases;
mod reads;
mod recording;
pub(crate) mod world;

use crate::figures::{is_wanted, peak_memory};
use clap::Args;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct EngineOptions {
    /// Which to measure: access, creates, phases (or mirrored, backfill, callers), reads, lists,
    /// migration. All if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Resources in the store.
    #[arg(long, default_value_t = 100_000)]
    resources: usize,
}

/// Measures what is wanted.
pub(crate) async fn run(options: &EngineOptions) {
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| is_wanted(&options.parts, part);
    if wanted("access") {
        access::measure();
    }
    if wanted("creates") {
        creates::measure(time).await;
    }
    if wanted("phases") || wanted("mirrored") {
        phases::mirrored(time).await;
    }
    if wanted("phases") || wanted("backfill") {
        phases::backfill(options.resources).await;
    }
    if wanted("phases") || wanted("callers") {
        phases::callers(time).await;
    }
    // The parts below share one store that is full; it is made only for them.
    if !["reads", "lists", "migration"].into_iter().any(wanted) {
        return;
    }
    let world = world::ResourceWorld::with(options.resources).await;
    if wanted("reads") {
        reads::measure(&world, time).await;
    }
    if wanted("lists") {
        lists::measure(&world).await;
    }
    if wanted("migration") {
        migrating::measure(&world).await;
    }
    println!("peak memory: {} MB (goal below 300)", peak_memory("self"));
}
