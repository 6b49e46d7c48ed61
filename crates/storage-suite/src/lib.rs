//! The cases that every store must pass, and the checkers of recorded histories.
//!
//! A store's own `tests/suite.rs` says how a fresh store is opened and runs all of it:
//!
//! ```text
//! async fn open() -> Box<dyn Subject> {
//!     Box::new(MySubject::fresh().await)
//! }
//!
//! coeval_storage_suite::suite!(open);
//! ```
//!
//! Every case runs twice: `direct`, and through the [`WriteShim`](shim::WriteShim), where each single-key
//! write is said as an atomic write with one more condition. Both must agree.
//!
//! - [`subject`]: what a store brings, and [`dressed`], which puts the product's layers on it
//! - [`cases`]: the cases, by theme; the list of them is in [`suite!`]
//! - [`workload`]: random concurrent operations, recorded and checked; for fault tests too
//! - [`history`]: the recorder and the two checkers
//! - [`servers`]: private PostgreSQL and etcd servers
//!
//! `COEVAL_TEST_SCALE` multiplies the sizes of the longer cases.

// All of this is test code, though it lives in `src`: a failure here is a failed test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod bench;
pub mod cases;
pub mod feeds;
pub mod history;
pub mod servers;
pub mod shim;
pub mod subject;
pub mod suite;
pub mod workload;

pub use bench::{BenchStore, WriteStyle, run};
pub use subject::{StoreSubject, dressed};

/// How much longer than usual the longer cases run: `COEVAL_TEST_SCALE`, 1 if it is not set.
///
/// # Panics
/// If it is set to something that is not a positive number.
#[must_use]
pub fn scale() -> f64 {
    static SCALE: std::sync::OnceLock<f64> = std::sync::OnceLock::new();
    *SCALE.get_or_init(|| {
        let scale = std::env::var("COEVAL_TEST_SCALE").map_or(1.0, |text| {
            let scale = text.parse().unwrap_or(0.0);
            assert!(scale > 0.0, "COEVAL_TEST_SCALE is not a positive number");
            scale
        });
        println!("COEVAL_TEST_SCALE is {scale}");
        scale
    })
}

/// `size`, scaled; at least 1.
#[must_use]
pub fn scaled(size: usize) -> usize {
    #[allow(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss
    )]
    let scaled = (size as f64 * scale()).round() as usize;
    scaled.max(1)
}
