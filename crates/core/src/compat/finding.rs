//! What is found, and how sure it is.

use super::rule::CompatRule;
use crate::types::SchemaViolation;
use serde_json::Value;
use std::fmt;

/// How a verdict was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FindingVerdict {
    /// It is proven, or disproved by a counterexample.
    Proven,
    /// What people expect, though a document could be made for which it does not hold.
    ByPolicy,
    /// Neither proven nor shown.
    Undecided,
}

/// What kind of change a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// The same documents fit, and mean the same.
    Identical,
    /// Every document of the old version fits the new one.
    Additive,
    /// It is not known whether that is so.
    Undecided,
    /// Some document of the old version does not fit the new one, or means something else there.
    Breaking,
}

/// Which part of the version number must grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VersionBump {
    /// 1.0.0 to 1.0.1.
    Patch,
    /// 1.0.0 to 1.1.0.
    Minor,
    /// 1.0.0 to 2.0.0.
    Major,
}

impl ChangeKind {
    /// The least bump that it needs. What is undecided counts as breaking.
    ///
    /// ```
    /// use coeval_core::compat::{VersionBump, ChangeKind};
    ///
    /// assert_eq!(ChangeKind::Additive.bump(), VersionBump::Minor);
    /// assert_eq!(ChangeKind::Undecided.bump(), VersionBump::Major);
    /// ```
    #[must_use]
    pub const fn bump(self) -> VersionBump {
        match self {
            Self::Identical => VersionBump::Patch,
            Self::Additive => VersionBump::Minor,
            Self::Undecided | Self::Breaking => VersionBump::Major,
        }
    }
}

macro_rules! named {
    ($type:ident: $($name:ident = $word:literal),+) => {
        impl $type {
            /// As people and programs read it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $word),+ }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named!(FindingVerdict: Proven = "proven", ByPolicy = "by policy", Undecided = "undecided");
named!(ChangeKind: Identical = "identical", Additive = "additive", Undecided = "undecided", Breaking = "breaking");
named!(VersionBump: Patch = "patch", Minor = "minor", Major = "major");
named!(SchemaSide: Old = "old", New = "new");

/// One of the two schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SchemaSide {
    /// The one before.
    Old,
    /// The one after.
    New,
}

/// A counterexample: a document that one of the two schemas accepts and the other one rejects. Both
/// validators have seen it.
#[derive(Clone, Debug, PartialEq)]
pub struct Counterexample {
    /// Who accepts it.
    pub accepted_by: SchemaSide,
    /// The document.
    pub document: Value,
    /// Why the other one rejects it.
    pub violations: Vec<SchemaViolation>,
}

/// One thing that has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct CompatFinding {
    /// Which.
    pub rule: CompatRule,
    /// What it makes of the change.
    pub kind: ChangeKind,
    /// How sure that is.
    pub verdict: FindingVerdict,
    /// Where, as a path; empty for the whole content.
    pub path: String,
    /// What it means here.
    pub sentence: String,
    /// The counterexample, where there is one.
    pub witness: Option<Counterexample>,
}

/// Whether every document that one schema accepts is accepted by the other, as JSON Schema has it:
/// no policy, and every null a value.
#[derive(Clone, Debug, PartialEq)]
pub enum SchemaContainment {
    /// It is proven.
    Yes,
    /// This one is not.
    No(Counterexample),
    /// Neither a proof nor such a document was found; in which places.
    Unknown(Vec<String>),
}

impl SchemaContainment {
    /// How sure it is.
    #[must_use]
    pub const fn verdict(&self) -> FindingVerdict {
        match self {
            Self::Yes | Self::No(_) => FindingVerdict::Proven,
            Self::Unknown(_) => FindingVerdict::Undecided,
        }
    }
}
