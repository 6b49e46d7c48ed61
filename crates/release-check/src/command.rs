//! The commands.
//!
//! - `check`, `bless`, `outputs`: one file each
//! - `served`: what a binary serves, by asking it
//! - `outputs`: what its commands print, by running them against a server of its own
//! - `process`: running something with a limit of time, in an environment of its own

pub(crate) mod bless;
pub(crate) mod check;
mod failure;
pub(crate) mod outputs;
mod process;
mod served;

pub(crate) use failure::CommandFailure;
