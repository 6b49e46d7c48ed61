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
mod at_a_terminal;
mod completing;
mod logging_in;
mod reading;
mod somebody;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/stage.rs"]
mod stage;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/world.rs"]
mod world;
