//! RFD 126's table shows its three faults, ours none, and no cell of ours can be changed unnoticed.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test may fail"
)]

mod cells;
mod faults;
mod ours;
mod page;
mod rfd;

use coeval_phases_model::{ModelBounds, Protocol};

/// Two servers, a resource that begins in the old range, two writes.
const SMALL: ModelBounds = ModelBounds {
    servers: 2,
    behind: 0,
    old: 1,
    alone: 0,
    writes: 2,
    parts: 0,
};

/// Ours, with requests that are one step each.
fn at_once(bounds: ModelBounds) -> Protocol {
    Protocol {
        at_once: true,
        ..Protocol::ours(bounds)
    }
}
