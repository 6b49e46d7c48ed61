//! Classification ids: versions cut short, for queries over many of them.

use super::{Version, VersionError, parse};
use std::fmt;

/// `1` is 1.x.x, `1.1` is 1.1.x, `1.1.0` is itself.
///
/// ```
/// use coeval_core::version::{Classification, Version};
///
/// let minor = Classification::parse("1.1").unwrap();
/// assert!(minor.matches(Version::new(1, 1, 7)));
/// assert!(!minor.matches(Version::new(1, 10, 0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Classification {
    /// Every version of a major.
    Major(u32),
    /// Every patch of a minor.
    Minor(u32, u32),
    /// One version.
    Exact(Version),
}

impl Classification {
    /// One to three numbers.
    pub fn parse(text: &str) -> Result<Self, VersionError> {
        let (version, parts) = parse::prefix(text)?;
        Ok(match parts {
            parse::WrittenParts::One => Self::Major(version.major),
            parse::WrittenParts::Two => Self::Minor(version.major, version.minor),
            parse::WrittenParts::Three => Self::Exact(version),
        })
    }

    /// Whether a version belongs to it.
    #[must_use]
    pub fn matches(self, version: Version) -> bool {
        match self {
            Self::Major(major) => version.major == major,
            Self::Minor(major, minor) => (version.major, version.minor) == (major, minor),
            Self::Exact(exact) => version == exact,
        }
    }
}

impl fmt::Display for Classification {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Major(major) => write!(f, "{major}"),
            Self::Minor(major, minor) => write!(f, "{major}.{minor}"),
            Self::Exact(version) => fmt::Display::fmt(version, f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_cut_short_stands_for_all_that_begin_so() {
        let versions = ["1.0.0", "1.1.0", "1.1.2", "1.10.0", "11.0.0"];
        for (id, expected) in [
            ("1", &["1.0.0", "1.1.0", "1.1.2", "1.10.0"][..]),
            ("1.1", &["1.1.0", "1.1.2"]),
            ("1.1.2", &["1.1.2"]),
            ("2", &[]),
        ] {
            let parsed = Classification::parse(id).unwrap();
            let matching: Vec<_> = versions
                .into_iter()
                .filter(|text| parsed.matches(text.parse().unwrap()))
                .collect();
            assert_eq!(matching, expected, "{id}");
            assert_eq!(parsed.to_string(), id);
        }
    }

    #[test]
    fn a_prefix_has_no_v_no_wildcard_and_no_mark() {
        for text in ["v1", "1.x", "1.*", "1.", "", "1.1+downgraded", "1.1.1.1"] {
            assert!(Classification::parse(text).is_err(), "{text}");
        }
    }
}
