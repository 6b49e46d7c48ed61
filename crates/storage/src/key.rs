//! Keys: parts joined by `/`, ordered by their bytes.

use crate::error::StorageError;
use bytes::Bytes;
use sha2::{Digest, Sha256};
use std::fmt;

/// The longest key.
pub const MAX_KEY: usize = 1024;
/// The longest escaped part that comes from outside; a longer one is cut and ends in a hash.
pub const MAX_PART: usize = 256;

/// A checked key: 1 to 1,024 bytes, parts joined by `/`, none empty, `.` or `..`.
///
/// ```
/// use coeval_storage::Key;
///
/// let app = Key::try_from("app").unwrap();
/// assert_eq!(app.join("web").unwrap(), Key::try_from("app/web").unwrap());
/// assert!(Key::try_from("app//web").is_err() && Key::try_from("app/..").is_err());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Bytes);

impl Key {
    /// Checks the bytes.
    ///
    /// # Errors
    /// [`StorageError::InvalidKey`] says what is wrong.
    pub fn new(bytes: impl Into<Bytes>) -> Result<Self, StorageError> {
        let bytes = bytes.into();
        check(&bytes)?;
        Ok(Self(bytes))
    }

    /// A key as it was found in a store, without a check: what is wrong with it, its record's
    /// checksum shows, and one bad key must not hide its neighbours.
    #[must_use]
    pub const fn unchecked(bytes: Bytes) -> Self {
        Self(bytes)
    }

    /// `self` with one more part (or several, joined by `/`).
    ///
    /// # Errors
    /// [`StorageError::InvalidKey`] if the result is not a key.
    pub fn join(&self, part: impl AsRef<[u8]>) -> Result<Self, StorageError> {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + part.as_ref().len());
        bytes.extend_from_slice(&self.0);
        bytes.push(b'/');
        bytes.extend_from_slice(part.as_ref());
        Self::new(bytes)
    }

    /// The bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The bytes, shared.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        self.0.clone()
    }
}

impl TryFrom<&str> for Key {
    type Error = StorageError;

    fn try_from(text: &str) -> Result<Self, StorageError> {
        Self::new(text.as_bytes().to_vec())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.escape_ascii())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

fn check(bytes: &[u8]) -> Result<(), StorageError> {
    // The key itself is not repeated: it may be binary, and as long as it likes.
    let refuse = |reason: String| Err(StorageError::InvalidKey { reason });
    if bytes.is_empty() {
        return refuse("it is empty".into());
    }
    if bytes.len() > MAX_KEY {
        return refuse(format!("it has {} bytes, {MAX_KEY} at most", bytes.len()));
    }
    for part in bytes.split(|b| *b == b'/') {
        match part {
            b"" => return refuse("it has an empty part".into()),
            b"." | b".." => return refuse("a part is `.` or `..`".into()),
            _ => {}
        }
    }
    Ok(())
}

/// Escapes a part that comes from outside. No result is empty, `.` or `..`, none has a `/`, and
/// the byte order of the results is the order of the values, as far as [`MAX_PART`] reaches.
///
/// Every byte below `0` is written as `%XX`; such an escape sorts below every byte that is left
/// as it is.
///
/// ```
/// use coeval_storage::key::escape_part;
///
/// assert_eq!(escape_part(b"a/b"), b"a%2Fb");
/// assert_eq!(escape_part(b".."), b"%2E%2E");
/// assert!(escape_part(b"a") < escape_part(b"a/b"), "in the order of the values");
/// ```
#[must_use]
pub fn escape_part(value: &[u8]) -> Vec<u8> {
    if value.is_empty() {
        // A lone `%` is no escape, so no other value is written like this.
        return b"%".to_vec();
    }
    let mut escaped = Vec::with_capacity(value.len());
    for byte in value {
        // `%`, `!` and `/` are all below `0`: an escape, an end or a separator never comes from a value.
        if *byte < b'0' {
            escaped.extend_from_slice(format!("%{byte:02X}").as_bytes());
        } else {
            escaped.push(*byte);
        }
    }
    if escaped.len() <= MAX_PART {
        return escaped;
    }
    // `~` keeps a cut part apart from every part that fits: those are shorter.
    let hash = Sha256::digest(value);
    // Room for `~` and 32 hex digits: 128 bits of the hash are enough to tell values apart.
    escaped.truncate(MAX_PART - 33);
    escaped.push(b'~');
    for byte in hash.iter().take(16) {
        escaped.extend_from_slice(format!("{byte:02x}").as_bytes());
    }
    escaped
}

/// As [`escape_part`], for a value that is followed by further parts and whose order matters
/// (an index): ends in `!`, which sorts below everything, so `app` stays before `app-1` even
/// though `/` sorts after `%`.
///
/// ```
/// use coeval_storage::key::{escape_ordered, escape_part};
///
/// let in_key = |part: Vec<u8>| [part.as_slice(), b"/id"].concat();
/// let (app, app_1) = (b"app".as_slice(), b"app-1".as_slice());
/// assert!(in_key(escape_ordered(app)) < in_key(escape_ordered(app_1)));
/// assert!(in_key(escape_part(app)) > in_key(escape_part(app_1)), "what it is for");
/// ```
#[must_use]
pub fn escape_ordered(value: &[u8]) -> Vec<u8> {
    let mut escaped = escape_part(value);
    escaped.push(b'!');
    escaped
}

/// A half-open range of raw bytes, `start <= key < end`: what stores work with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySpan {
    /// The first bytes in it.
    pub start: Bytes,
    /// The first bytes after it.
    pub end: Bytes,
}

impl KeySpan {
    /// Every key.
    #[must_use]
    pub fn everything() -> Self {
        // 0xff is never the first byte of a key that UTF-8 text made, but a key may be binary:
        // a key has at most MAX_KEY bytes, so this sorts after all of them.
        Self {
            start: Bytes::new(),
            end: Bytes::from(vec![0xff; MAX_KEY + 1]),
        }
    }

    /// The keys below `prefix`: those that begin with `prefix/`.
    ///
    /// ```
    /// # use coeval_storage::Key;
    /// # let key = |text: &str| Key::try_from(text).unwrap();
    /// use coeval_storage::KeySpan;
    ///
    /// let span = KeySpan::below(&key("app"));
    /// assert!(span.contains(&key("app/web")));
    /// assert!(!span.contains(&key("app")) && !span.contains(&key("apple/web")));
    /// ```
    #[must_use]
    pub fn below(prefix: &Key) -> Self {
        let mut start = prefix.as_bytes().to_vec();
        let mut end = start.clone();
        start.push(b'/');
        // `0` is the byte after `/`: everything that goes on with another letter is outside.
        end.push(b'/' + 1);
        Self {
            start: start.into(),
            end: end.into(),
        }
    }

    /// From `first` to `last`, both included.
    #[must_use]
    pub fn between(first: &Key, last: &Key) -> Self {
        Self {
            start: first.to_bytes(),
            end: just_after(last.as_bytes()),
        }
    }

    /// What comes after `key` in it.
    ///
    /// ```
    /// # use coeval_storage::Key;
    /// # let key = |text: &str| Key::try_from(text).unwrap();
    /// use coeval_storage::KeySpan;
    ///
    /// let rest = KeySpan::below(&key("app")).after(&key("app/b"));
    /// assert!(rest.contains(&key("app/b/1")) && !rest.contains(&key("app/b")));
    /// ```
    #[must_use]
    pub fn after(&self, key: &Key) -> Self {
        Self {
            // A key before the span cuts nothing off.
            start: just_after(key.as_bytes()).max(self.start.clone()),
            end: self.end.clone(),
        }
    }

    /// What comes before `key` in it.
    #[must_use]
    pub fn before(&self, key: &Key) -> Self {
        Self {
            start: self.start.clone(),
            end: key.to_bytes().min(self.end.clone()),
        }
    }

    /// Whether the key is in it.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        self.start.as_ref() <= key.as_bytes() && key.as_bytes() < self.end.as_ref()
    }

    /// Whether no key is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.start >= self.end
    }
}

/// The smallest byte string after `bytes`.
fn just_after(bytes: &[u8]) -> Bytes {
    let mut next = Vec::with_capacity(bytes.len() + 1);
    next.extend_from_slice(bytes);
    next.push(0);
    next.into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(text: &str) -> Key {
        Key::try_from(text).unwrap()
    }

    #[test]
    fn empty_dotted_and_long_keys_are_refused_with_the_reason() {
        for (bytes, reason) in [
            ("", "empty"),
            ("a//b", "empty part"),
            ("/a", "empty part"),
            ("a/", "empty part"),
            ("a/./b", "`.` or `..`"),
            ("..", "`.` or `..`"),
        ] {
            let error = Key::try_from(bytes).unwrap_err().to_string();
            assert!(error.contains(reason), "{bytes}: {error}");
        }
        assert!(Key::new(vec![b'a'; MAX_KEY]).is_ok());
        assert!(Key::new(vec![b'a'; MAX_KEY + 1]).is_err());
    }

    #[test]
    fn a_prefix_excludes_siblings_that_share_its_letters() {
        let span = KeySpan::below(&key("foo"));
        assert!(span.contains(&key("foo/a")));
        assert!(!span.contains(&key("foo")));
        assert!(!span.contains(&key("foobar")));
        assert!(!span.contains(&key("foobar/a")));
    }

    #[test]
    fn both_ends_of_a_range_are_included() {
        let span = KeySpan::between(&key("b"), &key("d"));
        let inside = ["a", "b", "c", "d", "d/x", "e"].map(|k| span.contains(&key(k)));
        assert_eq!(inside, [false, true, true, true, false, false]);
    }

    #[test]
    fn the_named_escapes() {
        assert_eq!(escape_part(b""), b"%");
        assert_eq!(escape_part(b"."), b"%2E");
        assert_eq!(escape_part(b".."), b"%2E%2E");
        assert_eq!(escape_part(b"a/b"), b"a%2Fb");
        assert_eq!(escape_part(&[b'x'; 400]).len(), MAX_PART);
        assert_ne!(escape_part(&[b'x'; 400]), escape_part(&[b'x'; 401]));
    }

    proptest! {
        #[test]
        fn escaping_keeps_order_and_makes_valid_parts(a: Vec<u8>, b: Vec<u8>) {
            prop_assume!(a.len() < 80 && b.len() < 80);
            prop_assert_eq!(a.cmp(&b), escape_part(&a).cmp(&escape_part(&b)));
            let in_key = |v: &[u8]| {
                let part = escape_ordered(v);
                Key::new([b"x/", part.as_slice(), b"/id"].concat()).unwrap()
            };
            prop_assert_eq!(a.cmp(&b), in_key(&a).cmp(&in_key(&b)));
            prop_assert!(Key::new(escape_part(&a)).is_ok());
        }

        #[test]
        fn a_key_of_any_bytes_never_panics(bytes: Vec<u8>) {
            if let Ok(key) = Key::new(bytes) {
                prop_assert!(KeySpan::everything().contains(&key));
            }
        }
    }
}
