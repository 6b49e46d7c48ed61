//! Spans that real servers send to a collector.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod away;
mod collector;
mod migrations;
#[allow(dead_code, reason = "what the tests of the commands use too")]
#[path = "../cli/person.rs"]
mod person;
mod requests;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/stage.rs"]
mod stage;
#[allow(dead_code, reason = "what the tests of the server use too")]
#[path = "../binary/support.rs"]
mod support;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/world.rs"]
mod world;
