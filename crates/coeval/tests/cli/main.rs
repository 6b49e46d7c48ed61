//! The commands that talk to a server, run as people and their scripts run them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod around;
mod at_a_terminal;
mod completing;
mod desk;
mod dev;
mod edit;
mod explain;
mod help;
mod logging_in;
mod lost;
mod migrating;
mod person;
mod pruning;
mod reading;
mod releases;
mod somebody;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/stage.rs"]
mod stage;
#[allow(dead_code, reason = "what the tests of the server use too")]
#[path = "../binary/support.rs"]
mod support;
mod types;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/world.rs"]
mod world;
mod writing;
