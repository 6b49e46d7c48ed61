//! Measures the project, part by part, each figure beside a limit that is measured in the same run.
//!
//! `cargo run --release -p coeval-bench -- PART` prints the figures of one part: `core`, `storage`,
//! `engine`, `cloudapi` or `grpc`; `cost` makes so many calls, for counting instructions. `cloudapi` and
//! `grpc` start `coeval serve`, which is built first: `cargo build --release`. Absolute figures depend on the machine; the ratios are what the project
//! promises. What falls short is printed as such; nothing here decides a test.

// A benchmark is a program for its own developers: whatever fails, fails loudly.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod certificate;
mod client;
mod cloudapi;
mod core_rules;
mod cost;
mod engine;
mod figures;
mod grpc;
mod load;
mod server;
mod storage;
mod store_url;

use clap::{Parser, Subcommand};
use tokio::runtime::Runtime;

/// As in the server.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Measures one part of the project beside its limits.
#[derive(Debug, Parser)]
#[command(name = "coeval-bench")]
struct BenchCli {
    #[command(subcommand)]
    part: BenchPart,
}

#[derive(Debug, Subcommand)]
enum BenchPart {
    /// Conversions and validation, against parsing and printing the same document
    Core(core_rules::CoreOptions),
    /// Calls of the engine, so many of them, for counting instructions
    Cost(cost::CostOptions),
    /// The stores, against the bare libraries
    Storage(storage::StorageOptions),
    /// The engine, against the storage layer below it
    Engine(engine::EngineOptions),
    /// The RDE API under load, against a bare server and against the engine
    Cloudapi(cloudapi::CloudapiOptions),
    /// The gRPC API under load, against a bare tonic service
    Grpc(grpc::GrpcOptions),
}

fn main() {
    let bench = BenchCli::parse();
    let runtime = Runtime::new().unwrap();
    match bench.part {
        BenchPart::Core(options) => core_rules::run(&options),
        BenchPart::Cost(options) => runtime.block_on(cost::run(&options)),
        BenchPart::Storage(options) => runtime.block_on(storage::run(&options)),
        BenchPart::Engine(options) => runtime.block_on(engine::run(&options)),
        BenchPart::Cloudapi(options) => runtime.block_on(cloudapi::run(&options)),
        BenchPart::Grpc(options) => runtime.block_on(grpc::run(&options)),
    }
}
