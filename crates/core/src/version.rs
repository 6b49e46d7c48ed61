//! Versions: `MAJOR.MINOR.PATCH`, numeric only, ordered by precedence.
//!
//! A version is written in several ways, each with its own place:
//!
//! | form | example | where | read by |
//! |---|---|---|---|
//! | full | `1.1.0` | type ids, URNs | [`Version::parse_full`] |
//! | short | `v1`, `v1.1` | resource files, answers | [`Version::short`] prints it |
//! | either, maybe marked | `v1.1+downgraded` | bodies | [`WriteVersion::parse`] |
//! | header | `6`, `1.1` | `coeval-accept` | [`Version::parse_header`] |
//! | classification | `1` is 1.x.x | paths of queries | [`Classification`] |
//!
//! A bare `1` means 1.0.0 in a header and all of 1.x.x in a path; that is why no single parser
//! takes every form. What is refused is refused with a reason ([`VersionError`]), never a panic.
//!
//! ```
//! use coeval_core::version::{Classification, Version};
//!
//! assert_eq!(Version::parse_header("6"), Ok(Version::new(6, 0, 0)));
//! assert!(Classification::parse("6").unwrap().matches(Version::new(6, 2, 1)));
//! assert!("6".parse::<Version>().is_err(), "elsewhere it could mean either");
//! ```

mod classification;
mod error;
mod known;
mod mark;
mod name;
mod parse;
mod roles;
mod urn;
mod urn_error;
mod uuid;

pub use classification::Classification;
pub use error::{Excerpt, VersionError, VersionFlaw};
pub use known::{KnownVersion, KnownVersions};
pub use mark::{MarkedVersion, VersionMark};
pub use name::{MAX_NAME, NameFlaw, TypeName, UrnName};
pub use roles::{ClientVersion, StoredVersion, WriteVersion};
pub use urn::{
    AnyVersion, EntityUrn, InterfaceKind, InterfaceUrn, TypeKind, TypeUrn, Urn, UrnKind,
};
pub use urn_error::UrnError;
pub use uuid::Uuid;

use std::fmt;
use std::str::FromStr;

/// A version of a type.
///
/// ```
/// use coeval_core::version::Version;
///
/// let newer: Version = "v1.10".parse().unwrap();
/// assert!(newer > Version::new(1, 9, 3), "by numbers, not by letters");
/// assert_eq!(newer.to_string(), "1.10.0");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// Breaking changes.
    pub major: u32,
    /// Additions.
    pub minor: u32,
    /// Everything else.
    pub patch: u32,
}

impl Version {
    /// From its three numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    /// As in type ids: three numbers, nothing else.
    ///
    /// ```
    /// use coeval_core::version::{VersionFlaw, Version};
    ///
    /// assert_eq!(Version::parse_full("1.1.0"), Ok(Version::new(1, 1, 0)));
    /// let error = Version::parse_full("1.1").unwrap_err();
    /// assert_eq!(error.flaw, VersionFlaw::TooFewNumbers);
    /// ```
    pub fn parse_full(text: &str) -> Result<Self, VersionError> {
        parse::unmarked(text, parse::VersionForm::Full)
    }

    /// As in request headers, where `6` is 6.0.0; a leading `v` does no harm.
    pub fn parse_header(text: &str) -> Result<Self, VersionError> {
        parse::unmarked(text, parse::VersionForm::Header)
    }

    /// Prints `v1`, `v1.1`, `v1.1.2`: zeros at the end are dropped.
    ///
    /// ```
    /// use coeval_core::version::Version;
    ///
    /// assert_eq!(Version::new(1, 0, 0).short().to_string(), "v1");
    /// assert_eq!(Version::new(1, 0, 2).short().to_string(), "v1.0.2");
    /// ```
    #[must_use]
    pub const fn short(self) -> ShortVersion {
        ShortVersion(self)
    }
}

/// The full or the short form. A bare `1.1` is refused: it could mean 1.1.0 or all of 1.1.x.
impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        parse::unmarked(text, parse::VersionForm::Written)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Prints a version in its short form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortVersion(Version);

impl fmt::Display for ShortVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As short as it can be without losing a number that is not 0.
        match self.0 {
            Version {
                major,
                minor: 0,
                patch: 0,
            } => write!(f, "v{major}"),
            Version {
                major,
                minor,
                patch: 0,
            } => write!(f, "v{major}.{minor}"),
            full => write!(f, "v{full}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn versions_are_ordered_by_precedence_not_by_letters() {
        let mut versions = ["10.0.0", "2.10.0", "2.9.1", "2.9.0", "1.0.0"]
            .map(|text| Version::parse_full(text).unwrap());
        versions.sort_unstable();
        let sorted = versions.map(|version| version.to_string());
        assert_eq!(sorted, ["1.0.0", "2.9.0", "2.9.1", "2.10.0", "10.0.0"]);
    }

    #[test]
    fn the_short_form_drops_zeros_at_the_end_and_no_others() {
        for (full, short) in [
            ("1.0.0", "v1"),
            ("1.1.0", "v1.1"),
            ("1.1.2", "v1.1.2"),
            ("1.0.2", "v1.0.2"),
            ("0.0.0", "v0"),
            ("10.20.0", "v10.20"),
        ] {
            let version = Version::parse_full(full).unwrap();
            assert_eq!(version.short().to_string(), short);
            assert_eq!(short.parse(), Ok(version));
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_can_be_read(major: u32, minor: u32, patch: u32) {
            let version = Version::new(major, minor, patch);
            prop_assert_eq!(Version::parse_full(&version.to_string()), Ok(version));
            prop_assert_eq!(version.to_string().parse(), Ok(version));
            prop_assert_eq!(version.short().to_string().parse(), Ok(version));
            prop_assert_eq!(Version::parse_header(&version.short().to_string()), Ok(version));
        }

        #[test]
        fn no_text_makes_a_parser_panic(text in ".{0,40}|[v0-9.+:a-z -]{0,24}") {
            let _ = Version::parse_full(&text).map_err(|error| error.to_string());
            let _ = Version::parse_header(&text).map_err(|error| error.to_string());
            let _ = WriteVersion::parse(&text).map_err(|error| error.to_string());
            let _ = Classification::parse(&text).map_err(|error| error.to_string());
        }
    }
}
