//! Resources: what a read or a write at some version means for what is stored.
//!
//! The third of the four layers of the engine. Every write is one atomic write, conditioned on the type's
//! phase record: the object, its index entries, its history, its secrets and the record of what was done.
//! Every read takes the phase record in the same snapshot. Users, roles, organizations and rights bundles
//! are resources too: who a caller is, is found out here.

pub mod caches;
pub mod content;
pub(crate) mod deprecations;
pub(crate) mod encoded;
pub mod entries;
pub mod executor;
pub mod expiry;
pub(crate) mod explain;
pub(crate) mod full_contents;
pub mod history;
pub mod identity;
pub mod inspect;
pub mod lifecycle;
pub mod list;
pub mod pairs;
pub mod quarantined;
pub mod read;
pub(crate) mod ready;
pub mod resource;
pub mod resources;
pub mod secure;
pub(crate) mod seen;
pub mod task_calls;
pub mod task_creation;
pub mod tasks;
pub(crate) mod type_bundles;
pub mod watch;
pub mod write;

pub use resources::Resources;
