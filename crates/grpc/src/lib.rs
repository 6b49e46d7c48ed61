//! The gRPC API: the standard methods on resources of every kind, typed services that come with
//! the types, and services for types, access and tasks. On the same port as the REST APIs.
//!
//! - `call`: who calls, from the metadata, and what every answer has
//! - `status`: every refusal as a status with typed details
//! - `resources`: the generic service
//! - `types`, `access`, `tasks`: services for what is around resources
//! - `typed`: services made at run time from the types
//!
//! No rule is here: the methods are those of `coeval-methods`, on the engine.

mod access;
mod api;
mod around;
mod call;
mod ending;
#[allow(dead_code, reason = "some are for the typed services")]
mod error;
mod fields;
mod ids;
mod pages;
pub mod proto;
mod resources;
mod secret;
mod services;
mod status;
mod tasks;
mod times;
mod typed;
mod types;
mod unmatched;

pub use api::{Grpc, Settings};
