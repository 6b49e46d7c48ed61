//! Times as people read and write them.

use jiff::Timestamp;
use std::time::Duration;

/// How long ago: `5s`, `12m`, `3h`, `9d`, `2y`.
pub(crate) fn age(then: Timestamp, now: Timestamp) -> String {
    // A clock that is behind the server's would show a negative age.
    let seconds = now.duration_since(then).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7_200 => format!("{}m", seconds / 60),
        7_200..172_800 => format!("{}h", seconds / 3_600),
        172_800..63_072_000 => format!("{}d", seconds / 86_400),
        _ => format!("{}y", seconds / 31_536_000),
    }
}

/// To the second.
pub(crate) fn moment(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// `500ms`, `30s`, `15m`, `1h`, `7d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err("write a whole number and ms, s, m, h or d, as 30s".to_owned()),
    };
    let number: u64 = number.parse().map_err(|_| "it begins with no number")?;
    let millis = number.checked_mul(millis).ok_or("too much")?;
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_has_two_or_three_digits() {
        let then: Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        for (seconds, expected) in [
            (0, "0s"),
            (119, "119s"),
            (120, "2m"),
            (7_199, "119m"),
            (7_200, "2h"),
            (172_800, "2d"),
            (63_072_000, "2y"),
        ] {
            let now = then + jiff::SignedDuration::from_secs(seconds);
            assert_eq!(age(then, now), expected);
        }
        let before = then - jiff::SignedDuration::from_secs(9);
        assert_eq!(age(then, before), "0s", "clocks differ");
    }

    #[test]
    fn durations_are_read_and_what_is_none_is_refused() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("30d"), Ok(Duration::from_secs(2_592_000)));
        for wrong in [
            "",
            "s",
            "1",
            "1.5h",
            "-1s",
            "99999999999999999999s",
            "9999999999999999d",
        ] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
