//! The names of a type: its vendor and its nss.

use super::Excerpt;
use std::fmt;

/// The longest vendor or nss. Ids built of two of them stay far below the limit of a key.
pub const MAX_NAME: usize = 128;

/// A vendor or an nss: letters, digits, `_` and `-` of ASCII. Case matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UrnName<'a>(&'a str);

/// What is wrong with a name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NameFlaw {
    /// Nothing there.
    #[error("it is empty")]
    Empty,
    /// Over the limit.
    #[error("it is longer than {MAX_NAME} characters")]
    TooLong,
    /// A character that is not allowed.
    #[error("{0} is neither a letter, a digit, `_` nor `-`")]
    Character(Excerpt),
}

impl<'a> UrnName<'a> {
    /// Checks it.
    pub fn parse(text: &'a str) -> Result<Self, NameFlaw> {
        let stranger = |c: &char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
        match text.chars().find(stranger) {
            _ if text.is_empty() => Err(NameFlaw::Empty),
            _ if text.len() > MAX_NAME => Err(NameFlaw::TooLong),
            Some(c) => Err(NameFlaw::Character(Excerpt::of(c.encode_utf8(&mut [0; 4])))),
            None => Ok(Self(text)),
        }
    }

    /// As it was written.
    #[must_use]
    pub const fn as_str(self) -> &'a str {
        self.0
    }
}

impl fmt::Display for UrnName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A type without a version, `acme:app`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeName<'a> {
    /// Who defines it.
    pub vendor: UrnName<'a>,
    /// What it is; the vendor's namespace-specific string.
    pub nss: UrnName<'a>,
}

impl fmt::Display for TypeName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.vendor, self.nss)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_real_clients_use_are_accepted() {
        for text in ["vmware", "capvcdCluster", "my_type-2", "k8s", "0"] {
            assert_eq!(UrnName::parse(text).unwrap().as_str(), text);
        }
        assert!(UrnName::parse(&"n".repeat(MAX_NAME)).is_ok());
    }

    #[test]
    fn what_would_break_a_path_or_an_id_is_refused() {
        for text in ["a.b", "a:b", "a/b", "a b", "ä", "a\n", "%41", "*"] {
            let flaw = UrnName::parse(text).unwrap_err();
            assert!(matches!(flaw, NameFlaw::Character(_)), "{text:?}: {flaw}");
        }
        assert_eq!(UrnName::parse(""), Err(NameFlaw::Empty));
        let long = "n".repeat(MAX_NAME + 1);
        assert_eq!(UrnName::parse(&long), Err(NameFlaw::TooLong));
    }
}
