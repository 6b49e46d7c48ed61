//! Jobs: what works on tasks. A runner on each server claims tasks, drives their jobs batch by
//! batch, and whatever it writes is conditioned on its claim: one that lost its claim writes
//! nothing any more. Another runner goes on from the last checkpoint.

mod behave;
mod drive;
mod hooked;
mod job;
mod migrate;
mod runner;
#[cfg(test)]
mod tests;

pub use job::{Pace, Pacing};
pub use migrate::{MIGRATE, MigrateOptions, UPGRADE, UpgradeMatching};
pub(crate) use migrate::{changes_of_meaning, check_meaning};
pub use runner::{JobRunner, RunnerSettings};
