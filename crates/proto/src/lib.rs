//! What is generated from our `.proto` files, for servers and clients.
#![allow(
    missing_debug_implementations,
    unreachable_pub,
    rust_2018_idioms,
    clippy::all,
    reason = "generated"
)]

/// What all resources have in common.
pub mod header {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.header.v1");
    }
}

/// What every refusal says.
pub mod errors {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.errors.v1");
    }
}

/// Resources of every kind.
pub mod resources {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.resources.v1");
    }
}

/// The server's side of the same, whose watch answers bytes that were encoded once.
pub(crate) mod resources_served {
    include!(concat!(env!("OUT_DIR"), "/server/coeval.resources.v1.rs"));
}

/// Type versions and interfaces.
pub mod types {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.types.v1");
    }
}

/// Who may do what: grants, organizations, users, roles, bundles, sessions.
pub mod access {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.access.v1");
    }
}

/// Long-running jobs.
pub mod tasks {
    /// Version 1.
    pub mod v1 {
        tonic::include_proto!("coeval.tasks.v1");
    }
}

/// All our files and those that they import, with their comments: a serialized
/// `google.protobuf.FileDescriptorSet`.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

/// The same files as they are written, by path.
pub const SOURCES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/sources.rs"));
