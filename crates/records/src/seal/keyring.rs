//! The keys of an installation: one that seals, and those that only open what they sealed before.

use crate::seal::error::KeyringError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt;
use zeroize::Zeroizing;

const KEY_BYTES: usize = 32;
const LONGEST_ID: usize = 32;
const LONGEST_TEXT: usize = 64 * 1024;

/// The name of a key: letters, digits, `-` and `_`. It is not secret.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId(String);

impl KeyId {
    /// Of a text of 1 to 32 letters, digits, `-` and `_`.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_');
        let fits = (1..=LONGEST_ID).contains(&text.len()) && text.bytes().all(plain);
        fits.then(|| Self(text.to_owned()))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

struct NamedKey {
    id: KeyId,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
}

/// At least one key; the first seals. Keys are wiped when it is dropped.
pub struct Keyring {
    current: NamedKey,
    older: Vec<NamedKey>,
}

impl Keyring {
    /// Of lines `id:base64`, the current key first, as they are in a file or a variable. Blank lines and lines that
    /// begin with `#` say nothing. The caller wipes the text.
    ///
    /// # Errors
    ///
    /// If there is no key, or a line is not one; with the line's number and never its content.
    pub fn parse(text: &str) -> Result<Self, KeyringError> {
        if text.len() > LONGEST_TEXT {
            let limit = LONGEST_TEXT;
            return Err(KeyringError::TooLarge { limit });
        }
        let mut keys: Vec<NamedKey> = Vec::new();
        for (line, text) in (1..).zip(text.lines()) {
            let text = text.trim();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let key = read_line(line, text)?;
            // Sealed bytes name their key by this id: two of them could not be told apart.
            if keys.iter().any(|known| known.id == key.id) {
                return Err(KeyringError::Twice { line });
            }
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let current = keys.next().ok_or(KeyringError::Empty)?;
        Ok(Self {
            current,
            older: keys.collect(),
        })
    }

    /// A new line for a keyring: a random key under this id.
    ///
    /// # Errors
    ///
    /// If the system gives no random bytes.
    pub fn generate_line(id: &KeyId) -> Result<Zeroizing<String>, KeyringError> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(bytes.as_mut_slice()).map_err(|_| KeyringError::NoRandom)?;
        // Every copy on the way is wiped, not only the last.
        let encoded = Zeroizing::new(STANDARD.encode(bytes.as_slice()));
        Ok(Zeroizing::new(format!("{id}:{}", encoded.as_str())))
    }

    /// The key that seals.
    #[must_use]
    pub const fn current(&self) -> &KeyId {
        &self.current.id
    }

    pub fn key(&self, id: &str) -> Option<&[u8; KEY_BYTES]> {
        let mut all = std::iter::once(&self.current).chain(&self.older);
        all.find(|key| key.id.as_str() == id).map(|key| &*key.bytes)
    }
}

fn read_line(line: usize, text: &str) -> Result<NamedKey, KeyringError> {
    let malformed = KeyringError::Line { line };
    let (id, encoded) = text.split_once(':').ok_or(malformed.clone())?;
    let id = KeyId::new(id.trim()).ok_or(malformed)?;
    let decoded = STANDARD.decode(encoded.trim());
    let decoded = Zeroizing::new(decoded.map_err(|_| KeyringError::NotBase64 { line })?);
    let mut bytes = Zeroizing::new([0; KEY_BYTES]);
    if decoded.len() != KEY_BYTES {
        let bytes = decoded.len();
        return Err(KeyringError::Length { line, bytes });
    }
    bytes.copy_from_slice(&decoded);
    Ok(NamedKey { id, bytes })
}

/// The ids only.
impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let older: Vec<_> = self.older.iter().map(|key| key.id.as_str()).collect();
        f.debug_struct("Keyring")
            .field("current", &self.current.id.as_str())
            .field("older", &older)
            .finish_non_exhaustive()
    }
}
