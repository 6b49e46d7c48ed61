//! Who sends a request: the credentials or the client's certificate, where it comes from, and whether
//! its sender sends too much. Login exists once, here: every API lets its callers in by [`CallerGate`].

mod certificate;
mod credentials;
mod error;
mod gate;
mod quota;
mod request;

pub use certificate::{CertificateError, CertificateUser};
pub use coeval_server::{CalledBy, Peer};
pub use credentials::SentCredentials;
pub use error::{CallerError, CallerRefusal};
pub use gate::CallerGate;
pub use quota::RequestQuota;
pub use request::CallerRequest;
