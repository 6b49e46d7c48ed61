//! What the repository promises about itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod arrows;
mod codes;
mod crates;
mod documents;
mod duplicates;
mod files;
mod fuzz;
mod kept_releases;
mod licences;
mod readme;
mod shape;
mod tour;
