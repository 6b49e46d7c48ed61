//! The messages and services of the gRPC API, as they are generated from our `.proto` files: for the
//! server, for the client library, and for tests.

#[allow(
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms,
    clippy::all,
    reason = "generated"
)]
mod generated;
mod secret;
pub mod strict;
pub mod wire;

pub use generated::*;

/// All our files and those that they import, with their comments: a serialized
/// `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The same files as they are written, by path.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
