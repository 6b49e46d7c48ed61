//! A search over the automata of all patterns at once, breadth first.

use super::automaton::Automaton;
use super::{LengthRange, PatternCheck, PatternInclusion};
use regex_automata::Anchored;
use regex_automata::hybrid::{CacheError, LazyStateID};
use std::collections::HashSet;
use std::rc::Rc;

/// Places that one search visits.
const PLACES: usize = 200_000;
/// Moves of single automata in one search.
const MOVES: usize = 20_000_000;
/// Known patterns that a search follows. Fewer of them only leave more texts.
const FOLLOWED: usize = 16;
pub(super) struct AutomatonSearch {
    known: Vec<Automaton>,
    wanted: Automaton,
    /// Follows only what is valid UTF-8.
    utf8: Automaton,
    /// One byte for all that no automaton tells apart.
    bytes: Vec<u8>,
}

/// Where all automata are after some bytes that don't make the wanted pattern match.
#[derive(PartialEq, Eq, Hash)]
struct AutomataState {
    /// None if it has matched: what follows does not change that.
    known: Box<[Option<LazyStateID>]>,
    wanted: LazyStateID,
    utf8: LazyStateID,
    /// After a whole character, where a text may end.
    between: bool,
    /// Characters, as far as they matter.
    length: u64,
}

/// A place, the visit before it, and the byte between them.
struct StateVisit {
    place: Rc<AutomataState>,
    before: usize,
    byte: u8,
}

impl AutomatonSearch {
    pub(super) fn new(known: &[&str], wanted: &str) -> Option<Self> {
        let followed = known.iter().take(FOLLOWED);
        let known = followed.map(|known| Automaton::of_pattern(known));
        let known = known.collect::<Option<Vec<_>>>()?;
        let wanted = Automaton::of_pattern(wanted)?;
        let utf8 = Automaton::new("(?s:.)*")?;
        let mut seen = HashSet::new();
        let bytes = pleasant_first().filter(|byte| {
            let all = known.iter().chain([&wanted, &utf8]);
            seen.insert(all.map(|each| each.class(*byte)).collect::<Vec<_>>())
        });
        Some(Self {
            bytes: bytes.collect(),
            known,
            wanted,
            utf8,
        })
    }

    /// Looks for a counterexample of the counted lengths. Some texts may turn out to be none.
    /// None if it can't say.
    pub(super) fn run(
        &mut self,
        asked: &PatternCheck,
        counted: LengthRange,
        allowed_doubts: usize,
    ) -> Option<PatternInclusion> {
        let bytes = self.bytes.clone();
        let start = Rc::new(self.start()?);
        let mut seen = HashSet::from([Rc::clone(&start)]);
        let mut visits = vec![StateVisit {
            place: start,
            before: 0,
            byte: 0,
        }];
        let (mut next, mut moves, mut doubts) = (0, 0, 0);
        while let Some(visit) = visits.get(next) {
            let place = Rc::clone(&visit.place);
            if self.may_refute(&place, counted).ok()? {
                let text = text(&visits, next)?;
                if asked.is_refuted_by(&text) {
                    return Some(PatternInclusion::No(text));
                }
                // Its length was not counted, or not all was followed: another may refute it.
                doubts += 1;
            }
            moves += bytes.len() * (self.known.len() + 2);
            if doubts > allowed_doubts || moves > MOVES || visits.len() > PLACES {
                return None;
            }
            for byte in bytes.iter().copied() {
                let Some(reached) = self.step(&place, byte, counted).ok()? else {
                    continue;
                };
                let reached = Rc::new(reached);
                if seen.insert(Rc::clone(&reached)) {
                    visits.push(StateVisit {
                        place: reached,
                        before: next,
                        byte,
                    });
                }
            }
            next += 1;
        }
        (doubts == 0).then_some(PatternInclusion::Yes)
    }

    fn start(&mut self) -> Option<AutomataState> {
        let known = self.known.iter_mut();
        let known = known.map(|known| known.start(Anchored::No).map(Some));
        Some(AutomataState {
            known: known.collect::<Option<_>>()?,
            wanted: self.wanted.start(Anchored::No)?,
            utf8: self.utf8.start(Anchored::Yes)?,
            between: true,
            length: 0,
        })
    }

    /// The place after one more byte; None if no counterexample starts like this.
    fn step(
        &mut self,
        from: &AutomataState,
        byte: u8,
        (least, greatest): LengthRange,
    ) -> Result<Option<AutomataState>, CacheError> {
        let utf8 = self.utf8.step(from.utf8, byte)?;
        if utf8.is_dead() {
            return Ok(None);
        }
        let between = self.utf8.matches_at_end(utf8)?;
        let length = from.length + u64::from(between);
        if greatest.is_some_and(|greatest| length > greatest) {
            return Ok(None);
        }
        // Automata tell one byte later that they have matched.
        let wanted = self.wanted.step(from.wanted, byte)?;
        if wanted.is_match() {
            return Ok(None);
        }
        let mut known = Vec::with_capacity(from.known.len());
        for (automaton, state) in self.known.iter_mut().zip(&from.known) {
            let Some(state) = state else {
                known.push(None);
                continue;
            };
            let state = automaton.step(*state, byte)?;
            if state.is_dead() {
                return Ok(None);
            }
            known.push((!state.is_match()).then_some(state));
        }
        Ok(Some(AutomataState {
            known: known.into(),
            wanted,
            utf8,
            between,
            length: length.min(greatest.or(least).unwrap_or(0)),
        }))
    }

    /// Whether a text that ends here matches the known patterns and not the wanted one, as far
    /// as automata that have not quit can say.
    fn may_refute(
        &mut self,
        place: &AutomataState,
        (least, _): LengthRange,
    ) -> Result<bool, CacheError> {
        if !place.between
            || least.is_some_and(|least| place.length < least)
            || self.wanted.matches_at_end(place.wanted)?
        {
            return Ok(false);
        }
        for (automaton, state) in self.known.iter_mut().zip(&place.known) {
            if let Some(state) = state
                && !state.is_quit()
                && !automaton.matches_at_end(*state)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// All bytes, some of them twice; first those that people like to read in an example.
fn pleasant_first() -> impl Iterator<Item = u8> {
    (b'a'..=b'z')
        .chain(b'0'..=b'9')
        .chain(b'A'..=b'Z')
        .chain(b' '..=b'~')
        .chain("\né".bytes())
        .chain(0..=u8::MAX)
}

fn text(visits: &[StateVisit], last: usize) -> Option<String> {
    let mut bytes = Vec::new();
    let mut at = last;
    while at > 0 {
        let visit = visits.get(at)?;
        bytes.push(visit.byte);
        at = visit.before;
    }
    bytes.reverse();
    String::from_utf8(bytes).ok()
}
