//! What goes on without a caller that waits: jobs, and the migration of a type from one major to the next.
//!
//! The highest of the four layers of the engine. All of it can be cut at any moment and taken over by
//! another server: what a job has done is in its task, and what a migration has done is in the records.

pub mod background;
pub mod jobs;
pub mod migrations;
pub mod settings;

pub use background::Background;
