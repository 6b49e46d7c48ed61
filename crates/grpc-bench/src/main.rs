//! The gRPC API under load, each figure beside a limit that is measured in the same run.
//!
//! `cargo build --release && cargo run --release -p coeval-grpc-bench` starts `coeval serve` as a
//! process of its own on a fresh store, with everything on, and calls it over loopback. Both share
//! the machine, as does the bare tonic service that gets are compared with. What falls short of a
//! goal is printed as such; nothing here decides a test.

// A benchmark is a program for its own developers: whatever fails, fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bare;
mod calls;
mod gets;
mod server;
mod watchers;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the gRPC API.
#[derive(Debug, Parser)]
struct Options {
    /// Which to measure: gets, watchers. All if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Resources in the store while it is read.
    #[arg(long, default_value_t = 10_000)]
    resources: usize,
    /// Calls that are under way at a time.
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// Watchers, a third of them at each of three versions.
    #[arg(long, default_value_t = 1_000)]
    watchers: usize,
    /// Writes a second while delays are measured.
    #[arg(long, default_value_t = 100)]
    writes: u32,
    /// An empty store other than SQLite: postgres://… or etcd://…
    #[arg(long)]
    store: Option<String>,
    #[command(subcommand)]
    command: Option<Hidden>,
}

#[derive(Debug, Subcommand)]
enum Hidden {
    /// Answers every call with these bytes.
    #[command(hide = true)]
    Bare {
        /// The file with the bytes.
        file: PathBuf,
    },
}

fn main() {
    let options = Options::parse();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(Hidden::Bare { file }) = options.command {
        return runtime.block_on(bare::serve(&file));
    }
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| {
        let named = options.parts.iter().any(|name| name == part);
        named || options.parts.is_empty()
    };
    let store = options.store.as_deref();
    if wanted("gets") {
        runtime.block_on(gets::measure(
            store,
            time,
            options.clients,
            options.resources,
        ));
    }
    if wanted("watchers") {
        runtime.block_on(watchers::measure(
            store,
            time,
            options.watchers,
            options.writes,
        ));
    }
}
