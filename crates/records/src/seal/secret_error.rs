//! Why secrets can't be stored or read.

use crate::seal::error::SealError;
use coeval_codes::{Code, Coded};

/// Why secrets can't be stored or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// Secure values are never stored in clear.
    #[error("the content has a secure field, and this server has no key to encrypt it with")]
    NoKey,
    /// They are there and can't be opened.
    #[error("the secrets of the resource can't be opened: {0}")]
    Sealed(#[from] SealError),
    /// Opened, and they don't fit the resource.
    #[error("the secrets of the resource are missing or don't belong to it")]
    Mismatch,
}

impl Coded for SecretError {
    fn code(&self) -> Code {
        match self {
            Self::NoKey => coeval_codes::SECRETS_NO_KEY,
            Self::Sealed(error) => error.code(),
            Self::Mismatch => coeval_codes::SECRETS_MISMATCH,
        }
    }

    fn advice(&self) -> String {
        match self {
            Self::NoKey => "Start the server with a keyring; see the page on secrets.".to_owned(),
            Self::Sealed(error) => error.advice(),
            Self::Mismatch => {
                "Restore the resource from a backup, or write its secure fields anew.".to_owned()
            }
        }
    }
}
