//! Moving a type from one major to the next, phase by phase, while everybody keeps working.
//!
//! The rules are those of `coeval_core::phases`; here they are asked, and carried out. A migration
//! is a resource of the engine's own kind `migration`: it says what is wanted, and shows how far it
//! is. The phase record of the type says what holds; every write to the type is conditioned on it.

mod access;
mod content;
mod driver;
mod error;
mod gauges;
mod look;
mod loss;
mod moves;
mod on_start;
mod opening;
mod pace;
mod parts;
mod plan;
mod rate;
mod resources;
mod servers;
mod shard;
mod spans;
mod start;
mod status;
mod tally;
mod verify;
mod work;
mod worker;

pub use access::LosingMember;
pub use driver::{MigrationDriver, MigrationSettings};
pub use error::{MigrationError, WithoutAccess};
pub use loss::LossReport;
pub use moves::Advance;
pub use on_start::Moved;
pub use plan::{Counted, MigrationPlan, Refused};
pub use servers::ServerSeen;
pub use start::{Change, Declared};
pub use status::{FailedResource, MigrationStatus, Progress, State, Working};
pub(crate) use tally::Tallies;
pub use verify::{Differing, Verified};

pub(crate) use pace::Pulse;
pub(crate) use resources::is_migration;
