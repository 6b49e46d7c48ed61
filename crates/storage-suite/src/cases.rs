//! The cases, by theme. Each is named after what it shows; the list is in [`suite!`](crate::suite!).

// A case's name says what it shows, and failing is what it does if that is not so.
#![allow(missing_docs, clippy::missing_panics_doc)]

pub mod adoption;
pub mod atomic;
pub mod clocks;
pub mod compaction;
pub mod concurrency;
pub mod contention;
pub mod counts;
pub mod expiry;
pub mod keys;
pub mod ranges;
pub mod revisions;
pub mod single;
pub mod snapshots;
pub mod watch;
pub mod watchers;
