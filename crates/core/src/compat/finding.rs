//! What is found, and how sure it is.

use super::rule::Rule;
use crate::types::Violation;
use serde_json::Value;
use std::fmt;

/// How a verdict was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It is proven, or disproved by a counterexample.
    Proven,
    /// What people expect, though a document could be made for which it does not hold.
    ByPolicy,
    /// Neither proven nor shown.
    Undecided,
}

/// What kind of change a version is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
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
pub enum Bump {
    /// 1.0.0 to 1.0.1.
    Patch,
    /// 1.0.0 to 1.1.0.
    Minor,
    /// 1.0.0 to 2.0.0.
    Major,
}

impl Kind {
    /// The least bump that it needs. What is undecided counts as breaking.
    ///
    /// ```
    /// use coeval_core::compat::{Bump, Kind};
    ///
    /// assert_eq!(Kind::Additive.bump(), Bump::Minor);
    /// assert_eq!(Kind::Undecided.bump(), Bump::Major);
    /// ```
    #[must_use]
    pub const fn bump(self) -> Bump {
        match self {
            Self::Identical => Bump::Patch,
            Self::Additive => Bump::Minor,
            Self::Undecided | Self::Breaking => Bump::Major,
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

named!(Verdict: Proven = "proven", ByPolicy = "by policy", Undecided = "undecided");
named!(Kind: Identical = "identical", Additive = "additive", Undecided = "undecided", Breaking = "breaking");
named!(Bump: Patch = "patch", Minor = "minor", Major = "major");
named!(Side: Old = "old", New = "new");

/// One of the two schemas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one before.
    Old,
    /// The one after.
    New,
}

/// A counterexample: a document that one of the two schemas accepts and the other one rejects. Both
/// validators have seen it.
#[derive(Clone, Debug, PartialEq)]
pub struct Witness {
    /// Who accepts it.
    pub accepted_by: Side,
    /// The document.
    pub document: Value,
    /// Why the other one rejects it.
    pub violations: Vec<Violation>,
}

/// One thing that has changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which.
    pub rule: Rule,
    /// What it makes of the change.
    pub kind: Kind,
    /// How sure that is.
    pub verdict: Verdict,
    /// Where, as a path; empty for the whole content.
    pub path: String,
    /// What it means here.
    pub sentence: String,
    /// The counterexample, where there is one.
    pub witness: Option<Witness>,
}

/// Whether every document that one schema accepts is accepted by the other, as JSON Schema has it:
/// no policy, and every null a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Contained {
    /// It is proven.
    Yes,
    /// This one is not.
    No(Witness),
    /// Neither a proof nor such a document was found; in which places.
    Unknown(Vec<String>),
}

impl Contained {
    /// How sure it is.
    #[must_use]
    pub const fn verdict(&self) -> Verdict {
        match self {
            Self::Yes | Self::No(_) => Verdict::Proven,
            Self::Unknown(_) => Verdict::Undecided,
        }
    }
}
