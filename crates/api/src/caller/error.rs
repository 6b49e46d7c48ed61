//! Why somebody is not let in.

use crate::caller::certificate::CertificateError;
use crate::negotiation::HeaderError;
use coeval_codes::Coded;
use coeval_engine::EngineError;
use std::time::Duration;

/// What the gate itself refuses.
#[derive(Clone, Debug, thiserror::Error, Coded)]
pub enum CallerRefusal {
    /// A client's certificate names nobody.
    #[error(transparent)]
    #[code(transparent)]
    Certificate(#[from] CertificateError),
    /// The request says nothing of who sends it.
    #[error("the request says nothing of who sends it")]
    #[code(
        CREDENTIALS_MISSING,
        advice = "Log in and send the token as authorization: Bearer."
    )]
    CredentialsMissing,
    /// Too many requests.
    #[error("more requests come from this user or address than the server takes from one")]
    #[code(
        REQUESTS_TOO_MANY,
        advice = "Wait as long as the answer says, then go on."
    )]
    TooManyRequests {
        /// When to come again.
        retry_after: Duration,
    },
}

/// Why a request has no caller. Each API makes an error of its own of it.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallerError {
    /// The engine knows nobody by these credentials, or fails.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A header or metadata entry can't be read.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// The gate refuses.
    #[error(transparent)]
    Refused(#[from] CallerRefusal),
}
