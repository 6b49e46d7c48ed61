//! What is stored, record by record.
//!
//! The lowest of the four layers of the engine. It knows the keys that records have, how a resource, its
//! header, its ACL and what was done to it are written down, and how secrets are sealed; it knows
//! neither types nor callers. The one error of all layers is here, so that a refusal passes through them
//! as it is.
//!
//! # What it promises
//!
//! - A header of an earlier release can be read, and is written as it was if nothing in it changes:
//!   fields that came later have defaults, and are omitted where they hold them.
//! - A record says by itself what it takes to delete it: its header has the keys of all its index
//!   entries, so that a server which does not know its version can remove it (`header`).
//! - A write whose outcome nobody knows is found out where that is possible (`records`), a lost race is
//!   told from every other error (`attempts`), and what can't be encoded is never written (`encode`).
//! - Whatever somebody does to a resource has its audit record in the same atomic write (`audit`).
//! - Secure fields are stored only as sealed bytes, bound to the place that they are for (`seal`).

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
