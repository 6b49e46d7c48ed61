//! Ratios of the engine against the storage layer below it, each pair measured in the same run.
//!
//! `cargo run --release -p coeval-engine-bench` prints a table. Absolute figures depend on the
//! machine; the ratios are what the project promises. What falls short is printed as such.

// A benchmark is a program for its own developers: whatever fails, fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod access;
mod creates;
mod figures;
mod lists;
mod migrating;
mod phases;
mod reads;
mod recording;
mod world;

use clap::Parser;
use std::time::Duration;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the engine against the storage layer.
#[derive(Debug, Parser)]
struct Options {
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

#[tokio::main]
async fn main() {
    let options = Options::parse();
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| {
        let named = options.parts.iter().any(|name| name == part);
        named || options.parts.is_empty()
    };
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
    if !["reads", "lists", "migration"].into_iter().any(wanted) {
        return;
    }
    let world = world::World::with(options.resources).await;
    if wanted("reads") {
        reads::measure(&world, time).await;
    }
    if wanted("lists") {
        lists::measure(&world).await;
    }
    if wanted("migration") {
        migrating::measure(&world).await;
    }
    println!(
        "peak memory: {} MB (goal below 300)",
        figures::peak_memory()
    );
}
