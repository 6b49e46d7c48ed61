//! The automaton of one pattern, built as far as it is visited.

use crate::types::pattern::COMPILED_BYTES;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::hybrid::{CacheError, LazyStateID};
use regex_automata::nfa::thompson::{self, WhichCaptures};
use regex_automata::util::start;
use regex_automata::{Anchored, MatchKind};

/// Bytes that one automaton may grow to.
const AUTOMATON_BYTES: usize = 4 * 1024 * 1024;

pub(super) struct Automaton {
    dfa: DFA,
    cache: Cache,
}

impl Automaton {
    /// Of a pattern as a schema has it.
    pub(super) fn of_pattern(pattern: &str) -> Option<Self> {
        Self::new(&jsonschema_regex::to_rust_regex(pattern).ok()?)
    }

    pub(super) fn new(rust: &str) -> Option<Self> {
        let nfa = thompson::Config::new()
            .which_captures(WhichCaptures::None)
            .nfa_size_limit(Some(COMPILED_BYTES));
        let config = DFA::config()
            .match_kind(MatchKind::All)
            // Word boundaries are followed in ASCII; any other byte leads to the quit state.
            .unicode_word_boundary(true)
            .cache_capacity(AUTOMATON_BYTES)
            // A full cache is an error: the states' numbers must stay what they are.
            .minimum_cache_clear_count(Some(0));
        let built = DFA::builder().thompson(nfa).configure(config).build(rust);
        let dfa = built.ok()?;
        // They also match between the bytes of a character, which the engine only half undoes.
        if dfa.get_nfa().look_set_any().contains_word_ascii() {
            return None;
        }
        let cache = dfa.create_cache();
        Some(Self { dfa, cache })
    }

    pub(super) fn start(&mut self, anchored: Anchored) -> Option<LazyStateID> {
        let config = start::Config::new().anchored(anchored);
        self.dfa.start_state(&mut self.cache, &config).ok()
    }

    pub(super) fn step(&mut self, from: LazyStateID, byte: u8) -> Result<LazyStateID, CacheError> {
        self.dfa.next_state(&mut self.cache, from, byte)
    }

    pub(super) fn matches_at_end(&mut self, state: LazyStateID) -> Result<bool, CacheError> {
        let end = self.dfa.next_eoi_state(&mut self.cache, state)?;
        Ok(end.is_match())
    }

    /// The same for bytes that it does not tell apart.
    pub(super) fn class(&self, byte: u8) -> u8 {
        self.dfa.byte_classes().get(byte)
    }
}
