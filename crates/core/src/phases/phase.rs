//! The phases and their names.

use coeval_codes::Coded;
use std::fmt;
use std::str::FromStr;

/// A phase of a migration. They have names, so that nobody takes them for RFD 126's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// Before it: only the old keys.
    Old,
    /// Writes go to both, reads to old.
    Mirror,
    /// Reads go to new where it is a fresh mirror.
    ReadNew,
    /// In the background every mirror is made fresh.
    Backfill,
    /// New is the source of truth; still written to both, so that it can be left.
    Soak,
    /// Writes go to new alone.
    Cutover,
    /// The old records are removed.
    Cleanup,
}

impl Phase {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Old,
        Self::Mirror,
        Self::ReadNew,
        Self::Backfill,
        Self::Soak,
        Self::Cutover,
        Self::Cleanup,
    ];

    /// As people read and write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::Mirror => "mirror",
            Self::ReadNew => "read-new",
            Self::Backfill => "backfill",
            Self::Soak => "soak",
            Self::Cutover => "cutover",
            Self::Cleanup => "cleanup",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no phase has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Coded)]
#[error("`{0}` is no phase; they are old, mirror, read-new, backfill, soak, cutover, cleanup")]
#[code(PHASE_UNKNOWN, advice = "Use one of these names.")]
pub struct UnknownPhase(pub String);

impl FromStr for Phase {
    type Err = UnknownPhase;

    fn from_str(name: &str) -> Result<Self, UnknownPhase> {
        let found = Self::ALL.into_iter().find(|phase| phase.name() == name);
        found.ok_or_else(|| UnknownPhase(name.to_owned()))
    }
}
