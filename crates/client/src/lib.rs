//! The client library.
//!
//! - [`Client`]: a connection to a server, or to several behind one address
//! - [`Resources`]: the resources of one kind, with their content as a type of yours or as JSON
//! - [`ClientError`]: why not, with the stable code and what to do next
//!
//! What it takes care of: it carries the sequence of what it has written and read, so that it reads
//! its own writes from every server; it says which versions it understands; it tries again, with
//! jitter, only what can't happen twice.

mod client;
mod connection;
mod error;
mod resource;
mod resources;
mod sequence;

pub use client::{Builder, Client, Login};
pub use connection::Connection;
pub use error::{ClientError, Kind};
pub use resource::{Metadata, Resource, Status};
pub use resources::{Query, Resources, Written};

/// The messages and services below, for what this library has no word for.
pub use coeval_proto as proto;
