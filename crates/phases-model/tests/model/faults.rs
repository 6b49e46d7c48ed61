//! A fault is planted around the table, and the checker must see it: a check that can't fail
//! checks nothing. Each invariant has one that it notices itself.

use crate::{SMALL, at_once, page};
use coeval_core::phases::Phase;
use coeval_phases_model::{
    Bounds, Fault, I1, I2, I3, I4, I5, I10, INVARIANTS, Protocol, Values, check,
};

/// What is planted, what notices it, and how it is said.
const PLANTED: [(Fault, &str, &str); 37] = [
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
    (
        Fault::NoTurn,
        I5,
        "a move back, while two phases are live, does not turn servers round",
    ),
    (
        Fault::HighestOnly,
        I5,
        "servers go to the higher phase, wherever all head for",
    ),
    (
        Fault::UncountedMirrors,
        I4,
        "the end where it began does not count the mirrors that are left",
    ),
    (
        Fault::OutlivingList,
        I10,
        "the list of failed resources outlives its migration",
    ),
    (
        Fault::ClaimAnew,
        I3,
        "a claim is made again when the record has changed, for the epoch of the new one",
    ),
    (
        Fault::CopyWithoutSecrets,
        I3,
        "a copy leaves the secrets behind",
    ),
    (
        Fault::KeepAliveAlone,
        I3,
        "a keep-alive does not move the expiry of the secrets",
    ),
    (
        Fault::RemovalLeavesSecrets,
        I4,
        "a removal leaves the secrets behind",
    ),
    (
        Fault::RemovalLeavesEntries,
        I4,
        "a removal leaves the index entries behind",
    ),
    (
        Fault::RemovalTakesEntries,
        I3,
        "a removal takes index entries along that the other record needs",
    ),
    (
        Fault::EntriesTrusted,
        I3,
        "the index entries of a record that was left behind are taken to be there",
    ),
    (
        Fault::SweepByTwin,
        I4,
        "the sweep asks whether another record is left, not which one was the source of truth",
    ),
    (Fault::OldParts, I3, "a run counts parts of another epoch"),
    (
        Fault::OnePart,
        I3,
        "a run is said to be done when one of its parts is",
    ),
    (
        Fault::NoClaimCondition,
        I10,
        "a batch does not look at the claim of its part",
    ),
    (
        Fault::TooSoon,
        I4,
        "who got no answer takes it for a failure and writes again",
    ),
    (
        Fault::ReadsOnUnchecked,
        I5,
        "a server without the new major reads old records that may be behind",
    ),
    (Fault::ReadsOnForEver, I3, "it reads on at cutover"),
    (
        Fault::ReadsOnUnmarked,
        I3,
        "it does not mark what is only a copy",
    ),
    (Fault::ReaderWrites, I3, "it writes the old records"),
    (Fault::ReaderKeepsAlive, I3, "it moves their expiry"),
    (
        Fault::ReaderAcknowledges,
        I3,
        "it counts as one that has got to mirror, so that nobody is asked to give it up",
    ),
    (
        Fault::UnreadableBody,
        I3,
        "a body of the new major that can't be converted back is listed as failed, not refused",
    ),
    (
        Fault::BodyBesideTruth,
        I3,
        "a body of the new major is written to the new record, whatever the source of truth",
    ),
    (
        Fault::BodyRefusedAtOld,
        I3,
        "a body of the new major is refused at old",
    ),
    (
        Fault::AccessByRecord,
        I3,
        "who may see a resource is decided by the record that is read",
    ),
];

/// The least that shows it. What can come between a snapshot and its commit needs requests in
/// flight; what takes many moves before it shows begins at a later phase.
fn planted(fault: Fault) -> Protocol {
    let one_write = Bounds { writes: 1, ..SMALL };
    let three_writes = Bounds { writes: 3, ..SMALL };
    let two_resources = Bounds {
        old: 2,
        parts: 1,
        ..one_write
    };
    let behind = Bounds { behind: 1, ..SMALL };
    let two_parts = Bounds {
        parts: 2,
        ..two_resources
    };
    let (protocol, start) = match fault {
        Fault::CopyWithoutSecrets
        | Fault::KeepAliveAlone
        | Fault::RemovalLeavesSecrets
        | Fault::RemovalLeavesEntries
        | Fault::RemovalTakesEntries
        | Fault::EntriesTrusted
        | Fault::SweepByTwin => {
            let alike = fault == Fault::RemovalTakesEntries;
            let belongings = Some(if alike { Values::Alike } else { Values::Apart });
            let protocol = at_once(SMALL);
            let protocol = Protocol {
                belongings,
                ..protocol
            };
            (protocol, Phase::Old)
        }
        Fault::ReadsOnUnchecked
        | Fault::ReadsOnForEver
        | Fault::ReadsOnByFreshness
        | Fault::ReadsOnUnmarked
        | Fault::ReaderWrites
        | Fault::ReaderKeepsAlive
        | Fault::ReaderAcknowledges => (at_once(behind), Phase::Old),
        Fault::OldParts | Fault::NoClaimCondition => (at_once(two_resources), Phase::Old),
        Fault::OnePart => (at_once(two_parts), Phase::Old),
        Fault::TooSoon => {
            let unanswered = true;
            let protocol = at_once(three_writes);
            let protocol = Protocol {
                unanswered,
                ..protocol
            };
            (protocol, Phase::Old)
        }
        Fault::NoFence | Fault::NoListCondition | Fault::ClaimAnew => {
            (Protocol::ours(one_write), Phase::Old)
        }
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

#[test]
fn entries_go_with_their_resource_so_that_a_second_look_finds_nothing_to_hide() {
    for values in [Values::Apart, Values::Alike, Values::Same] {
        let protocol = Protocol {
            belongings: Some(values),
            fault: Some(Fault::NoSecondLook),
            ..at_once(SMALL)
        };
        assert_eq!(check(&protocol, &INVARIANTS, 2).broken, None);
    }
}

#[test]
fn old_records_are_not_said_to_be_fresh_while_a_phase_is_live_that_leaves_them_behind() {
    let protocol = planted(Fault::ReadsOnByFreshness);
    assert_eq!(check(&protocol, &INVARIANTS, 2).broken, None);
}

#[test]
fn a_batch_without_its_claim_breaks_nothing_but_the_end_of_its_run() {
    let protocol = planted(Fault::NoClaimCondition);
    let broken = check(&protocol, &[I1, I2, I3, I4, I5], 2).broken;
    assert_eq!(broken, None);
}
