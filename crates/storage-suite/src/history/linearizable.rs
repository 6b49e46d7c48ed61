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
            SearchOutcome::Order => {}
            SearchOutcome::None(longest) => {
                return Err(Violation(format!(
                    "no order of the operations on {key} explains {longest:?}"
                )));
            }
            SearchOutcome::TooMany => {
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
struct KeyOperation {
    call: u64,
    done: u64,
    /// The sequence that it reported: believed only as far as what is tried first.
    guess: u64,
    what: OperationKind,
}

#[derive(Clone, Debug)]
enum OperationKind {
    Read(Option<Version>),
    Accepted(Move, Revision),
    Refused(Move, Refusal),
}

impl KeyOperation {
    /// The state after it, if its answer is right in `state`.
    fn play(&self, state: Option<Version>) -> Option<Option<Version>> {
        match &self.what {
            OperationKind::Read(shown) => (*shown == state).then_some(state),
            OperationKind::Accepted(step, fresh) => play(step, state, *fresh).ok(),
            OperationKind::Refused(step, refusal) => {
                // A refusal draws no revision, so any will do.
                let refused = play(step, state, Revision::NEVER);
                (refused.as_ref() == Err(refusal)).then_some(state)
            }
        }
    }
}

/// The parts of a history that concern a key: those that happened, and those that may have.
fn of_key(operations: &[Operation], key: &Key) -> (Vec<KeyOperation>, Vec<KeyOperation>) {
    let (mut certain, mut uncertain) = (Vec::new(), Vec::new());
    for operation in operations {
        let add = |to: &mut Vec<KeyOperation>, what| {
            to.push(KeyOperation {
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
                    add(&mut certain, OperationKind::Read(*version));
                }
            }
            (Request::Write(moves), outcome) => {
                let Some(step) = moves.iter().find(|step| step.key == *key).cloned() else {
                    continue;
                };
                match outcome {
                    Outcome::Done(_, revision) => {
                        add(&mut certain, OperationKind::Accepted(step, *revision));
                    }
                    Outcome::Unknown(revision) => {
                        add(&mut uncertain, OperationKind::Accepted(step, *revision));
                    }
                    // What is refused for another key says nothing of this one.
                    Outcome::Refused(refusal) if refusal.key() == key => {
                        add(&mut certain, OperationKind::Refused(step, refusal.clone()));
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

enum SearchOutcome {
    Order,
    /// None; the furthest that any order came is before this.
    None(Option<KeyOperation>),
    TooMany,
}

/// One configuration of the search: what was put in order so far, and the state after it.
#[derive(Clone, PartialEq, Eq, Hash)]
struct SearchConfiguration {
    /// Bits of the certain parts, then of the uncertain ones.
    ordered: Vec<u64>,
    state: Option<Version>,
}

impl SearchConfiguration {
    fn has(&self, i: usize) -> bool {
        self.ordered[i / 64] >> (i % 64) & 1 == 1
    }

    fn with(&self, i: usize, state: Option<Version>) -> Self {
        let mut ordered = self.ordered.clone();
        ordered[i / 64] |= 1 << (i % 64);
        Self { ordered, state }
    }
}

fn search(certain: &[KeyOperation], uncertain: &[KeyOperation]) -> SearchOutcome {
    let first = SearchConfiguration {
        ordered: vec![0; (certain.len() + uncertain.len()).div_ceil(64)],
        state: None,
    };
    let mut seen = HashSet::from([first.clone()]);
    // What may come next in each configuration on the way, the best guess last.
    let mut way = vec![(candidates(certain, uncertain, &first, 0), first, 0)];
    let mut furthest = 0;
    while let Some((next, here, done_to)) = way.last_mut() {
        // Uncertain parts may stay out of the order: they may never have happened.
        if *done_to == certain.len() {
            return SearchOutcome::Order;
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
        // All certain parts before this one are placed, so that the next scan begins here.
        let mut done_to = *done_to;
        while done_to < certain.len() && there.has(done_to) {
            done_to += 1;
        }
        // The same parts with the same state lead on in the same ways, whatever their order was.
        if seen.insert(there.clone()) {
            if seen.len() > MOST {
                return SearchOutcome::TooMany;
            }
            way.push((
                candidates(certain, uncertain, &there, done_to),
                there,
                done_to,
            ));
        }
    }
    SearchOutcome::None(certain.get(furthest).cloned())
}

/// What may come next: whatever was called before everything that is left has returned. The
/// certain ones come last, the best guess at the end, because the last is tried first.
fn candidates(
    certain: &[KeyOperation],
    uncertain: &[KeyOperation],
    here: &SearchConfiguration,
    done_to: usize,
) -> Vec<usize> {
    let mut first_return = u64::MAX;
    let mut ready = Vec::new();
    for (i, part) in certain.iter().enumerate().skip(done_to) {
        // Sorted by call: all that follow are called later still.
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
