//! The mark `+downgraded`: this view shows less than what is stored.

use super::Version;
use std::fmt;

/// Whether a view says that it shows a lower version than the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VersionMark {
    /// No mark.
    Plain,
    /// `+downgraded`.
    Downgraded,
}

impl VersionMark {
    pub(super) const TEXT: &str = "downgraded";
}

/// A version as a view shows it. What is stored is a [`Version`] and has no mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MarkedVersion {
    /// The version of the view.
    pub version: Version,
    /// Whether more is stored than is shown.
    pub mark: VersionMark,
}

/// `v1.1` or `v1.1+downgraded`.
impl fmt::Display for MarkedVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.version.short(), f)?;
        match self.mark {
            VersionMark::Plain => Ok(()),
            VersionMark::Downgraded => write!(f, "+{}", VersionMark::TEXT),
        }
    }
}
