//! The secrets of sessions and API tokens: 256 random bits behind a prefix that tells which it is.
//! Only their hash is stored.

use crate::identity::session_kind::SessionKind;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use coeval_core::version::Uuid;
use coeval_records::error::identity::IdentityError;
use coeval_storage::StorageError;
use sha2::{Digest, Sha256};
use std::fmt::{self, Write as _};

/// What a client sends to be known. Shown once.
#[derive(Clone, PartialEq, Eq)]
pub struct TokenSecret(String);

impl TokenSecret {
    pub fn draw(kind: SessionKind) -> Result<Self, StorageError> {
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| StorageError::failed(format!("no random bytes: {error}")))?;
        let text = URL_SAFE_NO_PAD.encode(bytes);
        Ok(Self(format!("{}{text}", kind.prefix())))
    }

    /// To be handed to the client, and nowhere else.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    pub fn hash(&self) -> String {
        hex(&self.0)
    }
}

impl fmt::Debug for TokenSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TokenSecret(…)")
    }
}

/// The hash of what a client sent, if it is a token at all.
pub fn hash(sent: &str) -> Result<String, IdentityError> {
    // Before any lookup: what can't be a token costs no read.
    let secret = SessionKind::ALL
        .iter()
        .find_map(|kind| sent.strip_prefix(kind.prefix()));
    let decoded = secret
        .filter(|secret| secret.len() == 43)
        .and_then(|secret| URL_SAFE_NO_PAD.decode(secret).ok());
    match decoded {
        Some(bytes) if bytes.len() == 32 => Ok(hex(sent)),
        _ => Err(IdentityError::TokenInvalid),
    }
}

/// Whether a text can be a hash.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// A shorter id, from the beginning of a hash.
pub fn short(hash: &str) -> Uuid {
    let bits = hash.get(..32);
    let bits = bits.and_then(|digits| u128::from_str_radix(digits, 16).ok());
    Uuid(bits.unwrap_or_default())
}

/// SHA-256, in hexadecimal digits.
pub fn hex(text: &str) -> String {
    // A plain hash is enough: 256 random bits can't be guessed, as a password can.
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_secret_hashes_as_what_the_client_sends_and_is_not_printed() {
        for kind in SessionKind::ALL {
            let secret = TokenSecret::draw(*kind).unwrap();
            assert_eq!(hash(secret.reveal()), Ok(secret.hash()));
            assert!(is_hash(&secret.hash()));
            assert!(secret.reveal().starts_with(kind.prefix()));
            assert!(!format!("{secret:?}").contains(secret.reveal()));
            assert_ne!(secret, TokenSecret::draw(*kind).unwrap());
        }
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let good = TokenSecret::draw(SessionKind::Session).unwrap();
        let good = good.reveal();
        let bare = good.trim_start_matches("cvs_");
        for bad in [
            String::new(),
            bare.to_owned(),
            format!("cvx_{bare}"),
            format!("{good}A"),
            good[..good.len() - 1].to_owned(),
            good.replace("cvs_", "cvs_="),
        ] {
            assert_eq!(hash(&bad), Err(IdentityError::TokenInvalid), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_sent_never_panics(sent: String) {
            let _ = hash(&sent);
            let _ = hash(&format!("cvs_{sent}"));
        }
    }
}
