//! Resources whose type is being moved from one major to another: two records, one resource.
//!
//! What happens to the two is decided by `coeval_core::phases` alone. Here both are read in one
//! snapshot with the phase record, a plan is asked for, and carried out as one atomic write on
//! condition that the phase record and both records are still as they were read.

mod failed;
mod mirror;
mod object;
mod pair;
mod part;
mod repairs;

pub(crate) use failed::{Listed, decode as decode_failed, tell_key};
pub(crate) use mirror::Unfit;
pub(crate) use object::Putting;
pub(crate) use pair::{Pair, found};
pub(crate) use part::{PHASES, Part};
pub(crate) use repairs::Repairs;
