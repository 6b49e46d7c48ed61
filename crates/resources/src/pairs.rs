//! Resources whose type is being moved from one major to another: two records, one resource.
//!
//! What happens to the two is decided by `coeval_core::phases` alone. Here both are read in one
//! snapshot with the phase record, a plan is asked for, and carried out as one atomic write on
//! condition that the phase record and both records are still as they were read.
//!
//! - **One resource.** ACL, entries, history and the count of its name exist once; secrets exist
//!   for each record. The index entries are those of both.
//! - **Acknowledged is readable.** What was written onto the source of truth is read in every
//!   phase, also on the way back (docs/phases.md).
//! - **Copies are silent.** A mirror has the revision and the expiry of its original, so its
//!   freshness is told by comparing the two, without a clock, and a write to both is one event for
//!   watchers.
//!
//! A mirror that can't be made is no failure of this module: the rules say whether the write
//! succeeds without it and the resource is listed as failed, or the write is refused.

pub mod failed;
pub(crate) mod mend;
pub mod mirror;
pub(crate) mod object;
