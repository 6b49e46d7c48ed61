//! Sealing: bytes that only this installation can read, and only in the place that they were made for.
//!
//! AES-256-GCM with a random nonce for each message. The sealed bytes name their key, so keys can be replaced while
//! what older ones sealed still opens. What is sealed is bound to a [`Context`]: moved elsewhere it does not open.
//! With random nonces one key is good for some four thousand million messages; replace it long before.

pub mod context;
pub mod error;
pub mod keyring;
pub mod secret_error;
#[cfg(test)]
mod tests;

use crate::seal::context::Context;
use crate::seal::error::SealError;
use crate::seal::keyring::Keyring;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

/// The first byte of all that is sealed so.
const FORMAT: u8 = 1;

impl Keyring {
    /// Seals with the current key.
    ///
    /// # Errors
    ///
    /// If the system gives no random bytes.
    pub fn seal(&self, context: &Context<'_>, plaintext: &[u8]) -> Result<Vec<u8>, SealError> {
        let id = self.current();
        let key = self.key(id.as_str()).ok_or(SealError::KeyUnknown)?;
        let mut nonce = [0; NONCE_LEN];
        getrandom::fill(&mut nonce).map_err(|_| SealError::NoRandom)?;
        let mut sealed = header(id.as_str());
        // Format and key id are authenticated along: exchanged in front, they open nothing.
        let bound = context.bytes(&sealed);
        let mut secret = plaintext.to_vec();
        let nonce_value = Nonce::assume_unique_for_key(nonce);
        cipher(key)?
            .seal_in_place_append_tag(nonce_value, Aad::from(&bound), &mut secret)
            // The only reason is a message beyond 64 GiB.
            .map_err(|_| SealError::Malformed)?;
        sealed.extend_from_slice(&nonce);
        sealed.extend_from_slice(&secret);
        Ok(sealed)
    }

    /// Whether the current key sealed it.
    #[must_use]
    pub fn sealed_by_current(&self, sealed: &[u8]) -> bool {
        parts(sealed).is_some_and(|parts| parts.id == self.current().as_str())
    }

    /// Opens what was sealed for this context, with whichever key.
    ///
    /// # Errors
    ///
    /// If it is not sealed bytes, its key is not here, or it was altered or made for another context.
    pub fn open(&self, context: &Context<'_>, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let Parts { id, nonce, secret } = parts(sealed).ok_or(SealError::Malformed)?;
        let key = self.key(id).ok_or(SealError::KeyUnknown)?;
        let bound = context.bytes(&header(id));
        let nonce = Nonce::assume_unique_for_key(nonce);
        let mut secret = secret.to_vec();
        let opened = cipher(key)?
            .open_in_place(nonce, Aad::from(&bound), &mut secret)
            // Altered bytes and a wrong place look the same here; that is what binding means.
            .map_err(|_| SealError::NotAuthentic)?;
        // The tag behind the message was cut off in place.
        let length = opened.len();
        secret.truncate(length);
        Ok(secret)
    }
}

/// Made for each message: what is kept is only the key itself, which is wiped.
fn cipher(key: &[u8; 32]) -> Result<LessSafeKey, SealError> {
    let unbound = UnboundKey::new(&AES_256_GCM, key).map_err(|_| SealError::KeyUnknown)?;
    Ok(LessSafeKey::new(unbound))
}

/// Format, length of the key's id, the id.
fn header(id: &str) -> Vec<u8> {
    // An id has at most 32 bytes (`KeyId`), so the length fits into one.
    let mut bytes = vec![FORMAT, u8::try_from(id.len()).unwrap_or(u8::MAX)];
    bytes.extend_from_slice(id.as_bytes());
    bytes
}

struct Parts<'s> {
    id: &'s str,
    nonce: [u8; NONCE_LEN],
    secret: &'s [u8],
}

fn parts(sealed: &[u8]) -> Option<Parts<'_>> {
    // Any other format is refused: it may be of a later release, and nothing is guessed of it.
    let [FORMAT, length, rest @ ..] = sealed else {
        return None;
    };
    let (id, rest) = rest.split_at_checked(usize::from(*length))?;
    let (nonce, secret) = rest.split_first_chunk::<NONCE_LEN>()?;
    if secret.len() < AES_256_GCM.tag_len() {
        return None;
    }
    Some(Parts {
        id: std::str::from_utf8(id).ok()?,
        nonce: *nonce,
        secret,
    })
}
