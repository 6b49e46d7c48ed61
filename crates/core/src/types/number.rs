//! Numbers that 64-bit forms hold as they were sent.

use serde_json::{Number, Value};

/// Longer texts are refused unread: no 64-bit form needs more.
const LONGEST: usize = 1_200;

/// The number that a JSON number's text means, if nothing of it is lost.
///
/// An integer must fit `i64` or `u64`. Anything with a point or an exponent becomes the nearest
/// double, and that double, written with as many digits as were sent or in its shortest form, must
/// be what was sent. So everything that a program prints from a double is accepted, at whatever precision.
pub(crate) fn exact(text: &str) -> Option<Number> {
    if text.len() > LONGEST {
        return None;
    }
    if text.bytes().all(|b| b.is_ascii_digit() || b == b'-') && text != "-0" {
        let unsigned = text.parse::<u64>().ok().map(Number::from);
        return unsigned.or_else(|| text.parse::<i64>().ok().map(Number::from));
    }
    let double: f64 = text.parse().ok()?;
    let number = Number::from_f64(double)?;
    let sent = significant(text);
    // The shortest form and that of so many digits differ where a digit is exactly between two.
    let is_sent = |printed: String| significant(&printed) == sent;
    let precision = sent.0.len().max(1) - 1;
    let held = is_sent(format!("{double:e}")) || is_sent(format!("{double:.precision$e}"));
    held.then_some(number)
}

/// The digits from the first to the last that is not zero, and the exponent of the first.
fn significant(text: &str) -> (String, i64) {
    let text = text.trim_start_matches('-');
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let leading = digits.len() - digits.trim_start_matches('0').len();
    let kept = digits.trim_matches('0').to_owned();
    if kept.is_empty() {
        return (kept, 0);
    }
    let first = i64::try_from(whole.len()).unwrap_or(0) - 1 - i64::try_from(leading).unwrap_or(0);
    (kept, first.saturating_add(exponent))
}

/// An integer, also where it is written as 1.0.
pub(crate) fn whole(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    let exact = number.as_i64().map(i128::from);
    let exact = exact.or_else(|| number.as_u64().map(i128::from));
    exact.or_else(|| {
        let double = number.as_f64()?;
        if double.fract() != 0.0 || double.abs() >= 1e20 {
            return None;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "it is whole and small enough"
        )]
        let whole = double as i128;
        Some(whole)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_up_to_64_bits_and_what_doubles_print_are_exact() {
        for text in [
            "0",
            "-0",
            "-9223372036854775808",
            "18446744073709551615",
            "0.1",
            "0.10",
            "0.10000000000000001",
            "0.1000000000000000055511151231257827",
            "1e3",
            "1E+3",
            "1.5e-7",
            "5e-324",
            "4.9e-324",
            "1.7976931348623157e308",
            "0.0",
            "0e999",
            "100.00",
            "9007199254740992.0",
            "1957704973301262.3",
            "1957704973301262.2",
        ] {
            assert!(exact(text).is_some(), "{text}");
        }
    }

    #[test]
    fn what_would_be_changed_silently_is_not_exact() {
        for text in [
            "18446744073709551616",
            "-9223372036854775809",
            "1e400",
            "1e-400",
            "9007199254740993.0",
            "0.123456789012345678901234567890",
            "123456789012345678901234567890e0",
            "1e99999999999999999999",
        ] {
            assert_eq!(exact(text), None, "{text}");
        }
        assert_eq!(exact(&"1".repeat(5_000)), None);
    }
}
