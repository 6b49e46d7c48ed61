//! Resources whose type is being moved from one major to another: two records, one resource.
//!
//! What happens to the two is decided by `coeval_core::phases` alone. Here both are read in one
//! snapshot with the phase record, a plan is asked for, and carried out as one atomic write on
//! condition that the phase record and both records are still as they were read.

pub mod failed;
pub(crate) mod mend;
pub mod mirror;
pub(crate) mod object;
