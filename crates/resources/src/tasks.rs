//! Tasks: long-running jobs that whoever is permitted can look at, wait for and cancel. A task is
//! a record of the store, so it survives every server.
//!
//! - `k/…` is the task itself. It ends by being written with an end, and expires days later.
//! - `g/…` says that it is open: runners look for work there, so ended tasks cost them nothing. What a
//!   job needs beside its small input, and what it has to report so far, is in this record.
//! - `c/…` are slots for what a job did ahead of its checkpoint; they go when the task ends.
//!
//! Where a change asks for a task, both are one atomic write. Every later write of a task is on
//! condition of the revision that was read: of two who claim, cancel or end it at once, one loses.
//!
//! The task has the rights of its caller in it (`by`), because the server that works on it may be
//! another one, long after the caller's session ended.

pub(crate) mod by;
pub mod record;
pub mod task;
