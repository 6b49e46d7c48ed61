//! Patterns, by what they match.

use super::conjunction::Conjunction;
use crate::types::{PatternInclusion, within};
use serde_json::Value;
use std::collections::HashMap;

/// Questions that may end without an answer: each of them takes long.
const FAILURES: usize = 4;
/// Questions in all.
const QUESTIONS: usize = 200;

type PatternQuestion = (Vec<String>, String, (Option<u64>, Option<u64>));

/// What was asked already.
#[derive(Debug, Default)]
pub(super) struct PatternAnswers {
    answers: HashMap<PatternQuestion, Option<PatternInclusion>>,
    failures: usize,
}

impl PatternAnswers {
    /// Leaves out the pattern if every text that is known matches it; a text that does not.
    pub(super) fn omit_kept(&mut self, c: &Conjunction<'_>, wanted: &mut Value) -> Option<String> {
        let map = wanted.as_object_mut()?;
        let pattern = map.get("pattern")?.as_str()?.to_owned();
        // All patterns that are known hold together.
        let known = c.maps().filter_map(|part| part.get("pattern")?.as_str());
        let known: Vec<String> = known.map(str::to_owned).collect();
        let length = |word| c.maps().filter_map(move |part| part.get(word)?.as_u64());
        // The narrowest of all lengths, since each of them holds.
        let lengths = (length("minLength").max(), length("maxLength").min());
        match self.within((known, pattern, lengths))? {
            PatternInclusion::No(text) => Some(text),
            PatternInclusion::Yes => {
                map.shift_remove("pattern");
                None
            }
        }
    }

    fn within(&mut self, question: PatternQuestion) -> Option<PatternInclusion> {
        // The same question comes again for each property that uses the pattern.
        if let Some(answer) = self.answers.get(&question) {
            return answer.clone();
        }
        // A question costs much before it fails: after some failures no more are asked.
        if self.failures >= FAILURES || self.answers.len() >= QUESTIONS {
            return None;
        }
        let (known, wanted, lengths) = &question;
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let answer = within(&known, wanted, *lengths);
        self.failures += usize::from(answer.is_none());
        self.answers.insert(question, answer.clone());
        answer
    }
}
