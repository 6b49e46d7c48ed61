//! Tasks: long-running jobs that whoever is permitted can look at, wait for and cancel. A task is
//! a record of the store, so it survives every server.

pub(crate) mod by;
pub mod record;
pub mod task;
