//! Moving a type from one major to the next, phase by phase, while everybody keeps working.
//!
//! The rules are those of `coeval_core::phases`; here they are asked, and carried out. A migration
//! is a resource of the engine's own kind `migration`: it says what is wanted, and shows how far it
//! is. The phase record of the type says what holds; every write to the type is conditioned on it.
//!
//! A person's steps and those of the `driver` go through `moves`, which asks the gates; `look`
//! reads what a gate depends on, and `servers` who is alive. The work between two steps is a run in
//! parts (`shard`, `worker`, `work`), shared by all servers. `plan`, `status`, `verify` and `loss`
//! only look: no step rests on what they say.

pub mod access;
pub(crate) mod content;
pub mod driver;
pub(crate) mod gauges;
pub(crate) mod look;
pub mod loss;
pub mod moves;
pub mod on_start;
pub(crate) mod opening;
pub(crate) mod parts;
pub mod plan;
pub(crate) mod rate;
pub mod resources;
pub(crate) mod servers;
pub(crate) mod shard;
pub(crate) mod spans;
pub mod start;
pub mod status;
pub(crate) mod tally;
pub mod verify;
pub(crate) mod work;
pub(crate) mod worker;
