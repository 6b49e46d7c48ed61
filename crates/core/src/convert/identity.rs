//! What tells the items of a list apart: a key, and who says that it is one.

use super::path::Trail;
use serde_json::Value;
use std::fmt;

/// Who says that it is the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyOrigin {
    /// A step of a conversion.
    Step,
    /// A schema.
    Declared,
    /// Nobody: it was found in the schemas.
    Inferred,
}

impl KeyOrigin {
    /// In one word.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Declared => "declared",
            Self::Inferred => "inferred",
        }
    }
}

impl fmt::Display for KeyOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Step => "named by a step",
            Self::Declared | Self::Inferred => self.word(),
        })
    }
}

/// The key of a list's items, in the terms of one version.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ItemKey {
    pub(crate) list: Trail,
    /// Together they are the key.
    pub(crate) fields: Vec<KeyField>,
    pub(crate) origin: KeyOrigin,
}

/// A field of a key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct KeyField {
    pub(crate) name: String,
    /// What an item without it counts as having.
    pub(crate) default: Option<Value>,
}
