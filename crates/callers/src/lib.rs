//! What every API reads from a request's headers: the credentials, the tenant that a provider acts
//! for, the versions that the client understands, and what it has seen. The names are the same in
//! HTTP headers and in gRPC metadata, so they are read in one place.

mod credentials;
mod error;
mod headers;
mod wanted;

pub use credentials::Credentials;
pub use error::HeaderError;
pub use headers::{Headers, names};
pub use wanted::wanted_versions;
