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
//!
//! A message says less than JSON: it has no nulls, no numbers beyond 64 bits, no difference between an
//! empty list and none, and no fields that came after the package was generated. What it can't say must
//! survive a client that reads, changes one field and writes. So content goes out through a
//! [`Lens`](coeval_typed::lens::Lens), which leaves out what a message can't hold exactly, and comes back
//! by being *put* on what is stored, which changes what the message can say and nothing else. The laws
//! of that pair are tested over generated types in `tests/laws.rs`.

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
