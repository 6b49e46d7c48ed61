//! A fault is planted around the table, and the checker must see it: a check that can't fail
//! checks nothing. Each invariant has one that it notices itself.

use crate::{SMALL, at_once, page};
use coeval_core::phases::Phase;
use coeval_phases_model::{
    I1, I2, I3, I4, I5, I10, INVARIANTS, IndexValues, ModelBounds, Protocol, SeededFault, check,
};

/// What is planted, what notices it, and how it is said.
const PLANTED: [(SeededFault, &str, &str); 37] = [
    (SeededFault::NoAdmission, I1, "servers serve at any phase"),
    (
        SeededFault::NoFence,
        I2,
        "the store does not look at the epoch",
    ),
    (
        SeededFault::NoConditions,
        I3,
        "the store does not look whether both records are as found",
    ),
    (
        SeededFault::NoExpiryCondition,
        I3,
        "it does not look whether their expiries are",
    ),
    (
        SeededFault::NoFlagCondition,
        I3,
        "it does not look whether their flags are",
    ),
    (
        SeededFault::NoListCondition,
        I3,
        "the operator does not look whether a resource was listed as failed meanwhile",
    ),
    (
        SeededFault::OldCheckpoint,
        I3,
        "the backfill goes on from a checkpoint of an earlier epoch",
    ),
    (
        SeededFault::EmptyBackfill,
        I3,
        "the backfill says that it is done and has visited nothing",
    ),
    (
        SeededFault::HalfDelete,
        I4,
        "a delete of both records removes only the new one",
    ),
    (
        SeededFault::EmptyCopyBack,
        I5,
        "the copy back says that it is done and has visited nothing",
    ),
    (
        SeededFault::IdleBackfill,
        I10,
        "a step in the background writes nothing",
    ),
    (
        SeededFault::NoTurn,
        I5,
        "a move back, while two phases are live, does not turn servers round",
    ),
    (
        SeededFault::HighestOnly,
        I5,
        "servers go to the higher phase, wherever all head for",
    ),
    (
        SeededFault::UncountedMirrors,
        I4,
        "the end where it began does not count the mirrors that are left",
    ),
    (
        SeededFault::OutlivingList,
        I10,
        "the list of failed resources outlives its migration",
    ),
    (
        SeededFault::ClaimAnew,
        I3,
        "a claim is made again when the record has changed, for the epoch of the new one",
    ),
    (
        SeededFault::CopyWithoutSecrets,
        I3,
        "a copy leaves the secrets behind",
    ),
    (
        SeededFault::KeepAliveAlone,
        I3,
        "a keep-alive does not move the expiry of the secrets",
    ),
    (
        SeededFault::RemovalLeavesSecrets,
        I4,
        "a removal leaves the secrets behind",
    ),
    (
        SeededFault::RemovalLeavesEntries,
        I4,
        "a removal leaves the index entries behind",
    ),
    (
        SeededFault::RemovalTakesEntries,
        I3,
        "a removal takes index entries along that the other record needs",
    ),
    (
        SeededFault::EntriesTrusted,
        I3,
        "the index entries of a record that was left behind are taken to be there",
    ),
    (
        SeededFault::SweepByTwin,
        I4,
        "the sweep asks whether another record is left, not which one was the source of truth",
    ),
    (
        SeededFault::OldParts,
        I3,
        "a run counts parts of another epoch",
    ),
    (
        SeededFault::OnePart,
        I3,
        "a run is said to be done when one of its parts is",
    ),
    (
        SeededFault::NoClaimCondition,
        I10,
        "a batch does not look at the claim of its part",
    ),
    (
        SeededFault::TooSoon,
        I4,
        "who got no answer takes it for a failure and writes again",
    ),
    (
        SeededFault::ReadsOnUnchecked,
        I5,
        "a server without the new major reads old records that may be behind",
    ),
    (SeededFault::ReadsOnForEver, I3, "it reads on at cutover"),
    (
        SeededFault::ReadsOnUnmarked,
        I3,
        "it does not mark what is only a copy",
    ),
    (SeededFault::ReaderWrites, I3, "it writes the old records"),
    (SeededFault::ReaderKeepsAlive, I3, "it moves their expiry"),
    (
        SeededFault::ReaderAcknowledges,
        I3,
        "it counts as one that has got to mirror, so that nobody is asked to give it up",
    ),
    (
        SeededFault::UnreadableBody,
        I3,
        "a body of the new major that can't be converted back is listed as failed, not refused",
    ),
    (
        SeededFault::BodyBesideTruth,
        I3,
        "a body of the new major is written to the new record, whatever the source of truth",
    ),
    (
        SeededFault::BodyRefusedAtOld,
        I3,
        "a body of the new major is refused at old",
    ),
    (
        SeededFault::AccessByRecord,
        I3,
        "who may see a resource is decided by the record that is read",
    ),
];

/// The least that shows it. What can come between a snapshot and its commit needs requests in
/// flight; what takes many moves before it shows begins at a later phase.
fn planted(fault: SeededFault) -> Protocol {
    let one_write = ModelBounds { writes: 1, ..SMALL };
    let three_writes = ModelBounds { writes: 3, ..SMALL };
    let two_resources = ModelBounds {
        old: 2,
        parts: 1,
        ..one_write
    };
    let behind = ModelBounds { behind: 1, ..SMALL };
    let two_parts = ModelBounds {
        parts: 2,
        ..two_resources
    };
    let (protocol, start) = match fault {
        SeededFault::CopyWithoutSecrets
        | SeededFault::KeepAliveAlone
        | SeededFault::RemovalLeavesSecrets
        | SeededFault::RemovalLeavesEntries
        | SeededFault::RemovalTakesEntries
        | SeededFault::EntriesTrusted
        | SeededFault::SweepByTwin => {
            let alike = fault == SeededFault::RemovalTakesEntries;
            let belongings = Some(if alike {
                IndexValues::Alike
            } else {
                IndexValues::Apart
            });
            let protocol = at_once(SMALL);
            let protocol = Protocol {
                belongings,
                ..protocol
            };
            (protocol, Phase::Old)
        }
        SeededFault::ReadsOnUnchecked
        | SeededFault::ReadsOnForEver
        | SeededFault::ReadsOnByFreshness
        | SeededFault::ReadsOnUnmarked
        | SeededFault::ReaderWrites
        | SeededFault::ReaderKeepsAlive
        | SeededFault::ReaderAcknowledges => (at_once(behind), Phase::Old),
        SeededFault::OldParts | SeededFault::NoClaimCondition => {
            (at_once(two_resources), Phase::Old)
        }
        SeededFault::OnePart => (at_once(two_parts), Phase::Old),
        SeededFault::TooSoon => {
            let unanswered = true;
            let protocol = at_once(three_writes);
            let protocol = Protocol {
                unanswered,
                ..protocol
            };
            (protocol, Phase::Old)
        }
        SeededFault::NoFence | SeededFault::NoListCondition | SeededFault::ClaimAnew => {
            (Protocol::ours(one_write), Phase::Old)
        }
        SeededFault::NoConditions => (Protocol::ours(SMALL), Phase::Old),
        SeededFault::NoExpiryCondition | SeededFault::NoFlagCondition => {
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

#[test]
fn entries_go_with_their_resource_so_that_a_second_look_finds_nothing_to_hide() {
    for values in [IndexValues::Apart, IndexValues::Alike, IndexValues::Same] {
        let protocol = Protocol {
            belongings: Some(values),
            fault: Some(SeededFault::NoSecondLook),
            ..at_once(SMALL)
        };
        assert_eq!(check(&protocol, &INVARIANTS, 2).broken, None);
    }
}

#[test]
fn old_records_are_not_said_to_be_fresh_while_a_phase_is_live_that_leaves_them_behind() {
    let protocol = planted(SeededFault::ReadsOnByFreshness);
    assert_eq!(check(&protocol, &INVARIANTS, 2).broken, None);
}

#[test]
fn a_batch_without_its_claim_breaks_nothing_but_the_end_of_its_run() {
    let protocol = planted(SeededFault::NoClaimCondition);
    let broken = check(&protocol, &[I1, I2, I3, I4, I5], 2).broken;
    assert_eq!(broken, None);
}
