//! Typed services: the messages of a package, made at run time from its layout, and the calls of its
//! methods.
//!
//! - `descriptor`: the package as protobuf's own description of a file
//! - `package`: descriptors and look-ups, made once for each layout; `packages` keeps them
//! - `say`: content as a message
//! - `put`: what a message says, put on what is stored
//! - `mask`: field masks in the names of the package
//! - `error`: what a message can't be
//! - `dispatch`: which method of which package a call means
//! - `envelope`: what is known of a request around its content
//! - `messages`: what methods take and answer; `body`: resources in them
//! - `calls`, `watch`: the standard methods; `refused`: what they refuse

mod body;
mod calls;
pub(crate) mod descriptor;
pub(crate) mod dispatch;
mod envelope;
pub(crate) mod error;
#[cfg(test)]
mod fixed_tests;
pub(crate) mod mask;
mod messages;
#[allow(dead_code, reason = "descriptors that only tests look at")]
pub(crate) mod package;
mod packages;
pub(crate) mod put;
mod refused;
pub(crate) mod say;
#[cfg(test)]
mod tests;
mod watch;

pub(crate) use packages::Packages;
pub(crate) use refused::Refused;
