//! Typed services: the messages of a package, made at run time from its layout.
//!
//! - `descriptor`: the package as protobuf's own description of a file
//! - `package`: descriptors and look-ups, made once for each layout
//! - `say`: content as a message
//! - `put`: what a message says, put on what is stored
//! - `mask`: field masks in the names of the package
//! - `error`: what a message can't be

pub(crate) mod descriptor;
pub(crate) mod error;
pub(crate) mod mask;
pub(crate) mod package;
pub(crate) mod put;
pub(crate) mod say;
#[cfg(test)]
mod tests;
