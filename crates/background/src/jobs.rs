//! Jobs: what works on tasks. A runner on each server claims tasks, drives their jobs batch by
//! batch, and whatever it writes is conditioned on its claim: one that lost its claim writes
//! nothing any more. Another runner goes on from the last checkpoint.

pub(crate) mod behave;
pub(crate) mod drive;
pub(crate) mod hooked;
pub mod job;
pub mod migrate;
pub mod runner;
#[cfg(test)]
mod tests;
