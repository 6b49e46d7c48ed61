//! Jobs: what works on tasks. A runner on each server claims tasks, drives their jobs batch by
//! batch, and whatever it writes is conditioned on its claim: one that lost its claim writes
//! nothing any more. Another runner goes on from the last checkpoint.
//!
//! A claim is no lease, and no clock decides whether it holds. A runner takes over a task whose
//! record it has not seen change for a while; if that guess was wrong, the first one finds its
//! writes refused. So a batch is written once, whoever works, while what a job does outside of the
//! store, such as calling a webhook, may happen again with the next attempt.
//!
//! Jobs that wait for the answers of others run in a lane of their own (`runner`): a migration
//! never waits for a slow webhook, nor the other way round.

pub(crate) mod behave;
pub(crate) mod drive;
pub(crate) mod hooked;
pub mod job;
pub mod migrate;
pub mod runner;
#[cfg(test)]
mod tests;
