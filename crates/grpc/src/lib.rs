//! The gRPC API: the standard methods on resources of every kind, typed services that come with
//! the types, and services for types, access and tasks. On the same port as the REST APIs.
//!
//! - `call`: who calls, from the metadata, and what every answer has
//! - `status`: every refusal as a status with typed details
//! - `resources`: the generic service
//! - `typed`: services made at run time from the types
//!
//! No rule is here: the methods are those of `coeval-methods`, on the engine.

mod api;
mod call;
pub mod proto;
mod resources;
mod status;
mod typed;
mod unmatched;

pub use api::{Grpc, Settings};
