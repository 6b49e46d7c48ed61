//! Texts that match a pattern, made by walking over it.

use fastrand::Rng;
use regex::{Regex, RegexBuilder};
use regex_syntax::hir::{Class, Hir, HirKind};

/// Characters of a text; whoever needs more gets none.
pub(super) const LONGEST: usize = 2_048;
/// Nodes of the pattern that one walk visits: stars within stars multiply.
const STEPS: usize = 8_000;
/// Bytes of the compiled form; a schema that was accepted needs less.
const COMPILED_BYTES: usize = 4 * 1024 * 1024;

/// A pattern that texts can be made from.
#[derive(Clone, Debug)]
pub(super) struct ExamplePattern {
    regex: Regex,
    hir: Hir,
}

impl ExamplePattern {
    /// Of a pattern as schemas write it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let rust = jsonschema_regex::to_rust_regex(text).ok()?;
        let regex = RegexBuilder::new(&rust).size_limit(COMPILED_BYTES).build();
        Self::of(&regex.ok()?)
    }

    /// Of one that is compiled already.
    pub(super) fn of(regex: &Regex) -> Option<Self> {
        let hir = regex_syntax::parse(regex.as_str()).ok()?;
        let regex = regex.clone();
        Some(Self { regex, hir })
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// A text that matches. Repetitions go up to `more` beyond their least number.
    pub(super) fn text(&self, rng: &mut Rng, more: usize) -> Option<String> {
        let mut walk = PatternWalk {
            rng,
            more,
            steps: STEPS,
            text: String::new(),
        };
        walk.emit(&self.hir)?;
        Some(walk.text).filter(|text| self.matches(text))
    }
}

struct PatternWalk<'r> {
    rng: &'r mut Rng,
    more: usize,
    steps: usize,
    text: String,
}

impl PatternWalk<'_> {
    /// It goes as deep as the pattern nests, which its parser limits.
    fn emit(&mut self, hir: &Hir) -> Option<()> {
        self.steps = self.steps.checked_sub(1)?;
        if self.text.len() > LONGEST {
            return None;
        }
        match hir.kind() {
            HirKind::Empty | HirKind::Look(_) => {}
            HirKind::Literal(literal) => {
                self.text.push_str(std::str::from_utf8(&literal.0).ok()?);
            }
            HirKind::Class(class) => {
                let one = self.one_of(class)?;
                self.text.push(one);
            }
            HirKind::Capture(capture) => self.emit(&capture.sub)?,
            HirKind::Repetition(repetition) => {
                let least = repetition.min as usize;
                let most = repetition.max.map_or(usize::MAX, |max| max as usize);
                let most = most.min(least.saturating_add(self.more));
                for _ in 0..self.rng.usize(least..=most.max(least)) {
                    self.emit(&repetition.sub)?;
                }
            }
            HirKind::Concat(parts) => {
                for part in parts {
                    self.emit(part)?;
                }
            }
            HirKind::Alternation(parts) => {
                let one = parts.get(self.rng.usize(..parts.len().max(1)))?;
                self.emit(one)?;
            }
        }
        Some(())
    }

    /// A character of the class, one that can be typed if it has some.
    fn one_of(&mut self, class: &Class) -> Option<char> {
        let ranges: Vec<(u32, u32)> = match class {
            Class::Unicode(class) => {
                let ranges = class.ranges().iter();
                ranges
                    .map(|range| (u32::from(range.start()), u32::from(range.end())))
                    .collect()
            }
            Class::Bytes(class) => {
                let ranges = class.ranges().iter();
                ranges
                    .map(|range| (u32::from(range.start()), u32::from(range.end())))
                    .collect()
            }
        };
        let typed = ranges
            .iter()
            .map(|(start, end)| (*start.max(&0x20), *end.min(&0x7e)))
            .filter(|(start, end)| start <= end);
        let typed: Vec<_> = typed.collect();
        let from = if typed.is_empty() { &ranges } else { &typed };
        let (start, end) = *from.get(self.rng.usize(..from.len().max(1)))?;
        // What lies between the halves of a class may be no character.
        char::from_u32(self.rng.u32(start..=end)).or_else(|| char::from_u32(start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_match_the_pattern_that_they_are_made_from() {
        let mut rng = Rng::with_seed(1);
        for pattern in [
            "^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$",
            r"^\d{1,3}(\.\d{1,3}){3}$",
            r"^\p{Greek}+$",
            "^(GET|PUT|DELETE)$",
            "^x-",
            "[^a]",
            ".*",
            "",
        ] {
            let pattern = ExamplePattern::read(pattern).unwrap();
            for more in 0..4 {
                let text = pattern.text(&mut rng, more).unwrap();
                assert!(pattern.matches(&text), "{text:?}");
            }
        }
    }

    #[test]
    fn a_pattern_that_matches_nothing_or_never_ends_makes_no_text() {
        let mut rng = Rng::with_seed(1);
        assert_eq!(ExamplePattern::read("a^b").unwrap().text(&mut rng, 3), None);
        let stars = format!("{}a{}", "(".repeat(60), "*)+".repeat(60));
        if let Some(pattern) = ExamplePattern::read(&stars) {
            let _ = pattern.text(&mut rng, 1_000);
        }
    }
}
