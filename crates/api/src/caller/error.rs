//! Why somebody is not let in.

use crate::caller::certificate::CertificateError;
use crate::negotiation::HeaderError;
use coeval_codes::{Code, Coded};
use coeval_engine::EngineError;
use std::time::Duration;

/// What the gate itself refuses.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CallerRefusal {
    /// A client's certificate names nobody.
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    /// The request says nothing of who sends it.
    #[error("the request says nothing of who sends it")]
    CredentialsMissing,
    /// Too many requests.
    #[error("more requests come from this user or address than the server takes from one")]
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

impl Coded for CallerRefusal {
    fn code(&self) -> Code {
        match self {
            Self::Certificate(inner) => inner.code(),
            Self::CredentialsMissing => coeval_codes::CREDENTIALS_MISSING,
            Self::TooManyRequests { .. } => coeval_codes::REQUESTS_TOO_MANY,
        }
    }

    fn advice(&self) -> String {
        let text = match self {
            Self::Certificate(inner) => return inner.advice(),
            Self::CredentialsMissing => "Log in and send the token as authorization: Bearer.",
            Self::TooManyRequests { .. } => "Wait as long as the answer says, then go on.",
        };
        text.to_owned()
    }
}
