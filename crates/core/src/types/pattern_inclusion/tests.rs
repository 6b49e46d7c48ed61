use super::*;
use fastrand::Rng;
use std::time::{Duration, Instant};

const ANY: LengthRange = (None, None);

fn yes(known: &[&str], wanted: &str, lengths: LengthRange) {
    let found = within(known, wanted, lengths);
    assert_eq!(
        found,
        Some(PatternInclusion::Yes),
        "{known:?} {wanted} {lengths:?}"
    );
}

fn no(known: &[&str], wanted: &str, lengths: LengthRange, text: &str) {
    let found = within(known, wanted, lengths);
    let no = Some(PatternInclusion::No(text.to_owned()));
    assert_eq!(found, no, "{known:?} {wanted} {lengths:?}");
}

#[test]
fn a_pattern_is_within_a_wider_one_and_not_the_reverse() {
    for (narrow, wide, text) in [
        ("^https://", "^(https://|mailto:)", "mailto:"),
        ("^a+$", "^a*$", ""),
        ("^[a-z]([-a-z0-9]*[a-z0-9])?$", "^[a-z0-9-]+$", "0"),
        ("^(http|ssh)://.*$", "^(http|ssh)://", "ssh://\n"),
        ("ab", "b", "b"),
        (".", "", ""),
        (r"^\p{Lu}+$", r"^\p{L}+$", "a"),
        ("^é$", "^[à-ü]$", "à"),
        ("^[A-Z]$", "(?i)^[a-z]$", "a"),
        ("^a{3}$", "^(a{3})+$", "aaaaaa"),
        ("^(?m:a$)", "^a", "aa"),
    ] {
        yes(&[narrow], wide, ANY);
        no(&[wide], narrow, ANY, text);
    }
}

#[test]
fn patterns_that_mean_the_same_are_within_each_other() {
    for (one, other) in [
        ("b", "ab|b"),
        ("a", "^.*a|\n.*a"),
        ("", "^"),
        ("^(a|b)*$", "^(a*b*)*$"),
        (r"^\w$", "^[A-Za-z0-9_]$"),
        (r"^\p{L}*$", r"^(\p{Lu}|\p{Ll}|\p{Lt}|\p{Lm}|\p{Lo})*$"),
    ] {
        yes(&[one], other, ANY);
        yes(&[other], one, ANY);
    }
}

#[test]
fn a_text_has_to_match_all_known_patterns() {
    yes(&["^[ab]*$", "a", "b"], "ab|ba", ANY);
    no(&["a", "b"], "ab|ba", ANY, "acb");
    yes(&["^a", "^b"], "c", ANY);
    yes(&[], "", ANY);
    no(&[], "a", ANY, "");
    let many = ["a"; 40];
    yes(&many, "a|b", ANY);
    no(&many, "b", ANY, "a");
}

#[test]
fn texts_of_other_lengths_do_not_count() {
    yes(&["^a*$"], "^a{0,3}$", (None, Some(3)));
    no(&["^a*$"], "^a{0,3}$", (None, Some(4)), "aaaa");
    yes(&["^é*$"], "^é{0,3}$", (None, Some(3)));
    yes(&[], "^[^a]*a|^[^a]{2,300}$", (Some(2), Some(300)));
    yes(&["^a*$"], "aa", (Some(2), None));
    no(&["^a*$"], "aa", (Some(1), None), "a");
    no(&["^a*$"], "^a{0,3}$", (Some(7), Some(1_000)), "aaaaaaa");
    no(&["^a*$"], "b", (Some(3), Some(3)), "aaa");
    yes(&["^a*$"], "b", (Some(3), Some(2)));
    yes(&["^a*$"], "^a*", (Some(1_000), Some(2_000)));
}

#[test]
fn lengths_that_are_not_counted_leave_no_wrong_answer() {
    assert_eq!(within(&["^a*$"], "^a{0,301}$", (None, Some(301))), None);
    assert_eq!(within(&["^a*$"], "^a{0,3}$", (Some(1_000), None)), None);
    no(&["^a*$"], "^a{0,3}$", (None, Some(1_000)), "aaaa");
}

#[test]
fn word_boundaries_are_known_as_far_as_texts_are_ascii() {
    yes(&["^[a-z]+$"], r"\b[a-z]+\b", ANY);
    no(&["foo"], r"\bfoo\b", ANY, "afoo");
    no(&["^é+$"], r"\bx", ANY, "é");
    assert_eq!(within(&[r"\bé"], "é", ANY), None);
}

#[test]
fn what_has_no_automaton_has_no_answer() {
    for pattern in ["(", "(?=a)b", r"\p{L}{1000}", r"(?-u:\B)"] {
        assert_eq!(within(&[pattern], "", ANY), None, "{pattern}");
        assert_eq!(within(&[""], pattern, ANY), None, "{pattern}");
    }
}

#[test]
fn what_would_explode_ends_soon() {
    let started = Instant::now();
    let (one, same) = ("^(a|b)*a(a|b){25}$", "^(b|a)*a(b|a){25}$");
    assert_eq!(within(&[one], same, ANY), None);
    yes(&[one], same, (None, Some(9)));
    yes(&[one], one, ANY);
    no(&[one], "b", ANY, &"a".repeat(26));
    assert!(started.elapsed() < Duration::from_secs(60));
}

fn random_pattern(rng: &mut Rng, depth: u8) -> String {
    let leaf = |rng: &mut Rng| {
        let leaves = [
            "a", "b", "é", "a", "b", ".", "[ab]", "[^a]", "[bé]", "^", "$", "", "\n", "(?m:$)",
            "(?m:^)", "(?i:A)", r"\b", r"\B",
        ];
        rng.choice(leaves).unwrap_or("a").to_owned()
    };
    if depth == 0 {
        return leaf(rng);
    }
    let part = |rng: &mut Rng| random_pattern(rng, depth - 1);
    match rng.u8(0..9) {
        0..4 => part(rng) + &part(rng),
        4..6 => format!("({}|{})", part(rng), part(rng)),
        6 => format!("^{}$", part(rng)),
        7 => {
            let times = rng.choice(["*", "+", "?", "{2}", "{1,3}", "*?"]);
            format!("({}){}", part(rng), times.unwrap_or("*"))
        }
        _ => leaf(rng),
    }
}

fn texts_up_to(length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        let longer = |text: &String| ["a", "b", "é", "\n"].map(|each| format!("{text}{each}"));
        last = last.iter().flat_map(longer).collect();
        all.extend(last.iter().cloned());
    }
    all.sort_by_key(String::len);
    all
}

#[test]
fn random_patterns_are_answered_as_all_short_texts_say() {
    let mut rng = Rng::with_seed(11);
    let texts = texts_up_to(5);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..400 {
        let mut pattern = |depth| random_pattern(&mut rng, depth);
        let (one, two, wanted) = (pattern(3), pattern(1), pattern(3));
        let lengths = *rng
            .choice(&[ANY, (Some(2), None), (None, Some(3)), (Some(1), Some(4))])
            .unwrap();
        let asked = PatternCheck::new(&[&one, &two], &wanted, lengths).unwrap();
        let refuting = texts.iter().find(|text| asked.is_refuted_by(text));
        let about = format!("{one:?} {two:?} {wanted:?} {lengths:?} {refuting:?}");
        let has_words = [&one, &two, &wanted].iter().any(|each| each.contains('\\'));
        match within(&[&one, &two], &wanted, lengths) {
            Some(PatternInclusion::Yes) => {
                assert_eq!(refuting, None, "{about}");
                yes += 1;
            }
            Some(PatternInclusion::No(text)) => {
                assert!(asked.is_refuted_by(&text), "{text:?} {about}");
                let shortest = refuting.is_none_or(|short| text.len() <= short.len());
                assert!(shortest || has_words, "{text:?} {about}");
                no += 1;
            }
            None => assert!(has_words, "no answer: {about}"),
        }
    }
    assert!(yes > 100 && no > 100, "{yes} {no}");
}
