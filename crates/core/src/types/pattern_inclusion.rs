//! Whether every text that matches some patterns matches another one. The answer is exact, or
//! there is none.

mod automaton;
mod search;
#[cfg(test)]
mod tests;

use super::pattern;
use regex::Regex;
use search::AutomatonSearch;

/// Lengths up to here are counted exactly.
const COUNTED: u64 = 300;
/// Texts that a search may take for counterexamples and that are none.
const DOUBTS: usize = 100;

/// The least and the greatest number of characters.
type LengthRange = (Option<u64>, Option<u64>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PatternInclusion {
    Yes,
    /// A text that matches all of the known ones and not the wanted one.
    No(String),
}

/// Whether every text of these lengths that matches all the known patterns matches the wanted
/// one. None if it would take too much.
pub(crate) fn within(
    known: &[&str],
    wanted: &str,
    lengths: LengthRange,
) -> Option<PatternInclusion> {
    let asked = PatternCheck::new(known, wanted, lengths)?;
    let (least, greatest) = lengths;
    let is_void = greatest.is_some_and(|greatest| least.unwrap_or(0) > greatest);
    if is_void || known.contains(&wanted) {
        return Some(PatternInclusion::Yes);
    }
    let mut search = AutomatonSearch::new(known, wanted)?;
    let counted = |length: Option<u64>| length.filter(|length| *length <= COUNTED);
    let counted = (counted(least), counted(greatest));
    if counted != (None, None) {
        // Without lengths there are far fewer places to visit, and mostly it is enough.
        let found = search.run(&asked, (None, None), 0);
        if found.is_some() {
            return found;
        }
    }
    search.run(&asked, counted, DOUBTS)
}

/// The question with the engine that validates, which has to confirm what the search finds.
struct PatternCheck {
    known: Vec<Regex>,
    wanted: Regex,
    lengths: LengthRange,
}

impl PatternCheck {
    fn new(known: &[&str], wanted: &str, lengths: LengthRange) -> Option<Self> {
        let regex = |pattern: &str| Some(pattern::compile(pattern).ok()?.regex);
        let known = known.iter().map(|known| regex(known));
        Some(Self {
            known: known.collect::<Option<_>>()?,
            wanted: regex(wanted)?,
            lengths,
        })
    }

    fn is_refuted_by(&self, text: &str) -> bool {
        let length = text.chars().count() as u64;
        let (least, greatest) = self.lengths;
        least.is_none_or(|least| length >= least)
            && greatest.is_none_or(|greatest| length <= greatest)
            && self.known.iter().all(|known| known.is_match(text))
            && !self.wanted.is_match(text)
    }
}
