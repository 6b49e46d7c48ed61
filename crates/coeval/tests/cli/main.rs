//! The commands that talk to a server, run as people run them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod dev;
#[allow(dead_code, reason = "what the tests of the server use too")]
#[path = "../binary/support.rs"]
mod support;
