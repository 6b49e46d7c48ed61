//! What servers do while a type is moved from one major to the next, and what may follow.
//!
//! A type in migration has two ranges of keys, *old* and *new*. Each [`Phase`] is a [`Row`] of
//! [`TABLE`]: which keys a server writes, deletes and reads, which of the two records is the
//! source of truth, and what admits the next phase. The functions here turn a row and what was
//! found under the two keys into a plan; they do nothing themselves.
//!
//! - [`plan_write`], [`plan_read`]: one request; [`reads_on`], [`plan_read_on`]: one at a server that
//!   can't load the new major
//! - [`backfill`], [`copy_back`], [`clean_up`], [`discard`]: one resource, in the background; [`work`]
//!   says which of them is due and [`claim`] what may be noted when all resources were visited
//! - [`begin`], [`forward`], [`back`], [`finish`], [`abandon`], [`ask`]: the phase record of a type
//! - [`admit`] and [`PhaseRecord::fence`]: who may serve, and what every write must carry
//!
//! Four things are relied upon:
//!
//! - The phase record is read in the same snapshot as both keys.
//! - A plan is carried out as one atomic write on three conditions: the record has the epoch of the
//!   plan, and both keys are still as found. That is more than their revisions: a keep-alive moves
//!   only the expiry, and cleanup changes only the flag.
//! - A move and a claim are written on condition that the record is as read and that no resource
//!   was listed as failed since. So whoever lists one also touches a record that tells.
//! - Only servers that [`admit`] lets in write the type, and only they and those of [`reads_on`] read
//!   it.
//!
//! `docs/phases.md` explains the table; the crate `phases-model` checks it.

mod background;
mod found;
mod moves;
mod phase;
mod read;
mod record;
mod refusal;
mod table;
#[cfg(test)]
mod tests;
mod write;

pub use background::{Work, backfill, claim, clean_up, copy_back, discard, is_due, is_left, work};
pub use found::{Found, Home, NewRecord, Stamp, Standing};
pub use moves::{Acknowledged, Asked, Facts, Who, abandon, ask, back, begin, finish, forward};
pub use phase::{Phase, UnknownPhase};
pub use read::{Reading, ReadsOn, plan_read, plan_read_on, reads_on};
pub use record::{Epoch, Heading, Live, Migration, PhaseRecord, admit};
pub use refusal::Refusal;
pub use table::{Background, Clears, Entry, Keys, Leave, Reads, Row, TABLE, Table, Truth, Unfit};
pub use write::{At, Failing, Fit, Plan, Step, Write, plan_write};
