//! What every API reads from a request: the credentials or the client's certificate, the tenant that
//! a provider acts for, the versions that the client understands, what it has seen, where it comes
//! from, and whether its sender sends too much. The names are the same in HTTP headers and in gRPC
//! metadata, so they are read in one place.

mod certificate;
mod credentials;
mod error;
mod headers;
mod quota;
mod wanted;

pub use certificate::{CertificateError, CertificateUser};
pub use coeval_server::{CalledBy, Peer};
pub use credentials::Credentials;
pub use error::HeaderError;
pub use headers::{Headers, names, warning_text};
pub use quota::Quota;
pub use wanted::wanted_versions;
