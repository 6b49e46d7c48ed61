//! What is deprecated, since when, and when it goes.

use crate::release::Release;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde_json::{Value, json};

/// Why something is still there although nothing new should use it.
///
/// ```
/// use coeval_releases::{ReleaseDeprecation, Release};
///
/// const OLD: ReleaseDeprecation = ReleaseDeprecation {
///     since: Release::new(0, 2, 0),
///     last_used_in: Release::new(0, 1, 0),
///     removed_in: Release::new(0, 3, 0),
///     instead: "duplicateCount",
/// };
/// assert!(OLD.faults(Release::new(0, 2, 0)).is_empty());
/// assert_eq!(OLD.faults(Release::new(0, 3, 0)).len(), 1, "it should be gone by now");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseDeprecation {
    /// The first release that calls it deprecated.
    pub since: Release,
    /// The last release whose own clients used it.
    pub last_used_in: Release,
    /// The release that no longer has it.
    pub removed_in: Release,
    /// What to use in its place, in a few words.
    pub instead: &'static str,
}

/// What is wrong with a deprecation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeprecationFault {
    /// Clients of that release are still served.
    #[error(
        "it is removed in {removed_in}, but was last used in {last_used_in}: keep it until {earliest}"
    )]
    RemovedTooEarly {
        /// As declared.
        removed_in: Release,
        /// As declared.
        last_used_in: Release,
        /// N+2.
        earliest: Release,
    },
    /// It should be gone.
    #[error("it was to be removed in {removed_in}: delete it, or declare a later release and why")]
    Overdue {
        /// As declared.
        removed_in: Release,
    },
    /// Nobody can know that yet.
    #[error("it is deprecated since {since}, which is after this release, {current}")]
    SinceLater {
        /// As declared.
        since: Release,
        /// The release of the code.
        current: Release,
    },
    /// A header needs a day.
    #[error("the calendar has no day for {release}: add it to CALENDAR")]
    NoDay {
        /// The release without a day.
        release: Release,
    },
}

impl ReleaseDeprecation {
    /// What is wrong with it in code of this release; empty if it may stand as it is.
    #[must_use]
    pub fn faults(&self, current: Release) -> Vec<DeprecationFault> {
        let Self {
            since,
            last_used_in,
            removed_in,
            ..
        } = *self;
        // The last release that used it, and the one after it, may still meet this server.
        let earliest = last_used_in.earliest_removal();
        let mut faults = Vec::new();
        if removed_in < earliest {
            faults.push(DeprecationFault::RemovedTooEarly {
                removed_in,
                last_used_in,
                earliest,
            });
        }
        if removed_in <= current {
            faults.push(DeprecationFault::Overdue { removed_in });
        }
        if since > current {
            faults.push(DeprecationFault::SinceLater { since, current });
        }
        // Without a day there is no date for the headers `Deprecation` and `Sunset`.
        let undated = [since, removed_in].into_iter();
        let undated = undated.filter(|release| release.day().is_none());
        faults.extend(undated.map(|release| DeprecationFault::NoDay { release }));
        faults
    }

    /// The header `Deprecation` (RFC 9745): `@` and the seconds of the day on which it began.
    #[must_use]
    pub fn deprecation_header(&self) -> Option<String> {
        // Midnight in UTC, so that all servers answer the same.
        let began = midnight(self.since.day()?)?;
        Some(format!("@{}", began.timestamp().as_second()))
    }

    /// The header `Sunset` (RFC 8594): the day from which on it may be gone, as HTTP dates are.
    #[must_use]
    pub fn sunset_header(&self) -> Option<String> {
        let gone = midnight(self.removed_in.day()?)?;
        Some(gone.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string())
    }

    /// Both, by name, for an answer of what is deprecated.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, String)> {
        let deprecation = self.deprecation_header().map(|date| ("deprecation", date));
        let sunset = self.sunset_header().map(|date| ("sunset", date));
        deprecation.into_iter().chain(sunset)
    }

    /// As it stands in API documents, under `x-deprecated`.
    #[must_use]
    pub fn document(&self) -> Value {
        json!({
            "since": self.since.to_string(),
            "lastUsedIn": self.last_used_in.to_string(),
            "removedIn": self.removed_in.to_string(),
            "instead": self.instead,
        })
    }

    /// Reads what stands in a document of this release.
    #[must_use]
    pub fn from_document(document: &Value) -> Option<Self> {
        let text = |key: &str| document.get(key)?.as_str();
        Some(Self {
            since: text("since")?.parse().ok()?,
            last_used_in: text("lastUsedIn")?.parse().ok()?,
            removed_in: text("removedIn")?.parse().ok()?,
            // Once for each that is compiled into a binary.
            instead: text("instead")?.to_owned().leak(),
        })
    }

    /// A sentence for people.
    #[must_use]
    pub fn sentence(&self) -> String {
        let Self {
            since,
            removed_in,
            instead,
            ..
        } = self;
        format!("Deprecated since {since}, removed in {removed_in}: use {instead}.")
    }
}

fn midnight(day: Date) -> Option<jiff::Zoned> {
    day.to_zoned(TimeZone::UTC).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Release = Release::new(0, 2, 0);

    fn deprecated(
        since: Release,
        last_used_in: Release,
        removed_in: Release,
    ) -> ReleaseDeprecation {
        ReleaseDeprecation {
            since,
            last_used_in,
            removed_in,
            instead: "something else",
        }
    }

    #[test]
    fn headers_are_dates_as_the_standards_write_them() {
        let one = deprecated(NOW, Release::new(0, 1, 0), Release::new(0, 3, 0));
        assert_eq!(one.deprecation_header().unwrap(), "@1800230400");
        assert_eq!(
            one.sunset_header().unwrap(),
            "Mon, 19 Apr 2027 00:00:00 GMT"
        );
    }

    #[test]
    fn a_removal_that_is_too_early_overdue_or_undated_is_a_fault() {
        let first = Release::new(0, 1, 0);
        let fine = deprecated(NOW, first, Release::new(0, 3, 0));
        assert_eq!(fine.faults(NOW), []);
        let early = deprecated(NOW, NOW, Release::new(0, 3, 0)).faults(NOW);
        assert!(matches!(
            early[..],
            [DeprecationFault::RemovedTooEarly { .. }]
        ));
        let overdue = fine.faults(Release::new(0, 3, 0));
        assert!(matches!(overdue[..], [DeprecationFault::Overdue { .. }]));
        let later = deprecated(Release::new(0, 3, 0), first, Release::new(0, 4, 0)).faults(NOW);
        assert!(matches!(later[..], [DeprecationFault::SinceLater { .. }]));
        let undated = deprecated(NOW, first, Release::new(0, 99, 0)).faults(NOW);
        assert!(matches!(undated[..], [DeprecationFault::NoDay { .. }]));
    }
}
