//! Linearizability, key by key: the search of Wing and Gong with Lowe's memory of configurations.

use super::model::play;
use super::{Move, Operation, Outcome, Refusal, Request, Version, Violation};
use coeval_storage::{Key, Revision};
use std::collections::{BTreeSet, HashSet};

/// Configurations that are tried before the search gives up.
const MOST: usize = 2_000_000;

/// Checks that for each key there is an order of the operations on it that respects real time and
/// in which every answer is right. A write of unknown outcome may be anywhere after its call, or
/// nowhere.
///
/// # Errors
/// A [`Violation`] that names the key; also if no answer was found in reasonable time.
pub fn check_linearizable(operations: &[Operation]) -> Result<(), Violation> {
    let mut keys = BTreeSet::new();
    for operation in operations {
        match &operation.request {
            Request::Read(read) => keys.extend(read.iter()),
            Request::Write(moves) => keys.extend(moves.iter().map(|step| &step.key)),
        }
    }
    for key in keys {
        let (certain, uncertain) = of_key(operations, key);
        match search(&certain, &uncertain) {
            Found::Order => {}
            Found::None(longest) => {
                return Err(Violation(format!(
                    "no order of the operations on {key} explains {longest:?}"
                )));
            }
            Found::TooMany => {
                return Err(Violation(format!(
                    "no answer for {key} in {MOST} configurations"
                )));
            }
        }
    }
    Ok(())
}

/// What was done to one key.
#[derive(Clone, Debug)]
struct Part {
    call: u64,
    done: u64,
    /// The sequence that it reported: believed only as far as what is tried first.
    guess: u64,
    what: What,
}

#[derive(Clone, Debug)]
enum What {
    Read(Option<Version>),
    Accepted(Move, Revision),
    Refused(Move, Refusal),
}

impl Part {
    /// The state after it, if its answer is right in `state`.
    fn play(&self, state: Option<Version>) -> Option<Option<Version>> {
        match &self.what {
            What::Read(shown) => (*shown == state).then_some(state),
            What::Accepted(step, fresh) => play(step, state, *fresh).ok(),
            What::Refused(step, refusal) => {
                let refused = play(step, state, Revision::NEVER);
                (refused.as_ref() == Err(refusal)).then_some(state)
            }
        }
    }
}

/// The parts of a history that concern a key: those that happened, and those that may have.
fn of_key(operations: &[Operation], key: &Key) -> (Vec<Part>, Vec<Part>) {
    let (mut certain, mut uncertain) = (Vec::new(), Vec::new());
    for operation in operations {
        let add = |to: &mut Vec<Part>, what| {
            to.push(Part {
                call: operation.call,
                done: operation.done,
                guess: match operation.outcome {
                    Outcome::Done(sequence, _) => sequence,
                    // What changes nothing is best put in order as soon as it is right.
                    _ => 0,
                },
                what,
            });
        };
        match (&operation.request, &operation.outcome) {
            (Request::Read(keys), Outcome::Shown(_, shown)) => {
                let mine = keys.iter().zip(shown).find(|(read, _)| *read == key);
                if let Some((_, version)) = mine {
                    add(&mut certain, What::Read(*version));
                }
            }
            (Request::Write(moves), outcome) => {
                let Some(step) = moves.iter().find(|step| step.key == *key).cloned() else {
                    continue;
                };
                match outcome {
                    Outcome::Done(_, revision) => {
                        add(&mut certain, What::Accepted(step, *revision));
                    }
                    Outcome::Unknown(revision) => {
                        add(&mut uncertain, What::Accepted(step, *revision));
                    }
                    // What is refused for another key says nothing of this one.
                    Outcome::Refused(refusal) if refusal.key() == key => {
                        add(&mut certain, What::Refused(step, refusal.clone()));
                    }
                    _ => {}
                }
            }
            (Request::Read(_), _) => {}
        }
    }
    certain.sort_by_key(|part| part.call);
    uncertain.sort_by_key(|part| part.call);
    (certain, uncertain)
}

enum Found {
    Order,
    /// None; the furthest that any order came is before this.
    None(Option<Part>),
    TooMany,
}

/// One configuration of the search: what was put in order so far, and the state after it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Configuration {
    /// Bits of the certain parts, then of the uncertain ones.
    ordered: Vec<u64>,
    state: Option<Version>,
}

impl Configuration {
    fn has(&self, i: usize) -> bool {
        self.ordered[i / 64] >> (i % 64) & 1 == 1
    }

    fn with(&self, i: usize, state: Option<Version>) -> Self {
        let mut ordered = self.ordered.clone();
        ordered[i / 64] |= 1 << (i % 64);
        Self { ordered, state }
    }
}

fn search(certain: &[Part], uncertain: &[Part]) -> Found {
    let first = Configuration {
        ordered: vec![0; (certain.len() + uncertain.len()).div_ceil(64)],
        state: None,
    };
    let mut seen = HashSet::from([first.clone()]);
    // What may come next in each configuration on the way, the best guess last.
    let mut way = vec![(candidates(certain, uncertain, &first, 0), first, 0)];
    let mut furthest = 0;
    while let Some((next, here, done_to)) = way.last_mut() {
        if *done_to == certain.len() {
            return Found::Order;
        }
        furthest = furthest.max(*done_to);
        let Some(i) = next.pop() else {
            way.pop();
            continue;
        };
        let part = certain
            .get(i)
            .unwrap_or_else(|| &uncertain[i - certain.len()]);
        let Some(state) = part.play(here.state) else {
            continue;
        };
        let there = here.with(i, state);
        let mut done_to = *done_to;
        while done_to < certain.len() && there.has(done_to) {
            done_to += 1;
        }
        if seen.insert(there.clone()) {
            if seen.len() > MOST {
                return Found::TooMany;
            }
            way.push((
                candidates(certain, uncertain, &there, done_to),
                there,
                done_to,
            ));
        }
    }
    Found::None(certain.get(furthest).cloned())
}

/// What may come next: whatever was called before everything that is left has returned. The
/// certain ones come last, the best guess at the end, because the last is tried first.
fn candidates(
    certain: &[Part],
    uncertain: &[Part],
    here: &Configuration,
    done_to: usize,
) -> Vec<usize> {
    let mut first_return = u64::MAX;
    let mut ready = Vec::new();
    for (i, part) in certain.iter().enumerate().skip(done_to) {
        if part.call > first_return {
            break;
        }
        if !here.has(i) {
            first_return = first_return.min(part.done);
            ready.push(i);
        }
    }
    let maybe = uncertain.iter().enumerate();
    let maybe = maybe
        .filter(|(_, part)| part.call < first_return)
        .map(|(i, _)| certain.len() + i)
        .filter(|i| !here.has(*i));
    ready.sort_by_key(|&i| std::cmp::Reverse(certain[i].guess));
    maybe.chain(ready).collect()
}

#[cfg(test)]
mod tests;
