//! When releases came out, and when the next ones are planned.
//!
//! The headers `Deprecation` and `Sunset` carry dates, and a deprecation names releases. This table
//! is where one becomes the other, so that all answers agree.

use crate::release::Release;
use jiff::civil::{Date, date};

/// A release and its day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReleaseDate {
    /// Which one.
    pub release: Release,
    /// The day on which it came out, or on which it is planned to.
    pub day: Date,
}

const fn planned(major: u32, minor: u32, day: Date) -> ReleaseDate {
    ReleaseDate {
        release: Release::new(major, minor, 0),
        day,
    }
}

/// All releases and the planned ones, in order. A planned day may only move later: what is
/// announced as a sunset never comes early.
pub const CALENDAR: &[ReleaseDate] = &[
    planned(0, 1, date(2026, 11, 18)),
    planned(0, 2, date(2027, 1, 18)),
    planned(0, 3, date(2027, 4, 19)),
    planned(0, 4, date(2027, 7, 19)),
    planned(0, 5, date(2027, 10, 18)),
];

impl Release {
    /// The day of this release, if the calendar has it.
    #[must_use]
    pub fn day(self) -> Option<Date> {
        // A handful of releases: searching is fast enough, and the table stays readable.
        let found = CALENDAR.iter().find(|one| one.release == self);
        found.map(|one| one.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::release::CURRENT;

    #[test]
    fn releases_and_days_are_in_order() {
        for pair in CALENDAR.windows(2) {
            assert!(pair[0].release < pair[1].release, "{pair:?}");
            assert!(pair[0].day < pair[1].day, "{pair:?}");
        }
    }

    #[test]
    fn the_calendar_reaches_as_far_as_a_deprecation_of_today_needs() {
        let line = Release::new(CURRENT.major, CURRENT.minor, 0);
        assert!(line.day().is_some(), "add {line}");
        let removal = line.earliest_removal();
        assert!(removal.day().is_some(), "add {removal}");
    }
}
