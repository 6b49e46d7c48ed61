//! Whatever is no API: things with a name, and what about each must stay.

use super::DeprecationNote;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What kind of thing it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CatalogKind {
    /// `COEVAL-1001`.
    ErrorCode,
    /// A command, or a flag or argument of it that is no setting.
    Command,
    /// A flag with a variable or a key in the config file.
    Setting,
    /// What `/metrics` shows.
    Metric,
    /// A version of a built-in kind.
    KindVersion,
    /// A stored format, and the levels of it that can be read.
    Level,
}

/// Something with a name that others rely on.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogItem {
    /// What kind of thing it is.
    pub kind: CatalogKind,
    /// `coeval serve --listen`.
    pub name: String,
    /// The command that a flag or an argument belongs to.
    pub parent: Option<String>,
    /// What must stay as it is.
    pub facts: BTreeMap<String, Value>,
    /// What may only grow.
    pub sets: BTreeMap<String, BTreeSet<String>>,
    /// The only values that it takes; absent if it takes any.
    pub choices: Option<BTreeSet<String>>,
    /// Whether nothing works without it.
    pub required: bool,
    /// Set if it is to go.
    pub deprecation: Option<DeprecationNote>,
}

impl CatalogItem {
    /// One about which nothing else is known yet.
    #[must_use]
    pub fn named(kind: CatalogKind, name: impl Into<String>) -> Self {
        Self {
            kind,
            name: name.into(),
            parent: None,
            facts: BTreeMap::new(),
            sets: BTreeMap::new(),
            choices: None,
            required: false,
            deprecation: None,
        }
    }
}
