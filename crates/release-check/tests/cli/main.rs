//! The binary, with a script in place of `coeval`: it serves what a folder says.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod bless;
mod check;
mod fake;
