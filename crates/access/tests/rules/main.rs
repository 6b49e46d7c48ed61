//! The rules of access as a whole: the golden matrix, the laws, what a decision costs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod cost;
mod laws;
mod matrix;
mod table;
mod world;
