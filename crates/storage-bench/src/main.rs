//! Ratios of the stores against the bare libraries, each pair measured in the same run.
//!
//! `cargo run --release -p coeval-storage-bench` prints a table. Absolute figures depend on the
//! machine; the ratios are what the project promises. What falls short is printed as such.

// A benchmark is a program for its own developers: whatever fails, fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bare;
mod embedded;
mod million;
mod servers;
mod table;
mod watchers;
mod writers;

use clap::Parser;
use std::time::Duration;
use table::Table;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the stores against the bare libraries.
#[derive(Debug, Parser)]
struct Options {
    /// Which to measure: embedded, postgres, etcd, million. All but million if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 4.0)]
    seconds: f64,
    /// Records in the store for reads, and for `million`.
    #[arg(long)]
    records: Option<usize>,
}

#[tokio::main]
async fn main() {
    let options = Options::parse();
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| {
        let named = options.parts.iter().any(|name| name == part);
        named || (options.parts.is_empty() && part != "million")
    };
    let mut table = Table::default();
    if wanted("embedded") {
        embedded::measure(&mut table, time, options.records.unwrap_or(100_000)).await;
    }
    if wanted("postgres") {
        servers::postgres(&mut table, time).await;
    }
    if wanted("etcd") {
        servers::etcd(&mut table, time).await;
    }
    if wanted("million") {
        million::measure(&mut table, options.records.unwrap_or(1_000_000)).await;
    }
    print!("{table}");
}
