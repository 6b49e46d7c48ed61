//! The listener over real sockets.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod age;
mod client_certificates;
mod drain;
mod http;
mod limits;
mod support;
mod tls;
mod unread;
