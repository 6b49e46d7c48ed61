//! What answers say in headers.

use std::time::Duration;

/// The most bytes of a header that lists pointers.
const LONGEST: usize = 4 * 1024;

/// Pointers as a header holds them: as many as fit, with commas between them. What a header can't
/// hold, and a comma, are percent-encoded.
#[must_use]
pub fn pointers(all: &[String]) -> Option<String> {
    let mut text = String::new();
    for pointer in all {
        let mut one = String::new();
        for byte in pointer.bytes() {
            // Commas divide the list, and a percent sign begins an encoded byte.
            match byte {
                b',' | b'%' | 0..=0x20 | 0x7f.. => one.push_str(&format!("%{byte:02X}")),
                plain => one.push(char::from(plain)),
            }
        }
        // Whole pointers only: half of one would point somewhere else.
        if text.len() + one.len() + 1 > LONGEST {
            break;
        }
        if !text.is_empty() {
            text.push(',');
        }
        text.push_str(&one);
    }
    (!text.is_empty()).then_some(text)
}

/// Whole seconds, at least one: what `Retry-After` takes.
#[must_use]
pub fn seconds(after: Duration) -> u64 {
    // Rounded up: whoever comes too early is refused once more.
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    seconds.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_fit_into_a_header_whatever_they_are() {
        let all =
            |texts: &[&str]| pointers(&texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>());
        assert_eq!(all(&[]), None);
        assert_eq!(
            all(&["/a", "/b c,d/é%"]).unwrap(),
            "/a,/b%20c%2Cd/%C3%A9%25"
        );
        let many = vec!["/0123456789".to_owned(); 1_000];
        let text = pointers(&many).unwrap();
        assert!(text.len() <= LONGEST && text.len() > LONGEST - 20);
        assert!(text.ends_with("/0123456789"), "none is cut");
    }

    #[test]
    fn part_of_a_second_is_a_whole_one() {
        for (millis, expected) in [(0, 1), (1, 1), (1_000, 1), (1_001, 2)] {
            assert_eq!(seconds(Duration::from_millis(millis)), expected);
        }
    }
}
