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
//!
//! # How
//!
//! A watcher has an *eye*: who watches and the type, both of one snapshot. Groups come from the feed
//! in order. Each is read once (`reading`); if it concerns the eye (`concern`), the eye is taken
//! anew, and a walk through the type (`walk`) tells what was lost and gained; then every change in
//! the group is judged (`changes`), with the ACL of its time (`lookahead`).
//!
//! # What it relies on
//!
//! - Audit records are in the same atomic write as what they tell of. Of a deleted resource nothing
//!   else says whose it was and who could see it.
//! - A write that only copies records of a migration touches a key of `b/` and is passed over.
//! - Every change of a type's definitions rewrites its phase record, so one key tells of all of them.
//!
//! `docs/watch.md` says what is promised to clients.

pub(crate) mod changes;
pub(crate) mod concern;
pub(crate) mod decoded;
pub(crate) mod eye;
pub(crate) mod lookahead;
pub mod query;
pub(crate) mod reading;
pub(crate) mod walk;
pub(crate) mod watcher;
