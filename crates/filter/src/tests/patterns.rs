//! Wildcards.

use crate::{FilterError, Operand, WildcardPattern};
use proptest::prelude::*;
use std::time::{Duration, Instant};

fn pattern(text: &str) -> WildcardPattern {
    match Operand::from_escaped(text).unwrap() {
        Operand::Pattern(pattern) => pattern,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_star_stands_for_any_characters_also_none() {
    for (text, matching, others) in [
        ("a*", &["a", "ab", "a*"][..], &["", "ba", "A"][..]),
        ("*a", &["a", "ba"], &["ab"]),
        ("*", &["", "x"], &[]),
        ("a*a", &["aa", "aba"], &["a", "ab"]),
        ("a*b*c", &["abc", "aXbYc", "abbcc"], &["acb", "ab"]),
        ("**x**", &["x", "yxz"], &["y"]),
        ("\\**", &["*", "*a"], &["a"]),
        ("a\\\\*", &["a\\", "a\\b"], &["a"]),
        ("ab*ba", &["abba", "ab-ba"], &["aba"]),
    ] {
        for candidate in matching {
            assert!(pattern(text).matches(candidate), "{text} {candidate}");
        }
        for candidate in others {
            assert!(!pattern(text).matches(candidate), "{text} {candidate}");
        }
    }
}

#[test]
fn without_a_wildcard_it_is_a_text() {
    assert_eq!(
        Operand::from_escaped("a\\*\\;b"),
        Ok(Operand::Text("a*;b".into()))
    );
    assert!(matches!(
        Operand::from_escaped("a\\"),
        Err(FilterError::Operand { .. })
    ));
    assert!(matches!(
        WildcardPattern::of_pieces(vec!["a".into()]),
        Err(FilterError::Operand { .. })
    ));
    assert!(matches!(
        WildcardPattern::of_pieces(vec![]),
        Err(FilterError::Operand { .. })
    ));
}

#[test]
fn the_worst_pattern_on_a_long_text_ends_in_time() {
    let worst = pattern(&"*aaaaaaaab".repeat(16));
    let text = "a".repeat(400_000);
    let start = Instant::now();
    assert!(!worst.matches(&text));
    assert!(start.elapsed() < Duration::from_secs(5));
}

/// The textbook definition, exponential.
fn is_of(pattern: &str, text: &str) -> bool {
    match pattern.chars().next() {
        None => text.is_empty(),
        Some('*') => is_of(&pattern[1..], text) || (!text.is_empty() && is_of(pattern, &text[1..])),
        Some(c) => text.starts_with(c) && is_of(&pattern[1..], &text[1..]),
    }
}

proptest! {
    #[test]
    fn matching_is_the_textbook_definition(before in "[ab*]{0,4}", after in "[ab*]{0,4}", text in "[ab]{0,9}") {
        let whole = format!("{before}*{after}");
        prop_assert_eq!(pattern(&whole).matches(&text), is_of(&whole, &text));
    }
}
