//! Small histories by hand, for the checkers' own tests.

use super::{Act, Logged, Move, Operation, Outcome, Refusal, Request, Version};
use coeval_storage::{Key, Revision, WriteCondition};

pub(super) fn key(name: &str) -> Key {
    Key::try_from(name).unwrap()
}

pub(super) fn rev(n: u8) -> Revision {
    Revision::from_bytes([n; 16])
}

/// The version that the write with revision `n` puts: its value is `n` too.
pub(super) fn version(n: u8) -> Option<Version> {
    Some(Version {
        revision: rev(n),
        value: n.into(),
        expires: None,
    })
}

/// One operation from `call` to `done`.
pub(super) fn operation(call: u64, done: u64, request: Request, outcome: Outcome) -> Operation {
    Operation {
        process: 0,
        call,
        done,
        request,
        outcome,
    }
}

pub(super) fn read(call: u64, done: u64, at: u64, shown: &[(&str, Option<Version>)]) -> Operation {
    let keys = shown.iter().map(|(name, _)| key(name)).collect();
    let shown = shown.iter().map(|(_, version)| *version).collect();
    operation(call, done, Request::Read(keys), Outcome::Shown(at, shown))
}

pub(super) fn moves(steps: &[(&str, WriteCondition, Act)]) -> Request {
    let step = |(name, condition, act): &(&str, WriteCondition, Act)| Move {
        key: key(name),
        condition: *condition,
        act: *act,
    };
    Request::Write(steps.iter().map(step).collect())
}

/// A put of version `n`, acknowledged at `at`.
pub(super) fn put(call: u64, done: u64, at: u64, name: &str, n: u8) -> Operation {
    let request = moves(&[(name, WriteCondition::Whatever, Act::Put(n.into()))]);
    operation(call, done, request, Outcome::Done(at, rev(n)))
}

/// A put of version `n` on the condition that version `was` is there.
pub(super) fn update(call: u64, done: u64, at: u64, name: &str, was: u8, n: u8) -> Operation {
    let request = moves(&[(
        name,
        WriteCondition::RevisionIs(rev(was)),
        Act::Put(n.into()),
    )]);
    operation(call, done, request, Outcome::Done(at, rev(n)))
}

pub(super) fn delete(call: u64, done: u64, at: u64, name: &str) -> Operation {
    let request = moves(&[(name, WriteCondition::Exists, Act::Delete)]);
    operation(call, done, request, Outcome::Done(at, Revision::NEVER))
}

pub(super) fn refused(call: u64, done: u64, request: Request, refusal: Refusal) -> Operation {
    operation(call, done, request, Outcome::Refused(refusal))
}

/// The same operation with an outcome that nobody knows.
pub(super) fn unknown(operation: Operation) -> Operation {
    let revision = match operation.outcome {
        Outcome::Done(_, revision) => revision,
        _ => panic!("only a write's outcome is unknown"),
    };
    Operation {
        outcome: Outcome::Unknown(revision),
        ..operation
    }
}

pub(super) fn logged(sequence: u64, changes: &[(&str, Option<Version>)]) -> Logged {
    let changes = changes.iter().map(|(name, version)| (key(name), *version));
    Logged {
        sequence,
        changes: changes.collect(),
    }
}
