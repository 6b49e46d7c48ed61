//! The gRPC API: the standard methods on resources of every kind, typed services that come with
//! the types, and services for types, access, tasks and migrations. On the same port as the REST APIs.
//!
//! - `call`: who calls, from the metadata, and what every answer has
//! - `status`: every refusal as a status with typed details
//! - `header`: what all resources have, as messages; `resources`: the generic service
//! - `types`, `access`, `tasks`, `migrations`: services for what is around resources
//! - `package`: protobuf packages made at run time from the types; `typed`: the services in them
//! - `reflection`, `protos`: descriptors and `.proto` files for those who may have them
//! - `health`: whether the server can serve
//! - `middleware`: deadlines, unknown fields, and a code for every status
//! - `deprecated`: what is to go, as the `.proto` files declare it
//!
//! No rule is here: the methods are those of `coeval-api`, on the engine.

mod access;
mod api;
mod call;
mod deprecated;
mod ending_body;
mod error;
mod explained;
mod fields;
mod generated;
mod header;
mod health;
mod ids;
mod middleware;
mod migrations;
mod package;
mod pages;
mod pool;
mod protos;
pub mod raw;
mod reflection;
mod releases;
mod resources;
mod router;
mod services;
mod status;
mod symbols;
mod tasks;
mod times;
mod typed;
mod types;
pub mod watching;

pub use api::GrpcSettings;
pub use coeval_proto as proto;
pub use deprecated::deprecations;
pub use router::GrpcApi;
