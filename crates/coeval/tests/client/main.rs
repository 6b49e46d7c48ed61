//! The client library, on real server processes: under faults, and with servers that are older.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod aging;
mod counting;
mod examples;
mod flapping;
mod older;
mod older_server;
mod reading;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/stage.rs"]
mod stage;
mod watching;
#[allow(dead_code, reason = "what the tests of the APIs use too")]
#[path = "../over_http/world.rs"]
mod world;
mod writing;

use coeval_client::{Client, Resources};
use serde_json::Value;
use std::time::Duration;

/// A world with `acme:app`, and a token of alice.
fn stage() -> (world::World, String) {
    let mut world = world::World::sqlite();
    world.add_app();
    let token = world.login("alice@acme");
    (world, token)
}

/// A client of whatever is at the address.
fn client(address: &str, token: &str) -> Client {
    let client = Client::builder(format!("http://{address}")).token(token);
    let client = client.connect_timeout(Duration::from_secs(2));
    client.timeout(Duration::from_secs(8)).build().unwrap()
}

/// Its apps, as JSON.
fn apps(address: &str, token: &str) -> Resources<Value> {
    client(address, token).resources("app")
}
