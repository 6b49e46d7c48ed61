//! Times, as messages have them.

use coeval_api::methods::MethodError;
use coeval_storage::UnixMillis;
use prost_types::Timestamp;

/// Of milliseconds.
pub(crate) fn timestamp(millis: i64) -> Timestamp {
    let nanos = millis.rem_euclid(1_000) * 1_000_000;
    Timestamp {
        seconds: millis.div_euclid(1_000),
        nanos: i32::try_from(nanos).unwrap_or_default(),
    }
}

/// In milliseconds; `what` names the field where it can't be kept.
pub(crate) fn millis(time: Timestamp, what: &str) -> Result<UnixMillis, MethodError> {
    let bad = || MethodError::invalid(format!("{what} is no time that can be kept"));
    if !(0..1_000_000_000).contains(&time.nanos) {
        return Err(bad());
    }
    let millis = time.seconds.checked_mul(1_000).ok_or_else(bad)?;
    let millis = millis.checked_add(i64::from(time.nanos / 1_000_000));
    Ok(UnixMillis(millis.ok_or_else(bad)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_comes_back_to_the_millisecond_also_before_1970() {
        for at in [
            0,
            1,
            999,
            1_000,
            -1,
            -1_001,
            i64::MAX / 1_000,
            1_700_000_000_123,
        ] {
            assert_eq!(millis(timestamp(at), "at").unwrap(), UnixMillis(at));
        }
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for (seconds, nanos) in [(i64::MAX, 0), (i64::MIN, 0), (0, -1), (0, 1_000_000_000)] {
            assert!(millis(Timestamp { seconds, nanos }, "at").is_err());
        }
    }
}
