//! Writing resources: each write is one atomic write of the object, its indexes, its history and
//! the record of what was done.
//!
//! An attempt reads the resource together with the phase record of its type, decides, and plans.
//! All refusals come before the commit, so a dry run is a plan that nobody commits. The plan is
//! committed on condition that the phase record and the records of the resource are as they were
//! read, with revision, expiry and flags.
//!
//! - **Nothing in halves.** No reader meets a resource without its index entries, and the audit log
//!   tells of no write that did not happen.
//! - **Nothing is overwritten unseen.** A lost race begins again from the read, a few times, and
//!   each time access and revision are judged anew.
//! - **No double write.** If nobody knows whether a commit happened, the revision at the key that
//!   heads the plan tells; it was drawn before the commit. What even that can't tell is an error,
//!   never a second attempt.
//!
//! It relies on the store for conditions that hold at the commit, and on `pairs` for what a write
//! means to a type that is in migration.

pub(crate) mod acl;
pub mod barrier;
pub(crate) mod create;
pub mod delete;
pub(crate) mod edit;
pub(crate) mod fitting;
pub mod join;
pub mod mask;
pub(crate) mod metadata;
pub mod moving;
pub(crate) mod plan_update;
pub mod request;
pub mod steps;
pub mod undeclared;
pub(crate) mod update;
pub mod upgrade;
