//! Times as they are answered.

use jiff::Timestamp;

/// RFC 3339, UTC, with milliseconds. A time beyond what can be written is that of the epoch.
#[must_use]
pub fn rfc3339(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or_default();
    format!("{time:.3}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_milliseconds_always() {
        for (millis, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_700_000_000_120, "2023-11-14T22:13:20.120Z"),
            (i64::MAX, "1970-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(millis), text);
        }
    }
}
