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
    access::measure();
    creates::measure(time).await;
    let world = world::World::with(options.resources).await;
    reads::measure(&world, time).await;
    lists::measure(&world).await;
    migrating::measure(&world).await;
    println!(
        "peak memory: {} MB (goal below 300)",
        figures::peak_memory()
    );
}
