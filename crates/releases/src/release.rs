//! A release, and what N, N-1 and N+2 are.

use std::fmt;
use std::str::FromStr;

/// The release that this code is.
pub const CURRENT: Release = Release::current();

/// A release of Coeval, such as 0.2.0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release {
    /// While it is 0, every minor release is an N of its own.
    pub major: u32,
    /// Counts as N while the major is 0.
    pub minor: u32,
    /// Changes nothing that is promised.
    pub patch: u32,
}

/// Text that is no release.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a release: use MAJOR.MINOR.PATCH")]
pub struct ReleaseParseError(String);

impl Release {
    /// A release by its numbers.
    #[must_use]
    pub const fn new(major: u32, minor: u32, patch: u32) -> Self {
        Self {
            major,
            minor,
            patch,
        }
    }

    const fn current() -> Self {
        Self::new(
            digits(env!("CARGO_PKG_VERSION_MAJOR")),
            digits(env!("CARGO_PKG_VERSION_MINOR")),
            digits(env!("CARGO_PKG_VERSION_PATCH")),
        )
    }

    /// The first release that may remove what this one used last: N+2, where N is the minor while
    /// the major is 0, and the major after that. N+1 still serves clients of N.
    ///
    /// ```
    /// use coeval_releases::Release;
    ///
    /// assert_eq!(Release::new(0, 1, 4).earliest_removal(), Release::new(0, 3, 0));
    /// assert_eq!(Release::new(4, 1, 3).earliest_removal(), Release::new(6, 0, 0));
    /// ```
    #[must_use]
    pub const fn earliest_removal(self) -> Self {
        match self.major {
            0 => Self::new(0, self.minor.saturating_add(2), 0),
            major => Self::new(major.saturating_add(2), 0, 0),
        }
    }
}

/// Cargo's own numbers; what is no digit can't be there.
const fn digits(text: &str) -> u32 {
    let (bytes, mut number, mut at) = (text.as_bytes(), 0, 0);
    while at < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "at is below the length")]
        let digit = bytes[at];
        number = number * 10 + (digit - b'0') as u32;
        at += 1;
    }
    number
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl FromStr for Release {
    type Err = ReleaseParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let read = || {
            let mut numbers = text.split('.').map(|part| {
                let plain = part.bytes().all(|byte| byte.is_ascii_digit());
                part.parse::<u32>().ok().filter(|_| plain)
            });
            let release = Self::new(numbers.next()??, numbers.next()??, numbers.next()??);
            numbers.next().is_none().then_some(release)
        };
        read().ok_or_else(|| ReleaseParseError(text.chars().take(40).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_release_is_that_of_the_package() {
        assert_eq!(CURRENT.to_string(), env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn a_release_prints_as_it_reads_and_orders_by_number() {
        let release: Release = "0.10.2".parse().unwrap();
        assert_eq!(release.to_string(), "0.10.2");
        assert!(release > Release::new(0, 9, 9));
        for bad in [
            "",
            "1",
            "1.2",
            "1.2.3.4",
            "1.2.x",
            "v1.2.3",
            "+1.2.3",
            "1.2.3-rc1",
        ] {
            assert!(bad.parse::<Release>().is_err(), "{bad}");
        }
    }

    #[test]
    fn what_was_last_used_in_n_may_go_in_n_plus_two() {
        for (last_used, removal) in [
            // v17 no longer uses it, v16 was the last: it goes in v18.
            (Release::new(16, 0, 0), Release::new(18, 0, 0)),
            // 4.2.0 no longer uses it, 4.1.3 was the last: v5 still serves both.
            (Release::new(4, 1, 3), Release::new(6, 0, 0)),
            (Release::new(0, 1, 0), Release::new(0, 3, 0)),
        ] {
            assert_eq!(last_used.earliest_removal(), removal);
        }
    }
}
