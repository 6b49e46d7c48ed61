//! Why secrets can't be stored or read.

use crate::seal::error::SealError;
use coeval_codes::Coded;

/// Why secrets can't be stored or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Coded)]
pub enum SecretError {
    /// Secure values are never stored in clear.
    #[error("the content has a secure field, and this server has no key to encrypt it with")]
    #[code(
        SECRETS_NO_KEY,
        advice = "Start the server with a keyring; see the page on secrets."
    )]
    NoKey,
    /// They are there and can't be opened.
    #[error("the secrets of the resource can't be opened: {0}")]
    #[code(transparent)]
    Sealed(#[from] SealError),
    /// Opened, and they don't fit the resource.
    #[error("the secrets of the resource are missing or don't belong to it")]
    #[code(
        SECRETS_MISMATCH,
        advice = "Restore the resource from a backup, or write its secure fields anew."
    )]
    Mismatch,
}
