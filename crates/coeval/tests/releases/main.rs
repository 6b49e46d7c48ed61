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

mod installation;
mod levels;
#[path = "../matrix/rows/mod.rs"]
mod matrix_rows;
mod release;
mod rfd_126;
