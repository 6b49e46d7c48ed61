//! The gRPC API under load, each figure beside a limit that is measured in the same run.
//!
//! Starts `coeval serve` as a process of its own on a fresh store, with everything on, and calls it
//! over loopback. Both share the machine, as does the bare tonic service that gets are compared
//! with.

mod bare;
mod calls;
mod gets;
mod types;
mod watchers;

use crate::figures::is_wanted;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

#[derive(Debug, Args)]
pub(crate) struct GrpcOptions {
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
    command: Option<GrpcHelper>,
}

#[derive(Debug, Subcommand)]
enum GrpcHelper {
    /// Answers every call with these bytes.
    #[command(hide = true)]
    Bare {
        /// The file with the bytes.
        file: PathBuf,
    },
}

/// Measures what is wanted.
pub(crate) async fn run(options: &GrpcOptions) {
    if let Some(GrpcHelper::Bare { file }) = &options.command {
        return bare::serve(file).await;
    }
    let time = Duration::from_secs_f64(options.seconds);
    let store = options.store.as_deref();
    if is_wanted(&options.parts, "gets") {
        gets::measure(store, time, options.clients, options.resources).await;
    }
    if is_wanted(&options.parts, "watchers") {
        watchers::measure(store, time, options.watchers, options.writes).await;
    }
}
