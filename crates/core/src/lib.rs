//! The rules of Coeval, without any I/O: plain data in, decisions out.
//!
//! - [`version`]: versions as they are written, stored, known and asked for
//! - [`decide`]: what a read or a write at some version means
//! - [`compat`]: what kind of change a version of a type is, and what it breaks
//! - [`convert`]: conversions between the versions of a type, and writes at any of them
//! - [`phases`]: what servers do while a type is moved from one major to the next
//! - [`types`]: type versions: their file, their schema, what they declare
//! - [`examples`]: documents that fit a schema, and edits that keep them fitting

pub mod compat;
pub mod convert;
pub mod decide;
pub mod examples;
pub mod phases;
pub mod types;
pub mod version;
