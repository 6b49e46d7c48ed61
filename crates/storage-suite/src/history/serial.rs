//! Strict serializability in the order of the returned sequences, in linear time (and sorting).

use super::model::{is_told, play};
use super::{Logged, Move, Operation, Outcome, Refusal, Request, Version, Violation};
use coeval_storage::{Key, Revision, WriteCondition};
use std::collections::{BTreeMap, HashMap};

type SerialChanges = Vec<(Key, Option<Version>)>;

/// Checks that the sequences are a serial order of the operations:
///
/// - replayed in that order, every acknowledged write is accepted and changes exactly what the
///   log says, and the log has nothing that nobody wrote;
/// - every read shows exactly the state at its sequence;
/// - what returned before something else was called has the lower sequence;
/// - every refusal was true at some moment between its call and its return.
///
/// A write of unknown outcome happened if the log has it. Such places are found by its revision,
/// or, for writes without a put, by what changed. Returned is the history with these decided: done
/// at their place and never returned, or failed.
///
/// # Errors
/// The first [`Violation`].
pub fn check_serial(operations: &[Operation], log: &[Logged]) -> Result<Vec<Operation>, Violation> {
    if let Some(pair) = log.windows(2).find(|p| p[0].sequence >= p[1].sequence) {
        return wrong(format!(
            "the log goes from {} to {}",
            pair[0].sequence, pair[1].sequence
        ));
    }
    let floors = floors(operations);
    let mut replay = WriteReplay {
        operations,
        floors: &floors,
        state: HashMap::new(),
        timelines: HashMap::new(),
        unknown: undecided(operations),
        places: vec![None; operations.len()],
    };
    replay.run(log)?;
    let WriteReplay {
        places, timelines, ..
    } = replay;
    check_real_time(operations, &floors, &places)?;
    check_refusals(operations, &floors, &timelines)?;
    let decided = operations.iter().zip(places);
    Ok(decided
        .map(|(operation, place)| decide(operation, place))
        .collect())
}

/// The operation with its outcome as the log tells it.
fn decide(operation: &Operation, place: Option<WritePlace>) -> Operation {
    let mut decided = operation.clone();
    if let Outcome::Unknown(revision) = operation.outcome {
        // Not in the log: it did not happen.
        decided.outcome = Outcome::Failed;
        if let Some(WritePlace::Group(sequence)) = place {
            decided.outcome = Outcome::Done(sequence, revision);
            // It may have taken effect long after its caller had given up.
            decided.done = u64::MAX;
        }
    }
    decided
}

fn wrong<T>(what: String) -> Result<T, Violation> {
    Err(Violation(what))
}

/// The sequence that an operation itself reported.
fn reported(operation: &Operation) -> Option<u64> {
    match operation.outcome {
        Outcome::Shown(sequence, _) | Outcome::Done(sequence, _) => Some(sequence),
        Outcome::Refused(_) | Outcome::Unknown(_) | Outcome::Failed => None,
    }
}

/// For each operation, the highest sequence among those that returned before it was called.
fn floors(operations: &[Operation]) -> Vec<u64> {
    let mut by_call: Vec<usize> = (0..operations.len()).collect();
    by_call.sort_by_key(|&i| operations[i].call);
    let mut by_return: Vec<&Operation> = operations.iter().collect();
    by_return.sort_by_key(|operation| operation.done);
    let mut returned = by_return.into_iter().peekable();
    let mut floors = vec![0; operations.len()];
    let mut highest = 0;
    for i in by_call {
        while let Some(before) = returned.next_if(|o| o.done < operations[i].call) {
            highest = highest.max(reported(before).unwrap_or(0));
        }
        floors[i] = highest;
    }
    floors
}

/// Writes of unknown outcome. Those that demand the most come first (a revision and an expiry, then
/// a revision): whatever fits one of them might fit another that demands less, not the other way
/// round.
fn undecided(operations: &[Operation]) -> Vec<usize> {
    let demanding = |operation: &Operation| match &operation.request {
        Request::Write(moves) => moves
            .iter()
            .map(|step| match step.condition {
                WriteCondition::AsRead { .. } => 3,
                WriteCondition::RevisionIs(_) => 2,
                _ => 0,
            })
            .sum(),
        Request::Read(_) => 0_usize,
    };
    let is_unknown = |i: &usize| matches!(operations[*i].outcome, Outcome::Unknown(_));
    let mut unknown: Vec<_> = (0..operations.len()).filter(is_unknown).collect();
    unknown.sort_by_key(|&i| std::cmp::Reverse(demanding(&operations[i])));
    unknown
}

/// An operation's place among the writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WritePlace {
    /// It is this group of the log.
    Group(u64),
    /// It changed nothing, and stands between this group and the next.
    After(u64),
}

struct WriteReplay<'a> {
    operations: &'a [Operation],
    floors: &'a [u64],
    state: HashMap<Key, Version>,
    /// Each key's states, and since which sequence.
    timelines: HashMap<Key, Vec<(u64, Option<Version>)>>,
    unknown: Vec<usize>,
    places: Vec<Option<WritePlace>>,
}

impl WriteReplay<'_> {
    fn run(&mut self, log: &[Logged]) -> Result<(), Violation> {
        // All that is known of one sequence: its group in the log, and who reported it.
        let mut points: BTreeMap<u64, (Option<&Logged>, Vec<usize>)> = BTreeMap::new();
        for group in log {
            points.entry(group.sequence).or_default().0 = Some(group);
        }
        for (i, operation) in self.operations.iter().enumerate() {
            if let Some(sequence) = reported(operation) {
                points.entry(sequence).or_default().1.push(i);
            }
        }
        for (sequence, (group, mut here)) in points {
            // The group first: a read at its sequence shows what it wrote.
            if let Some(group) = group {
                let owner = self.owner(group, &here)?;
                self.places[owner] = Some(WritePlace::Group(sequence));
                here.retain(|i| *i != owner);
                self.apply(group);
            }
            for i in here {
                self.places[i] = Some(WritePlace::After(sequence));
                self.stand_by(i, sequence)?;
            }
        }
        Ok(())
    }

    /// Who wrote a group of the log.
    fn owner(&mut self, group: &Logged, here: &[usize]) -> Result<usize, Violation> {
        let fits = |i: usize, revision| match &self.operations[i].request {
            Request::Write(moves) => self.effect(moves, revision).as_ref() == Ok(&group.changes),
            Request::Read(_) => false,
        };
        // Whoever was told this sequence comes first; only then one that never heard.
        for &i in here {
            if let Outcome::Done(_, revision) = self.operations[i].outcome
                && fits(i, revision)
            {
                return Ok(i);
            }
        }
        let found = self.unknown.iter().position(|&i| {
            let Outcome::Unknown(revision) = self.operations[i].outcome else {
                return false;
            };
            // What was called when this group had been seen by others can't have written it.
            self.floors[i] < group.sequence && fits(i, revision)
        });
        match found {
            // Taken out: one write is one group.
            Some(place) => Ok(self.unknown.remove(place)),
            None => wrong(format!(
                "nobody wrote {group:?}; acknowledged there: {:?}",
                here.iter()
                    .map(|&i| &self.operations[i])
                    .collect::<Vec<_>>()
            )),
        }
    }

    /// What a write tells watchers, from the present state.
    fn effect(&self, moves: &[Move], revision: Revision) -> Result<SerialChanges, Refusal> {
        let mut changes = Vec::new();
        for step in moves {
            let standing = self.state.get(&step.key).copied();
            let next = play(step, standing, revision)?;
            if is_told(step, standing) {
                changes.push((step.key.clone(), next));
            }
        }
        Ok(changes)
    }

    fn apply(&mut self, group: &Logged) {
        for (key, version) in &group.changes {
            match version {
                Some(version) => self.state.insert(key.clone(), *version),
                None => self.state.remove(key),
            };
            let timeline = self.timelines.entry(key.clone()).or_default();
            timeline.push((group.sequence, *version));
        }
    }

    /// A read, or a write that changed nothing, at the present state.
    fn stand_by(&self, i: usize, sequence: u64) -> Result<(), Violation> {
        let operation = &self.operations[i];
        match (&operation.request, &operation.outcome) {
            (Request::Read(keys), Outcome::Shown(_, shown)) => {
                let state: Vec<_> = keys.iter().map(|k| self.state.get(k).copied()).collect();
                if state != *shown {
                    return wrong(format!(
                        "{operation:?} does not show {state:?} of {sequence}"
                    ));
                }
            }
            (Request::Write(moves), Outcome::Done(_, revision)) => {
                // Acknowledged without a group of its own: right only if there was nothing to tell.
                let effect = self.effect(moves, *revision);
                if effect != Ok(Vec::new()) {
                    return wrong(format!(
                        "{operation:?} was acknowledged and is not in the log; after {sequence} \
                         it would be {effect:?}"
                    ));
                }
            }
            _ => return wrong(format!("an answer to another request: {operation:?}")),
        }
        Ok(())
    }
}

fn check_real_time(
    operations: &[Operation],
    floors: &[u64],
    places: &[Option<WritePlace>],
) -> Result<(), Violation> {
    for ((operation, floor), place) in operations.iter().zip(floors).zip(places) {
        let late_enough = match place {
            // A write comes after all that had returned; what changes nothing may share their
            // sequence.
            Some(WritePlace::Group(sequence)) => sequence > floor,
            Some(WritePlace::After(sequence)) => sequence >= floor,
            None => true,
        };
        if !late_enough {
            return wrong(format!(
                "something at {floor} had returned before this was called: {operation:?}"
            ));
        }
    }
    Ok(())
}

/// For each operation, the lowest place among those that were called after it returned: its own
/// is before that.
fn ceilings(operations: &[Operation]) -> Vec<u64> {
    let bound = |operation: &Operation| match operation.outcome {
        Outcome::Shown(sequence, _) => Some(sequence),
        // A write that changed nothing reports the group before it: one more is on the safe side.
        Outcome::Done(sequence, _) => Some(sequence),
        _ => None,
    };
    let mut by_return: Vec<usize> = (0..operations.len()).collect();
    by_return.sort_by_key(|&i| std::cmp::Reverse(operations[i].done));
    let mut by_call: Vec<&Operation> = operations.iter().collect();
    by_call.sort_by_key(|operation| std::cmp::Reverse(operation.call));
    let mut called = by_call.into_iter().peekable();
    let mut ceilings = vec![u64::MAX; operations.len()];
    let mut lowest = u64::MAX;
    for i in by_return {
        while let Some(after) = called.next_if(|o| o.call > operations[i].done) {
            lowest = lowest.min(bound(after).unwrap_or(u64::MAX));
        }
        ceilings[i] = lowest;
    }
    ceilings
}

fn check_refusals(
    operations: &[Operation],
    floors: &[u64],
    timelines: &HashMap<Key, Vec<(u64, Option<Version>)>>,
) -> Result<(), Violation> {
    let ceilings = ceilings(operations);
    for (i, operation) in operations.iter().enumerate() {
        let (Request::Write(moves), Outcome::Refused(refusal)) =
            (&operation.request, &operation.outcome)
        else {
            continue;
        };
        let Some(step) = moves.iter().find(|step| step.key == *refusal.key()) else {
            return wrong(format!("a refusal for another key: {operation:?}"));
        };
        let empty = Vec::new();
        let timeline = timelines.get(&step.key).unwrap_or(&empty);
        let states = states_between(timeline, floors[i], ceilings[i]);
        // One moment is enough: when exactly it was judged nobody knows.
        let true_once = states
            .into_iter()
            .any(|state| play(step, state, Revision::NEVER).as_ref() == Err(refusal));
        if !true_once {
            return wrong(format!(
                "never true between {} and {}: {operation:?}",
                floors[i], ceilings[i]
            ));
        }
    }
    Ok(())
}

/// The states that a key had at the sequences from `first` to `last`.
fn states_between(
    timeline: &[(u64, Option<Version>)],
    first: u64,
    last: u64,
) -> Vec<Option<Version>> {
    let begins = timeline.partition_point(|(since, _)| *since <= first);
    let ends = timeline.partition_point(|(since, _)| *since <= last);
    // The state at the beginning counts too.
    let before = begins.checked_sub(1).and_then(|i| timeline[i].1);
    let within = timeline[begins..ends.max(begins)]
        .iter()
        .map(|(_, state)| *state);
    std::iter::once(before).chain(within).collect()
}

#[cfg(test)]
mod tests;
