//! The parts that a version plays. Each is a type of its own, so that none is taken for another.

use super::{MarkedVersion, Version, VersionError, VersionMark, parse};
use std::fmt;

/// The version that a record is stored at. It never has a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StoredVersion(pub Version);

/// The newest version that a client understands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientVersion(pub Version);

/// The version that a body is written at, as its sender put it: maybe with the mark of the view
/// that was edited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WriteVersion(pub MarkedVersion);

impl WriteVersion {
    /// Without a mark.
    #[must_use]
    pub const fn plain(version: Version) -> Self {
        let mark = VersionMark::Plain;
        Self(MarkedVersion { version, mark })
    }

    /// With the mark.
    #[must_use]
    pub const fn downgraded(version: Version) -> Self {
        let mark = VersionMark::Downgraded;
        Self(MarkedVersion { version, mark })
    }

    /// The full or the short form, maybe marked: `1.1.0`, `v1.1`, `v1.1+downgraded`.
    ///
    /// ```
    /// use coeval_core::version::{Version, WriteVersion};
    ///
    /// let body = WriteVersion::parse("v1.1+downgraded").unwrap();
    /// assert!(body.is_marked());
    /// assert_eq!(body.version(), Version::new(1, 1, 0));
    /// ```
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        parse::marked(text).map(Self)
    }

    /// Without the mark.
    #[must_use]
    pub const fn version(self) -> Version {
        self.0.version
    }

    /// Whether the sender read it as a lowered view.
    #[must_use]
    pub const fn is_marked(self) -> bool {
        matches!(self.0.mark, VersionMark::Downgraded)
    }
}

impl fmt::Display for StoredVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.short(), f)
    }
}

impl fmt::Display for ClientVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.short(), f)
    }
}

impl fmt::Display for WriteVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
