//! What is particular to the PostgreSQL store: several servers, faults, the database itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod bed;
mod database;
mod own_server;
mod proxy;
mod two_servers;
