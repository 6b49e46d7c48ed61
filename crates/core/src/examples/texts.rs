//! Texts with a length, a pattern, a format: those at the edges, and any.

use super::formats;
use super::patterns::{ExamplePattern, LONGEST};
use super::rules::PartRule;
use fastrand::Rng;
use serde_json::Value;

/// A text at its greatest length is made only if that is not more.
const LONG: usize = 300;
/// Texts of a pattern, or of a format, that count as telling.
const SAMPLES: usize = 6;

/// Plain ones first. Others look like numbers, pointers, pairs, lists, JSON: what a conversion
/// takes apart or reads.
const TELLING: [&str; 20] = [
    "a",
    "b",
    "c",
    "",
    "8080",
    "007",
    "-1",
    "1.0",
    "a/b",
    "~0~1",
    "a:b",
    "host:80:x",
    "a,b",
    "a, b,",
    "zażółć 漢字 😀",
    " ",
    "true",
    "null",
    "{\"a\":[1]}",
    "*",
];

const LETTERS: [char; 24] = [
    'a', 'b', 'c', 'k', 'x', 'z', 'A', 'Z', '0', '1', '7', '9', '-', '_', '.', '/', '~', ':', ',',
    ' ', 'é', '漢', '😀', '"',
];

/// The texts that all rules allow.
#[derive(Debug)]
pub(super) struct TextDemand<'s> {
    /// The telling ones, plain ones first.
    pub(super) edges: Vec<String>,
    /// Which of them is the shortest.
    pub(super) shortest: usize,
    least: usize,
    most: usize,
    patterns: Vec<ExamplePattern>,
    formats: Vec<&'s str>,
}

impl<'s> TextDemand<'s> {
    /// `salt` decides which texts of a pattern are the telling ones.
    pub(super) fn of(rules: &[&PartRule<'s>], salt: u64) -> Self {
        let counts = |keyword| rules.iter().filter_map(move |rule| rule.count(keyword));
        let formats = rules.iter().filter_map(|rule| {
            let format = rule.keywords?.get("format").and_then(Value::as_str)?;
            formats::text(format, 0).map(|_| format)
        });
        let patterns = rules.iter().filter_map(|rule| rule.pattern.clone());
        let mut texts = Self {
            edges: Vec::new(),
            shortest: 0,
            least: counts("minLength").max().unwrap_or(0),
            most: counts("maxLength").min().unwrap_or(usize::MAX),
            patterns: patterns.collect(),
            formats: formats.collect(),
        };
        texts.find_edges(&mut Rng::with_seed(salt));
        texts
    }

    fn find_edges(&mut self, rng: &mut Rng) {
        if self.least > LONGEST || self.least > self.most {
            return;
        }
        let mut found: Vec<String> = Vec::new();
        let plain = TELLING.into_iter().map(|text| self.padded(text));
        if let Some(format) = self.formats.first() {
            let numbers = 0..SAMPLES as u64;
            found.extend(numbers.filter_map(|n| formats::text(format, n * 7)));
        } else if let Some(pattern) = self.patterns.first() {
            for sample in 0..SAMPLES * 2 {
                let more = self.more(sample);
                found.extend(pattern.text(rng, more));
            }
            found.extend(plain);
        } else {
            found.extend(plain);
            let longest = Some(self.most).filter(|most| *most <= LONG);
            found.extend(longest.map(|most| "é".repeat(most)));
            found.push("x".repeat(self.least));
        }
        let mut seen: Vec<String> = Vec::new();
        found.retain(|text| {
            let new = !seen.contains(text) && self.allows(text);
            seen.push(text.clone());
            new
        });
        let lengths = found.iter().map(String::len).enumerate();
        self.shortest = lengths
            .min_by_key(|(_, length)| *length)
            .map_or(0, |(n, _)| n);
        self.edges = found;
    }

    /// How far repetitions of a pattern should go for a text of a length that is allowed.
    fn more(&self, sample: usize) -> usize {
        let most = self.most.min(self.least.saturating_add(20));
        match sample % 4 {
            0 => 0,
            1 => 2.min(most),
            2 => self.least,
            _ => most.min(8.max(self.least)),
        }
    }

    /// The text, repeated up to the least length and cut at the greatest.
    fn padded(&self, text: &str) -> String {
        let length = text.chars().count();
        if length >= self.least {
            return text.chars().take(self.most).collect();
        }
        let source = if text.is_empty() { "a" } else { text };
        source.chars().cycle().take(self.least).collect()
    }

    fn allows(&self, text: &str) -> bool {
        let length = text.chars().count();
        (self.least..=self.most).contains(&length)
            && self.patterns.iter().all(|pattern| pattern.matches(text))
    }

    /// Any text that is allowed.
    pub(super) fn random(&self, rng: &mut Rng) -> Option<String> {
        if self.least > LONGEST {
            return None;
        }
        let made = if let Some(format) = self.formats.first() {
            formats::text(format, rng.u64(..))
        } else if let Some(pattern) = self.patterns.first() {
            let more = self.more(rng.usize(..4));
            pattern.text(rng, more)
        } else {
            let most = self.most.min(self.least.saturating_add(8));
            let length = rng.usize(self.least..=most.max(self.least));
            let letters = (0..length).filter_map(|_| rng.choice(LETTERS));
            Some(letters.collect())
        };
        made.filter(|text| self.allows(text))
    }
}
