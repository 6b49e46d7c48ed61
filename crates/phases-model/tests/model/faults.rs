//! A fault is planted around the table, and the checker must see it: a check that can't fail
//! checks nothing.

use crate::SMALL;
use coeval_phases_model::{Bounds, Fault, I1, I2, I3, I10, INVARIANTS, Protocol, check};

#[test]
fn every_planted_fault_is_noticed() {
    let in_flight = Protocol::ours(Bounds { writes: 1, ..SMALL });
    for (fault, invariant) in [
        (Fault::NoAdmission, I1),
        (Fault::NoFence, I2),
        (Fault::EmptyClaim, I3),
        (Fault::IdleBackfill, I10),
    ] {
        let planted = Protocol {
            fault: Some(fault),
            ..in_flight.clone()
        };
        let outcome = check(&planted, &[invariant], 2);
        let broken = outcome.broken.map(|(name, _)| name);
        assert_eq!(
            broken,
            Some(invariant),
            "{fault:?}, {} states",
            outcome.states
        );
    }
    for fault in [Fault::NoConditions, Fault::OldCheckpoint] {
        let planted = Protocol {
            fault: Some(fault),
            ..Protocol::ours(SMALL)
        };
        let outcome = check(&planted, &INVARIANTS, 2);
        println!("{fault:?}: {:?}, {} states", outcome.broken, outcome.states);
        assert!(outcome.broken.is_some(), "{fault:?}");
    }
}
