//! The known word that a mistyped one was probably meant to be.

/// The nearest, if it is near enough to be worth saying.
pub(super) fn nearest<'a>(
    typed: &str,
    known: impl IntoIterator<Item = &'a String>,
) -> Option<&'a str> {
    known
        .into_iter()
        .map(|word| (distance(typed, word), word))
        .filter(|(distance, word)| *distance <= word.len().max(typed.len()) / 2)
        .min()
        .map(|(_, word)| word.as_str())
}

/// Levenshtein's, by bytes. An underscore for a dash costs nothing.
fn distance(from: &str, to: &str) -> usize {
    let (from, to) = (from.replace('_', "-"), to.replace('_', "-"));
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, a) in (1..).zip(from.bytes()) {
        let mut left = above;
        let mut next = vec![left];
        for (pair, b) in row.windows(2).zip(to.bytes()) {
            let &[diagonal, up] = pair else { continue };
            left = (diagonal + usize::from(a != b)).min(up + 1).min(left + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        for (from, to, expected) in [
            ("kitten", "sitting", 3),
            ("", "abc", 3),
            ("abc", "", 3),
            ("same", "same", 0),
            ("log_level", "log-level", 0),
        ] {
            assert_eq!(distance(from, to), expected, "{from} {to}");
        }
    }

    #[test]
    fn a_word_that_is_like_none_gets_no_suggestion() {
        let known = ["listen".to_owned(), "log-level".to_owned()];
        assert_eq!(nearest("lisen", &known), Some("listen"));
        assert_eq!(nearest("loglevel", &known), Some("log-level"));
        assert_eq!(nearest("colour", &known), None);
    }
}
