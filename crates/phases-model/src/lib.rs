//! Every interleaving of servers, callers, the background and the operator, within bounds.
//!
//! The rules are those of `coeval_core::phases`; this crate calls them for every step of a server
//! and restates none. It brings what is around them: a store with two keys for each resource, a
//! phase record, servers with a request in flight, and ghosts that remember what was
//! acknowledged. `stateright` visits every state and looks for one that breaks an invariant.
//!
//! - [`Protocol`]: what is run, and within which bounds; [`Protocol::ours`], [`rfd`]
//! - [`ModelState`], [`ModelAction`]: what the checker visits
//! - [`WorkPart`], [`ModelBelongings`]: what only some runs have
//! - [`SeededFault`]: what can be broken on purpose, to see that it is noticed
//! - [`cells`]: every change of one cell of the table
//! - [`check`]: runs the checker, and tells a counterexample as text
//!
//! Epochs are not counted: a request in flight is either of this epoch or of a passed one. So the
//! number of changes of phase has no bound, only that of writes has. Claims of parts are not counted
//! either.

// All of this is test code, though it lives in `src`: a failure here is a failed test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod action;
mod belongings;
pub mod cells;
mod fault;
mod invariants;
mod model;
mod object;
mod operator;
mod parts;
mod protocol;
mod requests;
pub mod rfd;
mod run;
mod state;
mod store;

pub use action::{ModelAction, ModelRequest};
pub use fault::SeededFault;
pub use invariants::{I1, I2, I3, I4, I5, I10, INVARIANTS};
pub use object::{IndexValues, ModelBelongings, ModelObject, RecordCell};
pub use protocol::{ModelBounds, Protocol};
pub use run::{CheckOutcome, check, shortest};
pub use state::{
    CheckpointBatch, GatedMove, GhostState, MigrationEnd, ModelServer, ModelState, PendingCommit,
    ServerJob, WorkPart,
};
