//! What one server knows of a type.

use super::{StoredVersion, Version};
use std::fmt;
use std::ops::RangeBounds;

/// A version that this server can load. Only a [`KnownVersions`] hands one out, so a decision that holds
/// one can't name a version that the server does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KnownVersion(Version);

impl KnownVersion {
    /// The version itself.
    #[must_use]
    pub const fn version(self) -> Version {
        self.0
    }
}

impl fmt::Display for KnownVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.short(), f)
    }
}

/// The versions of one type that this server can load: a set and not just the newest, because
/// versions are registered at run time, and a low number may use what only a newer release reads.
///
/// ```
/// use coeval_core::version::{KnownVersions, Version};
///
/// let known: KnownVersions = [Version::new(2, 0, 0), Version::new(1, 1, 0)].into_iter().collect();
/// let newest_of_1 = known.newest_in(..Version::new(2, 0, 0)).unwrap();
/// assert_eq!(newest_of_1.to_string(), "v1.1");
/// assert_eq!(known.know(Version::new(1, 0, 0)), None, "a lower number is not a known one");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownVersions(Vec<Version>);

impl KnownVersions {
    /// The one that is asked for, if it is known.
    #[must_use]
    pub fn know(&self, version: Version) -> Option<KnownVersion> {
        let found = self.0.binary_search(&version);
        found.is_ok().then_some(KnownVersion(version))
    }

    /// A stored one, if it is known.
    #[must_use]
    pub fn know_stored(&self, stored: StoredVersion) -> Option<KnownVersion> {
        self.know(stored.0)
    }

    /// Whether any version of this major is known.
    #[must_use]
    pub fn knows_major(&self, major: u32) -> bool {
        self.0.iter().any(|version| version.major == major)
    }

    /// The newest of them.
    #[must_use]
    pub fn newest(&self) -> Option<KnownVersion> {
        self.0.last().copied().map(KnownVersion)
    }

    /// The newest one within a range.
    #[must_use]
    pub fn newest_in(&self, range: impl RangeBounds<Version>) -> Option<KnownVersion> {
        let mut downwards = self.0.iter().rev().copied();
        downwards
            .find(|version| range.contains(version))
            .map(KnownVersion)
    }

    /// All of them, ascending.
    pub fn iter(&self) -> impl Iterator<Item = KnownVersion> {
        self.0.iter().copied().map(KnownVersion)
    }
}

impl FromIterator<Version> for KnownVersions {
    fn from_iter<I: IntoIterator<Item = Version>>(versions: I) -> Self {
        let mut versions: Vec<_> = versions.into_iter().collect();
        versions.sort_unstable();
        versions.dedup();
        Self(versions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn the_newest_in_a_range_is_found_in_any_order_of_registration() {
        let known: KnownVersions = ["v2", "v1", "v1.1", "v1"].map(v).into_iter().collect();
        assert_eq!(known.newest_in(..v("v2")).unwrap().version(), v("v1.1"));
        assert_eq!(known.newest_in(..=v("v2")).unwrap().version(), v("v2"));
        assert_eq!(known.newest_in(..v("v1")), None);
        assert_eq!(known.newest().unwrap().version(), v("v2"));
        assert_eq!(known.iter().count(), 3);
    }

    #[test]
    fn knowing_a_major_is_not_knowing_all_its_minors() {
        let known: KnownVersions = [v("v1.1")].into_iter().collect();
        assert!(known.knows_major(1) && !known.knows_major(2));
        assert_eq!(known.know(v("v1")), None);
        assert!(known.know(v("v1.1")).is_some());
    }
}
