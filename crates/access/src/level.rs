//! The three levels of access, and how the RDE API writes them.

use coeval_codes::Coded;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

const URN: &str = "urn:vcloud:accessLevel:";

/// What an ACL grants. Each level includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum AccessLevel {
    /// See it.
    ReadOnly,
    /// See and change it.
    ReadWrite,
    /// Everything: delete it, give it away, see and write what is private.
    FullControl,
}

impl AccessLevel {
    /// From the lowest to the highest.
    pub const ALL: [Self; 3] = [Self::ReadOnly, Self::ReadWrite, Self::FullControl];

    /// The name without the URN's prefix.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadOnly => "ReadOnly",
            Self::ReadWrite => "ReadWrite",
            Self::FullControl => "FullControl",
        }
    }

    /// As in the RDE API: `urn:vcloud:accessLevel:ReadOnly`.
    #[must_use]
    pub const fn urn(self) -> &'static str {
        match self {
            Self::ReadOnly => "urn:vcloud:accessLevel:ReadOnly",
            Self::ReadWrite => "urn:vcloud:accessLevel:ReadWrite",
            Self::FullControl => "urn:vcloud:accessLevel:FullControl",
        }
    }
}

impl fmt::Display for AccessLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name, with or without the URN's prefix.
impl FromStr for AccessLevel {
    type Err = LevelUnknown;

    fn from_str(text: &str) -> Result<Self, LevelUnknown> {
        let name = text.strip_prefix(URN).unwrap_or(text);
        let found = Self::ALL.into_iter().find(|level| level.name() == name);
        found.ok_or_else(|| LevelUnknown(text.chars().take(60).collect()))
    }
}

/// A text that names no level: its beginning.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("{0:?} is not an access level")]
#[code(ACCESS_LEVEL_UNKNOWN, advice = levels_advice())]
pub struct LevelUnknown(String);

fn levels_advice() -> String {
    let [low, middle, high] = AccessLevel::ALL.map(AccessLevel::urn);
    format!("Use {low}, {middle} or {high}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_ordered_and_each_reads_back_from_both_of_its_forms() {
        assert!(AccessLevel::ALL.is_sorted());
        for level in AccessLevel::ALL {
            assert_eq!(level.urn(), format!("{URN}{level}"));
            assert_eq!(level.urn().parse(), Ok(level));
            assert_eq!(level.name().parse(), Ok(level));
        }
    }

    #[test]
    fn what_names_no_level_is_refused_and_told_which_there_are() {
        for text in [
            "",
            "readonly",
            "urn:vcloud:accessLevel:",
            "urn:vcloud:accessLevel:Owner",
            "urn:vcloud:accessLevel:urn:vcloud:accessLevel:ReadOnly",
        ] {
            let error = text.parse::<AccessLevel>().unwrap_err();
            assert!(error.advice().contains("FullControl"), "{text:?}: {error}");
        }
    }
}
