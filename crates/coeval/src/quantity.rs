//! Times and sizes as people write them.

use std::time::Duration;

/// `500ms`, `30s`, `15m`, `1h`, `7d`.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = split(text);
    let millis = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err("write a whole number and ms, s, m, h or d, as 30s".to_owned()),
    };
    Ok(Duration::from_millis(product(number, millis)?))
}

/// `1000`, `64KiB`, `256MiB`, `2GiB`.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = split(text);
    let factor = match unit {
        "" | "B" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        _ => return Err("write a whole number of bytes, or of KiB, MiB or GiB".to_owned()),
    };
    product(number, factor)
}

/// `2` or `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}

fn split(text: &str) -> (&str, &str) {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, unit) = text.split_at(digits);
    (number, unit.trim_start())
}

fn product(number: &str, factor: u64) -> Result<u64, String> {
    let number: u64 = number.parse().map_err(|_| "it begins with no number")?;
    number
        .checked_mul(factor)
        .ok_or_else(|| "too much".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("7d"), Ok(Duration::from_secs(7 * 86_400)));
        assert_eq!(duration("20 ms"), Ok(Duration::from_millis(20)));
        for bad in ["", "5", "s", "-1s", "1.5h", "99999999999999999999s", "5y"] {
            assert!(duration(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_powers_of_1024() {
        assert_eq!(bytes("1000"), Ok(1000));
        assert_eq!(bytes("256MiB"), Ok(256 << 20));
        for bad in ["", "MiB", "1MB", "18446744073709551615KiB"] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_may_have_a_fraction_and_are_never_negative() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["-1", "x", "inf", "NaN"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
