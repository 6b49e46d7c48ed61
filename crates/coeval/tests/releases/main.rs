//! Servers and commands of this release and of the one before, as their binaries are: one after the
//! other on a store, and beside each other.
//!
//! `COEVAL_PREVIOUS` names the binary of the release before; `releases/previous` prints it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests"
)]

mod balancer;
mod commands;
mod features;
mod installation;
mod keep_alive;
mod kept;
mod levels;
mod load;
#[path = "../matrix/rows/mod.rs"]
mod matrix_rows;
mod one_after_the_other;
mod release;
mod retired;
mod rfd_126;
mod rolling;
mod side_by_side;
