//! What servers do while a type is moved from one major to the next, and what may follow.
//!
//! A type in migration has two ranges of keys, *old* and *new*. Each [`Phase`] is a [`PhaseRow`] of
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
//! # Flow
//!
//! 1. [`begin`]: every server works at `old`, as if there were no migration.
//! 2. [`forward`], half a step at a time: the first half makes two neighbouring phases live, the second
//!    closes the lower one once all servers have left it. So at no moment do servers work at phases that
//!    are more than one step apart, and each row of the table has to get on with its neighbours only.
//! 3. `mirror` to `backfill`: every write goes to both records, and the backfill brings up those that
//!    nobody writes. [`claim`] notes that none is missing.
//! 4. `soak`: *new* is the source of truth, *old* is still written. This is where one waits: [`back`]
//!    works, without any loss.
//! 5. `cutover` writes only *new*; back from there, the old records are copied back first. `cleanup`
//!    removes them, and there is no way back. [`finish`] closes the old major for ever.
//!
//! # What it promises
//!
//! - What was acknowledged is read, at every live phase, by every server that is admitted.
//! - Every phase up to `cutover` can be left backwards without losing an acknowledged write.
//! - A resource that can't be converted is found while there is still a way back: `soak` is not admitted
//!   before somebody has mended it.
//! - A server that sleeps through a change of phase does no harm when it wakes up: its writes carry a
//!   passed [`Epoch`].
//!
//! # What it relies on
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
//! `docs/phases.md` explains the table; the crate `phases-model` checks these promises over every
//! interleaving within its bounds.
//!
//! # Example
//!
//! A legal step, and one that is refused:
//!
//! ```
//! use coeval_core::phases::{MoveFacts, Phase, PhaseRecord, PhaseRefusal, TABLE, MoveInitiator, BackgroundWork, begin, claim, forward};
//!
//! # let facts = MoveFacts { who: MoveInitiator::Operator, servers: &[], fence_rest: false, failed: 0, left: 0, meaning_changed: false };
//! let record = begin(&PhaseRecord::first(), 1, 2).unwrap();
//! // Two halves for each of mirror, read-new and backfill.
//! let record = (0..6).fold(record, |record, _| forward(&TABLE, &record, &facts).unwrap());
//! assert_eq!(record.migration.unwrap().live.low, Phase::Backfill);
//! assert_eq!(forward(&TABLE, &record, &facts), Err(PhaseRefusal::BackfillNotDone));
//!
//! let record = claim(&record, BackgroundWork::Backfill, record.epoch, 0).unwrap();
//! let soak = forward(&TABLE, &record, &facts).unwrap();
//! assert_eq!(soak.migration.unwrap().live.high, Phase::Soak);
//! ```

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

pub use background::{
    BackgroundWork, backfill, claim, clean_up, copy_back, discard, is_due, is_left, work,
};
pub use found::{FoundRecords, NewRecord, PairStanding, RecordHome, RecordStamp};
pub use moves::{
    EnvironmentRequest, MoveFacts, MoveInitiator, PhaseAcknowledgement, abandon, ask, back, begin,
    finish, forward,
};
pub use phase::{Phase, UnknownPhase};
pub use read::{PhaseRead, ReadsOn, plan_read, plan_read_on, reads_on};
pub use record::{Epoch, LivePhases, Migration, PhaseDirection, PhaseRecord, admit};
pub use refusal::PhaseRefusal;
pub use table::{
    BackgroundDuty, EntryGate, PhaseRow, PhaseTable, ReadSource, ReturnGate, SourceOfTruth,
    StaleCopies, TABLE, TouchedKeys, UnfitPolicy,
};
pub use write::{
    FailedListChange, KeyStep, MirrorFit, PhasePlan, PhaseWrite, WriteMajor, plan_write,
};
