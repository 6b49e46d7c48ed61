//! Generated types with several versions, documents of them and edits, for tests of the laws of
//! conversions: those of the pure functions (`crates/core/tests/laws`) and those of the engine
//! (`crates/engine/tests/echo`).
//!
//! A [`World`](world::TypeWorld) is one type with its history. Every field has an identity that the steps
//! carry along, so a test knows which field of one version is which of another without asking the
//! code that it tests.
//!
//! - [`evolve`], [`changes`]: a random history, step by step
//! - [`documents`]: random documents of a version, and edits of a view
//! - [`places`]: the leaves of a document by their identity, the same in all versions
//! - [`expected`]: what a leaf of one version is at another, by a model of the steps

// All of this is test code, though it lives in `src`: a failure here is a failed test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_debug_implementations,
    reason = "tests"
)]

pub mod changes;
pub mod documents;
pub mod evolve;
pub mod expected;
pub mod field;
pub mod places;
pub mod world;
