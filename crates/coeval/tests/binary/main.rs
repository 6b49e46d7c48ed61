//! The binary as people and their scripts meet it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod compatibility;
mod configuration;
mod conversions;
mod errors;
mod metrics;
mod protos;
mod quarantine;
mod serving;
mod stopping;
mod stores;
mod support;
mod tls;
mod types;
mod upgrades;
