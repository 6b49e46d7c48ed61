//! What client and server agree on in headers: the versions that the client understands, what it has
//! seen, whether it insists, and what answers say of versions. The names are the same in HTTP headers
//! and in gRPC metadata, so they are read in one place.

mod error;
mod headers;
pub mod names;
mod wanted;

pub use error::HeaderError;
pub use headers::{RequestHeaders, warning_text};
pub use wanted::wanted_versions;
