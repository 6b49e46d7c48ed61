//! A fault is planted around the table, and the checker must see it: a check that can't fail
//! checks nothing. Each invariant has one that it notices itself.

use crate::{SMALL, at_once, page};
use coeval_core::phases::Phase;
use coeval_phases_model::{Bounds, Fault, I1, I2, I3, I4, I5, I10, INVARIANTS, Protocol, check};

/// What is planted, what notices it, and how it is said.
const PLANTED: [(Fault, &str, &str); 11] = [
    (Fault::NoAdmission, I1, "servers serve at any phase"),
    (Fault::NoFence, I2, "the store does not look at the epoch"),
    (
        Fault::NoConditions,
        I3,
        "the store does not look whether both records are as found",
    ),
    (
        Fault::NoExpiryCondition,
        I3,
        "it does not look whether their expiries are",
    ),
    (
        Fault::NoFlagCondition,
        I3,
        "it does not look whether their flags are",
    ),
    (
        Fault::NoListCondition,
        I3,
        "the operator does not look whether a resource was listed as failed meanwhile",
    ),
    (
        Fault::OldCheckpoint,
        I3,
        "the backfill goes on from a checkpoint of an earlier epoch",
    ),
    (
        Fault::EmptyBackfill,
        I3,
        "the backfill says that it is done and has visited nothing",
    ),
    (
        Fault::HalfDelete,
        I4,
        "a delete of both records removes only the new one",
    ),
    (
        Fault::EmptyCopyBack,
        I5,
        "the copy back says that it is done and has visited nothing",
    ),
    (
        Fault::IdleBackfill,
        I10,
        "a step in the background writes nothing",
    ),
];

/// The least that shows it. What can come between a snapshot and its commit needs requests in
/// flight; what takes many moves before it shows begins at a later phase.
fn planted(fault: Fault) -> Protocol {
    let one_write = Bounds { writes: 1, ..SMALL };
    let (protocol, start) = match fault {
        Fault::NoFence | Fault::NoListCondition => (Protocol::ours(one_write), Phase::Old),
        Fault::NoConditions => (Protocol::ours(SMALL), Phase::Old),
        Fault::NoExpiryCondition | Fault::NoFlagCondition => {
            (Protocol::ours(one_write), Phase::Cleanup)
        }
        _ => (at_once(SMALL), Phase::Old),
    };
    Protocol {
        fault: Some(fault),
        start,
        ..protocol
    }
}

#[test]
fn every_planted_fault_is_noticed_by_its_invariant() {
    let mut lines = "| fault | noticed by |\n|---|---|".to_owned();
    for (fault, invariant, said) in PLANTED {
        let outcome = check(&planted(fault), &[invariant], 2);
        println!("{fault:?}: {} states, {:.1?}", outcome.states, outcome.took);
        let (broken, trace) = outcome.broken.expect(said);
        println!("{trace}");
        assert_eq!(broken, invariant);
        let number = invariant.split(' ').next().unwrap();
        lines += &format!("\n| {said} | {number} |");
    }
    for invariant in INVARIANTS {
        let noticed = PLANTED.iter().any(|(_, by, _)| *by == invariant);
        assert!(noticed, "{invariant} was never seen to fail");
    }
    page::says("planted faults", &lines);
}
