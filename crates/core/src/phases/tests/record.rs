//! The phase record: who serves, what is fenced, which majors are closed, what a run may claim.

use super::moves::{FACTS, at, without};
use super::*;

#[test]
fn only_live_phases_serve_and_only_this_epoch_writes() {
    let record = at(Phase::Mirror, Phase::ReadNew);
    for phase in Phase::ALL {
        let live = [Phase::Mirror, Phase::ReadNew].contains(&phase);
        assert_eq!(admit(&record, phase).is_ok(), live, "{phase}");
        assert!(admit(&PhaseRecord::first(), phase).is_ok());
    }
    let later = PhaseRecord {
        epoch: Epoch(1),
        ..record
    };
    assert_eq!(admit(&later, Phase::Mirror), Ok(Epoch(1)));
    assert_eq!(later.fence(Epoch(1)), Ok(()));
    for planned in [Epoch(0), Epoch(2)] {
        let now = Epoch(1);
        assert_eq!(
            later.fence(planned),
            Err(PhaseRefusal::EpochPassed { planned, now })
        );
    }
}

#[test]
fn a_server_without_the_new_major_can_only_be_at_old() {
    let both = LivePhases {
        low: Phase::Old,
        high: Phase::Mirror,
    };
    assert_eq!(both.best(true), Some(Phase::Mirror));
    assert_eq!(both.best(false), Some(Phase::Old));
    assert_eq!(LivePhases::one(Phase::Mirror).best(false), None);
}

#[test]
fn the_old_major_is_closed_from_cutover_on_and_for_ever() {
    for phase in Phase::ALL {
        let record = at(phase, phase);
        let closed = phase >= Phase::Cutover;
        assert_eq!(record.is_closed(&TABLE, phase, 1), closed, "{phase}");
        assert!(!record.is_closed(&TABLE, phase, 2));
    }
    let last = at(Phase::Cleanup, Phase::Cleanup);
    let ended = finish(&TABLE, &last, &FACTS);
    let next = ended.and_then(|record| begin(&record, 2, 3));
    let closed = |major| {
        let record = next.as_ref().ok();
        record.map(|record| record.is_closed(&TABLE, Phase::Old, major))
    };
    assert_eq!(
        [1, 2, 3].map(closed),
        [Some(true), Some(false), Some(false)]
    );
}

#[test]
fn a_run_is_claimed_in_its_own_epoch_and_with_none_failed() {
    let record = without(Phase::Backfill, false, true);
    let passed = claim(&record, BackgroundWork::Backfill, Epoch(9), 0);
    assert!(matches!(passed, Err(PhaseRefusal::EpochPassed { .. })));
    let failed = claim(&record, BackgroundWork::Backfill, Epoch(0), 3);
    assert_eq!(failed, Err(PhaseRefusal::Failed { failed: 3 }));
    let done = claim(&record, BackgroundWork::Backfill, Epoch(0), 0);
    assert_eq!(done, Ok(at(Phase::Backfill, Phase::Backfill)));
}

#[test]
fn a_copy_back_is_claimed_as_a_backfill_is_and_cleanup_claims_nothing() {
    let record = without(Phase::Soak, true, false);
    let failed = claim(&record, BackgroundWork::CopyBack, Epoch(0), 1);
    assert_eq!(failed, Err(PhaseRefusal::Failed { failed: 1 }));
    let done = claim(&record, BackgroundWork::CopyBack, Epoch(0), 0);
    assert_eq!(done, Ok(at(Phase::Soak, Phase::Soak)));
    let last = at(Phase::Cleanup, Phase::Cleanup);
    assert_eq!(
        claim(&last, BackgroundWork::CleanUp, Epoch(0), 1),
        Ok(last.clone())
    );
    let none = claim(&PhaseRecord::first(), BackgroundWork::Backfill, Epoch(0), 0);
    assert_eq!(none, Err(PhaseRefusal::NoMigration));
}

#[test]
fn each_phase_has_its_work_until_it_is_done() {
    for phase in Phase::ALL {
        let undone = work(&TABLE, &without(phase, false, false), phase);
        let expected = match phase {
            Phase::Backfill => Some(BackgroundWork::Backfill),
            Phase::Soak => Some(BackgroundWork::CopyBack),
            Phase::Cleanup => Some(BackgroundWork::CleanUp),
            _ => None,
        };
        assert_eq!(undone, expected, "{phase}");
        let done = work(&TABLE, &at(phase, phase), phase);
        assert_eq!(
            done,
            expected.filter(|work| *work == BackgroundWork::CleanUp)
        );
    }
}
