//! Watching resources: what changes, in the caller's version, in the store's order.
//!
//! - A watch stands on the storage's: events of one atomic write stay together, none is missing and
//!   none comes twice, and a watch resumes from any token that the history still holds, on any
//!   server.
//! - Access is judged for each event as it was then: an ACL's change is told with the ACL before it,
//!   and a change of the watcher's own rights leads to a walk through all resources of the type.
//!   What may no longer be seen, or no longer matches, is told as [`WatchedChange::Left`].
//! - A watch ends with the credentials that it was opened with.
//! - An event is decoded once in a process, and shown once for each version and class of readers,
//!   however many watch.

pub(crate) mod changes;
pub(crate) mod concern;
pub(crate) mod decoded;
pub(crate) mod eye;
pub(crate) mod lookahead;
pub mod query;
pub(crate) mod reading;
pub(crate) mod walk;
pub(crate) mod watcher;
