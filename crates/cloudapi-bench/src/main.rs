//! The RDE API under load, each figure beside a limit that is measured in the same run.
//!
//! `cargo build --release && cargo run --release -p coeval-cloudapi-bench` starts `coeval serve` as
//! a process of its own on a fresh store, with everything on (logins, audit), and sends requests
//! over loopback. Both share the machine, as does the bare server that they are compared with. What
//! falls short of a goal is printed as such; nothing here decides a test.

// A benchmark is a program for its own developers: whatever fails, fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bare;
mod certificate;
mod client;
mod figures;
mod in_process;
mod parts;
mod server;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::time::Duration;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures the RDE API.
#[derive(Debug, Parser)]
struct Options {
    /// Which to measure: gets, creates, lists. All if none is named.
    parts: Vec<String>,
    /// Seconds for each measurement.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Entities in the store while it is read.
    #[arg(long, default_value_t = 20_000)]
    entities: usize,
    /// Connections that send requests.
    #[arg(long, default_value_t = 64)]
    clients: usize,
    /// An empty store other than SQLite: postgres://… or etcd://…
    #[arg(long)]
    store: Option<String>,
    /// Leave TLS out.
    #[arg(long)]
    plain_only: bool,
    #[command(subcommand)]
    command: Option<Hidden>,
}

#[derive(Debug, Subcommand)]
enum Hidden {
    /// Answers every request with these bytes.
    #[command(hide = true)]
    Bare {
        /// The file with the bytes.
        file: PathBuf,
        /// A folder with cert.pem and key.pem.
        #[arg(long)]
        tls: Option<PathBuf>,
    },
}

fn main() {
    let options = Options::parse();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    if let Some(Hidden::Bare { file, tls }) = options.command {
        return runtime.block_on(bare::serve(&file, tls.as_deref()));
    }
    let time = Duration::from_secs_f64(options.seconds);
    let wanted = |part: &str| {
        let named = options.parts.iter().any(|name| name == part);
        named || options.parts.is_empty()
    };
    for tls in [false, true] {
        if tls && options.plain_only {
            continue;
        }
        println!("{}", if tls { "with TLS" } else { "plain HTTP" });
        let load = parts::Load {
            time,
            clients: options.clients,
            entities: options.entities,
            store: options.store.clone(),
            tls,
        };
        if wanted("creates") {
            runtime.block_on(parts::creates(&load));
        }
        if wanted("gets") || wanted("lists") {
            runtime.block_on(parts::reads(&load, wanted("gets"), wanted("lists")));
        }
    }
}
