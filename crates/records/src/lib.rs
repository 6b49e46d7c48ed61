//! What is stored, record by record.
//!
//! The lowest of the four layers of the engine. It knows the keys that records have, how a resource, its
//! header, its ACL and what was done to it are written down, and how secrets are sealed; it knows
//! neither types nor callers. The one error of all layers is here, so that a refusal passes through them
//! as it is.

pub mod acl;
pub mod applied;
pub mod attempts;
pub mod audit;
pub mod encode;
pub mod entry_domain;
pub mod error;
pub mod finding;
pub mod header;
pub mod keys;
pub mod records;
pub mod seal;
pub mod servers;
pub mod stored;
pub mod task_status;
pub mod text;
pub mod token;

pub use records::Records;
