//! Revision, incarnation, token: the names of a content, a history, and a point in a history.

use crate::error::StorageError;
use sha2::{Digest, Sha256};
use std::fmt;

/// The opaque generation of one object: 16 random bytes, drawn before the commit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Revision([u8; 16]);

impl Revision {
    /// A revision that no record ever has. Drawn ones are never all ones, so that `r + 1` exists.
    pub const NEVER: Self = Self([0xff; 16]);

    /// Draws one.
    ///
    /// # Errors
    /// [`StorageError::Failed`] if the system gives no random bytes.
    pub fn draw() -> Result<Self, StorageError> {
        loop {
            let drawn = Self(random()?);
            if drawn != Self::NEVER {
                return Ok(drawn);
            }
        }
    }

    /// From its 16 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// Reads what [`Display`](fmt::Display) wrote. A malformed one simply never matches.
    ///
    /// ```
    /// use coeval_storage::Revision;
    ///
    /// let revision = Revision::draw().unwrap();
    /// assert_eq!(Revision::from_opaque(&revision.to_string()), revision);
    /// assert_eq!(Revision::from_opaque("made up"), Revision::NEVER, "no record has it");
    /// ```
    #[must_use]
    pub fn from_opaque(text: &str) -> Self {
        match from_hex(text) {
            Some(bytes) => Self(bytes),
            None => Self::NEVER,
        }
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Debug for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// The identity of a store's history.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Incarnation([u8; 16]);

impl Incarnation {
    /// Draws one.
    ///
    /// # Errors
    /// [`StorageError::Failed`] if the system gives no random bytes.
    pub fn draw() -> Result<Self, StorageError> {
        Ok(Self(random()?))
    }

    /// From its 16 bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Its 16 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }

    /// The incarnation of a store that was put in another place: a drawn one together with what
    /// the server itself says of its identity, because operators forget commands.
    #[must_use]
    pub fn placed(self, identity: &[u8]) -> Self {
        // Hashed, not joined: the result has the size of every incarnation, and shows neither part.
        let hash = Sha256::new_with_prefix(self.0)
            .chain_update(identity)
            .finalize();
        let mut bytes = [0; 16];
        for (to, from) in bytes.iter_mut().zip(hash.iter()) {
            *to = *from;
        }
        Self(bytes)
    }
}

impl fmt::Debug for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

impl fmt::Display for Incarnation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(f, &self.0)
    }
}

/// A point in a store's history: what leaves the store as an opaque text.
///
/// ```
/// use coeval_storage::{Incarnation, Token};
///
/// let token = Token { incarnation: Incarnation::from_bytes([1; 16]), sequence: 7 };
/// assert_eq!(Token::from_opaque(&token.to_string()), Some(token));
/// assert_eq!(Token::from_opaque("7"), None, "a sequence alone names no history");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token {
    /// Which history.
    pub incarnation: Incarnation,
    /// The sequence in it.
    pub sequence: u64,
}

impl Token {
    /// Reads what [`Display`](fmt::Display) wrote.
    #[must_use]
    pub fn from_opaque(text: &str) -> Option<Self> {
        let (incarnation, sequence) = text.split_at_checked(32)?;
        // `from_str_radix` accepts a sign, but a token has one spelling only.
        if sequence.len() != 16 || sequence.contains('+') {
            return None;
        }
        Some(Self {
            incarnation: Incarnation(from_hex(incarnation)?),
            sequence: u64::from_str_radix(sequence, 16).ok()?,
        })
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:016x}", self.incarnation, self.sequence)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}@{}", self.incarnation, self.sequence)
    }
}

fn random() -> Result<[u8; 16], StorageError> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)
        .map_err(|e| StorageError::failed(format!("no random bytes: {e}")))?;
    Ok(bytes)
}

fn write_hex(f: &mut fmt::Formatter<'_>, bytes: &[u8; 16]) -> fmt::Result {
    write!(f, "{:032x}", u128::from_be_bytes(*bytes))
}

fn from_hex(text: &str) -> Option<[u8; 16]> {
    // As above: `from_str_radix` would accept a sign.
    if text.len() != 32 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_token_reads_back(incarnation: [u8; 16], sequence: u64) {
            let token = Token { incarnation: Incarnation(incarnation), sequence };
            prop_assert_eq!(Token::from_opaque(&token.to_string()), Some(token));
        }

        #[test]
        fn garbage_is_no_token_and_never_a_revision(text: String) {
            prop_assume!(from_hex(&text).is_none());
            prop_assert_eq!(Token::from_opaque(&text), None);
            prop_assert_eq!(Revision::from_opaque(&text), Revision::NEVER);
        }
    }

    #[test]
    fn a_revision_reads_back() {
        let revision = Revision::draw().unwrap();
        assert_eq!(Revision::from_opaque(&revision.to_string()), revision);
        assert_eq!(Revision::from_opaque(""), Revision::NEVER);
    }
}
