//! The protobuf package of a type, made at run time from its layout: descriptors, and content as messages.
//!
//! - `descriptor`: the package as protobuf's own description of a file
//! - `compiled`: descriptors and look-ups, made once for each layout; `cache` keeps them
//! - `encode`: content as a message
//! - `put`: what a message says, put on what is stored
//! - `mask`: field masks in the names of the package
//! - `error`: what a message can't be; `refusal`: why a call with one is refused
//!
//! Nothing here knows who calls: `typed` serves packages to callers.

pub(crate) mod cache;
pub(crate) mod compiled;
pub(crate) mod descriptor;
pub(crate) mod encode;
pub(crate) mod error;
pub(crate) mod mask;
pub(crate) mod put;
pub(crate) mod refusal;
#[cfg(test)]
mod tests;
