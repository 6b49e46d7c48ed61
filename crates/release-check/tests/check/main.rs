//! The check as a whole: every rule by a pair that obeys it and one that breaks it, RFD 179's own
//! examples, the real release, and thousands of small changes to it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod bad_input;
mod kept;
mod mutations;
mod page;
mod pairs;
mod rfd179;
mod several_releases;
mod surfaces;
