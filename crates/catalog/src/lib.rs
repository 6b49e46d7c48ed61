//! The types of a store, and who may do what with them.
//!
//! The second of the four layers of the engine. It loads the definitions of types, keeps what was
//! computed from them, registers and retires versions, and decides what a caller may see or do. A write
//! to a type rewrites its phase record, and every write and read of the layers above is conditioned on
//! that record: so no server ever works with a definition that another one has changed.

pub mod allow;
pub mod audit_log;
pub mod behaviors;
pub mod caller;
pub mod catalog;
pub mod fetched;
pub mod identity;
pub mod kinds;
pub mod level;
pub mod prefetched;
pub mod registration;
pub mod types;
pub mod visible_versions;

pub use catalog::Catalog;
